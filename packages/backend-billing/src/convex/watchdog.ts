/**
 * The watchdog restarts the work of a worker that died, and has changes told again whose job was lost.
 * It is a mutation that schedules itself, which Convex runs exactly once each time, and it rests when
 * nothing is outstanding.
 */
import type { RecordKind } from "../core/mirror/store.js";
import { WATCHDOG } from "../core/runtime/records/watchdog.js";
import { nextWatch, type Scheduling, scheduleDelivery, WATCH, type WorkStep } from "./schedule.js";
import { dueRecords, recordAt } from "./store/records.js";
import { dueAsks } from "./store/versions.js";
import { objectsAfter } from "./store/waiting.js";
import type { Db } from "./tables/database.js";
import { isLeft } from "./usage/outbox.js";

/** Broken chains of pages that are restarted at once. */
const CHAINS = 20;

/** Objects of which something is told again; each has a document of up to a megabyte. */
const RESUMED = 10;

type Watched = Exclude<WorkStep, "usage">;

/** Which worker does what is due: records of these kinds, and asks. */
const WATCHED: { readonly [step in Watched]: readonly RecordKind[] } = {
  page: ["partition"],
  work: ["refresh", "claim", "erased"],
};

/** What there is to look after, beside what every application has. */
interface Watching {
  /** Kinds of records. */
  readonly watched?: readonly RecordKind[];
  /** The features whose usage is sent to meters. */
  readonly metered?: readonly string[];
  /** Whether the application is told of changes. */
  readonly tells: boolean;
}

/**
 * Calls workers for what is overdue, and itself again as long as anything is outstanding. `at` is the
 * time that it was scheduled for, if it says so.
 */
export async function watch(
  db: Db,
  to: Scheduling,
  { watched: more = [], metered = [], tells }: Watching,
  at?: number,
): Promise<void> {
  const now = Date.now();
  const known = await recordAt(db, WATCHDOG.kind, WATCHDOG.id);
  // Another one took its place, as after a pause of the scheduler: of two, one goes on.
  if (at !== undefined && known?.data.at !== at) return;
  const dueBy = async (step: Watched, until: number, limit: number): Promise<number> => {
    let count = step === "work" ? (await dueAsks(db, until, limit)).length : 0;
    const kinds = step === "work" ? [...WATCHED.work, ...more] : WATCHED.page;
    for (const kind of kinds) count += (await dueRecords(db, kind, until, limit)).length;
    return count;
  };
  let outstanding = false;
  for (const step of ["page", "work"] as const) {
    // A chain of pages each, as when they began; for the rest one worker takes all that is due.
    const overdue = await dueBy(step, now, step === "page" ? CHAINS : 1);
    for (let worker = 0; worker < (step === "page" ? overdue : Math.min(1, overdue)); worker++) {
      await to.scheduler.runAfter(0, to.sync, { step });
    }
    outstanding ||= (await dueBy(step, Number.POSITIVE_INFINITY, 1)) > 0;
  }
  if (await isLeft(db, metered)) {
    await to.scheduler.runAfter(0, to.sync, { step: "usage" });
    outstanding = true;
  }
  const after = tells ? await resumeDeliveries(db, to, String(known?.data.after ?? "")) : undefined;
  outstanding ||= after !== undefined;
  if (outstanding) await nextWatch(db, to, known, { at: now + WATCH, after: after ?? "" });
  else if (known !== null) await db.delete(known._id);
}

/**
 * Has some of the objects told again of which something waits, in turns, so that none waits for ever
 * behind others: most are under way, and then nothing happens. Answers where to go on; undefined if
 * nothing waits.
 */
async function resumeDeliveries(
  db: Db,
  to: Scheduling,
  after: string,
): Promise<string | undefined> {
  if ((await dueRecords(db, "change", Number.POSITIVE_INFINITY, 1)).length === 0) return undefined;
  const found = await objectsAfter(db, after, RESUMED);
  for (const ref of found) await scheduleDelivery(to, ref);
  return found.length < RESUMED ? "" : found.at(-1);
}
