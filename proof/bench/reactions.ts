/** What a handler costs those who send events: the library with one and without, side by side. */
import type { Kind } from "./data.js";
import { type BarId, ratios, type Series } from "./figures.js";
import { line, type Turn, webhooks, workerOf } from "./measure.js";
import type { Run } from "./parts.js";

const SUBJECTS = ["silent", "told"];
/** As many as a turn sends at most: then no turn updates an object twice, and each event is one change. */
const STORED = 10_000;

const STREAMS = [
  ["customers", 1, "toldCustomers1"],
  ["customers", 32, "toldCustomers32"],
  ["subscriptions", 1, "toldSubscriptions1"],
  ["subscriptions", 32, "toldSubscriptions32"],
] as const satisfies readonly (readonly [Kind, number, BarId])[];

/** The series of events a second; each has one of tellings, `Rate`, and one of what was left, `After`. */
export const TOLD = STREAMS.map(([, , id]) => id);

export async function toldBesideSilent(run: Run): Promise<void> {
  for (const kind of ["customers", "subscriptions"] as const) {
    await run.open("ours", "silent");
    await run.open(`told-${kind}`, "told");
    for (const name of SUBJECTS) {
      await workerOf(run, name).store("customers", STORED);
      if (kind === "subscriptions") await workerOf(run, name).store(kind, STORED);
    }
    const told = toldOf(run);
    for (const [of, callers, id] of STREAMS)
      if (of === kind) await stream(run, kind, callers, id, told);
    for (const name of SUBJECTS) await run.close(name);
  }
}

async function stream(
  run: Run,
  kind: Kind,
  callers: number,
  id: BarId,
  settle: (turn: Turn) => Promise<number>,
): Promise<void> {
  const rate: number[] = [];
  const left: number[] = [];
  const series = await webhooks(
    run,
    {
      kind,
      stored: STORED,
      callers,
      seconds: run.quick ? 0.25 : 0.8,
      repetitions: run.quick ? 5 : 15,
      subjects: SUBJECTS,
    },
    async (turn) => {
      if (turn.name !== "told") return;
      const seconds = await settle(turn);
      if (!turn.counts) return;
      rate.push(turn.count / (turn.took.seconds + seconds));
      left.push(seconds * 1000);
    },
  );
  const { title } = series;
  const more: { [id: string]: Series } = {
    [`${id}Rate`]: { title: `${title}, told`, unit: "changes/s", values: { told: rate } },
    [`${id}After`]: {
      title: `${title}, from the last answer to the last telling`,
      unit: "ms",
      values: { told: left },
    },
  };
  for (const each of Object.values(more)) run.say(line(each));
  Object.assign(run.series, { [id]: series }, more);
  run.figure(id, ratios(series, "told", "silent"));
}

/** Waits until all of a turn is told, which nothing else is measured beside: answers for how long. */
function toldOf(run: Run): (turn: Turn) => Promise<number> {
  let sent = 0;
  return async ({ name, count }) => {
    sent += count;
    const { took, told } = await workerOf(run, name).settle();
    if (told.times === sent && told.updates === sent) return took.seconds;
    throw new Error(
      `Of ${sent} updates ${told.updates} were told, ${told.times} times: each must be told once`,
    );
  };
}
