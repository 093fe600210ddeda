/**
 * Schedules the work that commits leave: a commit schedules a worker in its own transaction, and starts
 * the watchdog, which is in watchdog.ts: what mutations of an application load has no need of it.
 */
import type { FunctionReference, FunctionVisibility, Scheduler } from "convex/server";
import type { Write } from "../core/mirror/writes.js";
import { oneAtATime } from "../core/runtime/one-at-a-time.js";
import { WATCHDOG } from "../core/runtime/records/watchdog.js";
import { recordAt } from "./store/records.js";
import type { Db } from "./tables/database.js";

/** `page`: one page of one partition. `usage`: all usage that is unsent. `work`: whatever else is due. */
export type WorkStep = "page" | "usage" | "work";

interface Due {
  readonly step: WorkStep;
  readonly at: number;
}

/** What a transaction leaves to be done. */
interface Left {
  /** What newly falls due that a worker is to be called for, and when. */
  readonly due: readonly Due[];
  /** The objects of which something is to be told. */
  readonly objects?: readonly string[];
  /** Whether anything is outstanding that the watchdog must know of. */
  readonly outstanding: boolean;
}

/** The `store` mutation. What it takes and answers is in `calls/operations.ts`, and not published. */
export type StoreReference = FunctionReference<
  "mutation",
  FunctionVisibility,
  { operation: unknown },
  unknown
>;

/** The `sync` action, of which the worker is an undocumented step. */
export type WorkReference = FunctionReference<
  "action",
  FunctionVisibility,
  { step?: WorkStep },
  unknown
>;

export interface Scheduling {
  readonly scheduler: Scheduler;
  readonly store: StoreReference;
  readonly sync: WorkReference;
}

/** How often the watchdog looks, and how late it may be before it is taken for dead. */
export const WATCH = 60_000;
const LATE = 5 * WATCH;

/** Objects of which something is told at once: Convex takes 1,000 jobs of a mutation. */
const AT_ONCE = 500;

export async function scheduleWork(db: Db, to: Scheduling, left: Left): Promise<void> {
  for (const { step, at } of workers(left.due)) await to.scheduler.runAt(at, to.sync, { step });
  for (const ref of (left.objects ?? []).slice(0, AT_ONCE)) await scheduleDelivery(to, ref);
  if (left.outstanding) await keepWatch(db, to);
}

export const scheduleDelivery = (to: Scheduling, ref: string) =>
  to.scheduler.runAfter(0, to.store, { operation: { type: "deliver", ref } });

/**
 * A claim's own caller drives it, so no worker is called for that; the watchdog finds what is left.
 * `tells`: whether the application has handlers.
 */
export function leftBy(writes: readonly Write[], tells = false): Left {
  const due: Due[] = [];
  const objects = new Set<string>();
  let outstanding = false;
  for (const write of writes) {
    if (write.write === "putVersion") {
      outstanding ||= write.askAt !== null;
      if (typeof write.askAt === "number") due.push({ step: "work", at: write.askAt });
    }
    if (write.write !== "putRecord" || write.record.due === null) continue;
    if (write.kind === "setting") continue; // the jobs remove it some time after that
    if (write.kind === "change") {
      if (!tells || write.record.ref === null) continue;
      objects.add(write.record.ref);
      outstanding = true;
      continue;
    }
    // They are due days ahead: a worker is scheduled, and the jobs look too, so nothing else watches.
    outstanding ||= write.kind !== "lapse" && write.kind !== "notice";
    if (write.kind === "claim" || !write.rescheduled) continue;
    due.push({ step: write.kind === "partition" ? "page" : "work", at: write.record.due });
  }
  return { due, objects: [...objects], outstanding };
}

/** A partition each its own worker; for the rest that falls due in one moment, one will do. */
function workers(due: readonly Due[]): Due[] {
  const moments = new Set<number>();
  return due.filter(({ step, at }) => {
    if (step === "page") return true;
    const isNew = !moments.has(at);
    moments.add(at);
    return isNew;
  });
}

/** Milliseconds after which the watchdog looks for usage, where it was not on; it takes up what others took, too. */
const SOON = 5_000;

/**
 * Has usage sent that a mutation has just taken. However many do, one job waits: the watchdog, which
 * calls the worker, and goes on as long as anything is unsent.
 */
export const scheduleUsage = (db: Db, to: Scheduling) => keepWatch(db, to, SOON);

/** Starts the watchdog unless it is on. Commits read its record and hardly ever write it. */
const keepWatch = (db: Db, to: Scheduling, delay = WATCH): Promise<void> =>
  oneAtATime(db, async () => {
    const now = Date.now();
    const known = await recordAt(db, WATCHDOG.kind, WATCHDOG.id);
    const at = typeof known?.data.at === "number" ? known.data.at : undefined;
    if (at !== undefined && at > now - LATE) return;
    await nextWatch(db, to, known, { at: now + delay });
  });

export async function nextWatch(
  db: Db,
  to: Scheduling,
  known: Awaited<ReturnType<typeof recordAt>>,
  data: { readonly at: number; readonly after?: string },
): Promise<void> {
  const fields = { revision: (known?.revision ?? 0) + 1, ref: null, due: null, data };
  if (known === null) {
    const key = { kind: WATCHDOG.kind, recordId: WATCHDOG.id };
    await db.insert("backend_billing_records", { ...key, ...fields });
  } else await db.patch(known._id, fields);
  await to.scheduler.runAt(data.at, to.store, { operation: { type: "watch", at: data.at } });
}
