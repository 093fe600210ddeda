/** Works at a run in front of a person: shows how far it is, and stops cleanly at Ctrl-C. */

import type { RunReport } from "../core/runtime/reports.js";
import { allPartitions } from "../core/sync/run/commit.js";
import { partitionOf } from "../core/sync/run/partition.js";
import { latestRuns, runReport } from "../core/sync/run/report.js";
import { workUntilDone } from "../core/sync/work/wait.js";
import type { Connected } from "./connect.js";
import { rowsLeft } from "./estimate.js";
import { counted, duration } from "./terminal/format.js";
import { EXIT, type Io } from "./terminal/io.js";
import { createDisplay, entriesOf, lookEvery, type Moment, rowsOf } from "./terminal/progress.js";
import type { Counts } from "./terminal/tally.js";

export interface Worked {
  readonly report: RunReport;
  /** What this process did of it. */
  readonly counts: Counts;
  readonly interrupted: boolean;
  readonly milliseconds: number;
}

/** Milliseconds over which a speed is measured. */
const WINDOW = 10_000;

/** Works until the run ends or is interrupted. `opened` is what the run was when it was opened. */
export async function workAtRun(io: Io, connected: Connected, opened: RunReport): Promise<Worked> {
  const { runtime, tally } = connected;
  const began = Date.now();
  const { runId } = opened;
  if (entriesOf(opened).some(([, { pages }]) => pages > 0)) {
    const ago = duration(began - opened.startedAt);
    io.print(`Going on with the ${opened.kind} that was begun ${ago} ago (${runId}).`);
  }
  const display = createDisplay(io);
  const interruption = listenForInterruption(io, display.clear);
  let isOver = false;
  const work = workUntilDone(runtime, runId, () => interruption.isAsked).finally(() => {
    isOver = true;
  });
  const watching = watch(io, connected, opened, began, display.show, () => isOver, work);
  try {
    await work;
    await watching;
    display.clear();
    const report = await runReport(runtime, runId);
    const interrupted = interruption.isAsked && report?.state === "running";
    const milliseconds = Date.now() - began;
    const worked = { report: report ?? opened, counts: tally.counts(), interrupted, milliseconds };
    if (interrupted) printInterrupted(io, worked);
    return worked;
  } finally {
    interruption.end();
  }
}

/** The first Ctrl-C asks for an end, the second one makes it. */
export function listenForInterruption(
  io: Io,
  clear: () => void,
  what = "pages",
): { isAsked: boolean; end(): void } {
  const state = { isAsked: false, end };
  const signals = ["SIGINT", "SIGTERM"] as const;
  function onSignal() {
    if (state.isAsked) process.exit(EXIT.interrupted);
    state.isAsked = true;
    clear();
    io.warn(`Stopping after the ${what} under way. Once more to stop at once.`);
  }
  function end() {
    if (state.isAsked) return; // one more while we are closing still ends with our code
    for (const signal of signals) process.removeListener(signal, onSignal);
  }
  for (const signal of signals) process.on(signal, onSignal);
  return state;
}

function printInterrupted(io: Io, { report }: Worked): void {
  io.print(`Stopped. ${counted(rowsOf(report), "object")} read so far, and kept.`);
  io.print("Run the same command again, and it goes on where it was.");
  io.exit(EXIT.interrupted);
}

/** Shows the run at regular moments until it is over. */
async function watch(
  io: Io,
  { runtime, tally }: Connected,
  opened: RunReport,
  began: number,
  show: (moment: Moment) => void,
  isOver: () => boolean,
  work: Promise<void>,
): Promise<void> {
  const { runId } = opened;
  const previous = (await latestRuns(runtime, 20)).find(
    ({ kind, state, phase }) => kind !== "catch-up" && state === "done" && phase !== "sample",
  );
  const requests = createSpeed(began, 0);
  const rows = createSpeed(began, rowsOf(opened));
  // On a terminal something is to be seen at once; in a log only what took long enough to matter.
  if (!io.isTerminal) await pause(lookEvery(io), work);
  while (!isOver()) {
    const report = await runReport(runtime, runId).catch(() => undefined); // the workers tell of it
    if (report !== undefined && !isOver()) {
      const now = Date.now();
      const partitions = (await allPartitions(runtime, runId)).map(partitionOf);
      const speed = rows(now, rowsOf(report));
      const situation = { partitions, resources: runtime.resources, previous, now: now / 1000 };
      const left = report.phase === "list" && speed > 0 ? rowsLeft(situation) : undefined;
      show({
        report,
        counts: tally.counts(),
        elapsed: now - began,
        requestsPerSecond: requests(now, tally.counts().requests),
        secondsLeft: left === undefined ? undefined : left / speed,
      });
    }
    await pause(lookEvery(io), work);
  }
}

/** Waits, but not longer than the work; how that ended is reported elsewhere. */
function pause(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<void>((done) => {
    timer = setTimeout(done, milliseconds);
  });
  const ended = work.catch(() => {});
  return Promise.race([time, ended]).finally(() => clearTimeout(timer));
}

/** A second's worth of something that grows, measured over the last moments. */
function createSpeed(began: number, base: number): (now: number, value: number) => number {
  let samples: [number, number][] = [[began, base]];
  return (now, value) => {
    samples = [...samples.filter(([at]) => now - at <= WINDOW), [now, value]];
    const [first] = samples;
    if (first === undefined || first[0] === now) return 0;
    return ((value - first[1]) * 1000) / (now - first[0]);
  };
}
