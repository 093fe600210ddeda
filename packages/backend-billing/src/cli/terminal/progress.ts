/** What a run looks like while it runs: drawn anew on a terminal, a line now and then elsewhere. */
import type { Progress, RunReport, SetAsideReport } from "../../core/runtime/reports.js";
import { driftCount } from "../../core/sync/drift/drift.js";
import { clock, count, counted, describeSetAside, roughly } from "./format.js";
import type { Io } from "./io.js";
import type { Counts } from "./tally.js";

/** A run at one moment. */
export interface Moment {
  readonly report: RunReport;
  readonly counts: Counts;
  /** Milliseconds since this command began. */
  readonly elapsed: number;
  /** Of this process, over the last seconds. */
  readonly requestsPerSecond: number;
  readonly secondsLeft: number | undefined;
}

export interface Display {
  show(moment: Moment): void;
  /** Takes away what was drawn. */
  clear(): void;
}

/** Milliseconds between two looks at the run. */
export const lookEvery = (io: Io): number => (io.isTerminal ? 250 : 3_000);

export function createDisplay(io: Io): Display {
  if (io.json) return { show: (moment) => io.emit({ progress: asJson(moment) }), clear() {} };
  return io.isTerminal ? createDrawing(io) : { show: (at) => io.print(lineOf(at)), clear() {} };
}

function createDrawing(io: Io): Display {
  let drawn = 0;
  let frame = 0;
  const erasing = () => (drawn > 0 ? `\u001b[${drawn}A\u001b[0J` : "");
  return {
    show: (moment) => {
      const lines = drawing(io, moment, frame++);
      io.write(erasing() + lines.map((line) => `${line}\n`).join("")); // at once, or it flickers
      drawn = lines.length;
    },
    clear: () => {
      io.write(erasing());
      drawn = 0;
    },
  };
}

const SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

export const entriesOf = ({ resources, events, usage }: RunReport): [string, Progress][] => [
  ...Object.entries<Progress>(resources),
  ...Object.entries<Progress>({ ...(events && { events }), ...(usage && { usage }) }),
];

/** Objects that all lists and events of a run showed so far. */
export const rowsOf = (report: RunReport): number =>
  entriesOf(report).reduce((sum, [, { rows }]) => sum + rows, 0);

/** Objects that a run found to differ, of a reconcile, and repaired; and days of usage. */
export const driftTotal = ({ resources, usage }: RunReport): number =>
  Object.values(resources).reduce(
    (sum, { drift }) => sum + (drift ? driftCount(drift) : 0),
    usage?.differing ?? 0,
  );

/** Objects that could not be stored, by name, with what to do about them. */
export function printSetAside(io: Io, { count: number, examples }: SetAsideReport): void {
  if (number === 0) return;
  io.print(`${io.paint("red", "✗")} ${counted(number, "object")} could not be stored:`);
  for (const each of examples) io.print(`  ${describeSetAside(each)}`);
  io.print("  What to do about it: npx backend-billing doctor");
}

function drawing(io: Io, moment: Moment, frame: number): string[] {
  const entries = entriesOf(moment.report);
  const spin = SPINNER[frame % SPINNER.length] ?? "";
  const widest = Math.max(...entries.map(([name]) => name.length));
  const line = ([name, at]: [string, Progress]) => {
    const mark = { running: at.pages > 0 ? spin : "·", done: "✓", failed: "✗" }[at.state];
    const colour = ({ running: "cyan", done: "green", failed: "red" } as const)[at.state];
    const text = `${name.padEnd(widest)} ${count(at.rows).padStart(11)}`;
    // The error of a retried page is shown, so that a pause is explained.
    const room = io.width - text.length - 7;
    const error = at.error === undefined ? "" : `  ${io.paint("yellow", cut(at.error, room))}`;
    return `  ${io.paint(colour, mark)} ${text}${error}`;
  };
  // What does not fit is left out, beginning with what is done: a drawing that scrolls cannot be redrawn.
  const room = Math.max(1, io.height - 3);
  const open = entries.filter(([, { state }]) => state !== "done");
  const fitting = entries.length <= room ? entries : open.slice(0, room);
  return [cut(headOf(moment), io.width - 1), ...fitting.map(line)];
}

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

const PHASE: { readonly [phase in RunReport["phase"]]: string } = {
  list: "reading lists",
  sweep: "asking about what no list showed",
  events: "reading events since",
  settle: "settling what is in doubt",
  sample: "comparing a sample",
  usage: "comparing usage with its meters",
};

function headOf({ report, counts, elapsed, requestsPerSecond, secondsLeft }: Moment): string {
  return [
    clock(elapsed),
    PHASE[report.phase],
    `${requestsPerSecond.toFixed(1)} requests/s`,
    ...(counts.limited === 0 ? [] : [`${count(counts.limited)} × 429`]),
    ...(secondsLeft === undefined ? [] : [`${roughly(secondsLeft)} left`]),
  ].join(" · ");
}

/** One line, for logs: what is under way. */
function lineOf(moment: Moment): string {
  const open = entriesOf(moment.report)
    .filter(([, { state, pages }]) => state === "running" && pages > 0)
    .map(([name, each]) => `${name} ${count(each.rows)}${each.error ? ` (${each.error})` : ""}`);
  const under = open.length === 0 ? "" : `, under way: ${open.join(", ")}`;
  return `${headOf(moment)} · ${count(rowsOf(moment.report))} objects${under}`;
}

function asJson({ report, counts, elapsed, requestsPerSecond, secondsLeft }: Moment): object {
  const { runId, kind, state, phase } = report;
  const resources = Object.fromEntries(
    entriesOf(report).map(([name, { rows, pages, state: at, error }]) => [
      name,
      { rows, pages, state: at, ...(error === undefined ? {} : { error }) },
    ]),
  );
  return {
    runId,
    kind,
    state,
    phase,
    elapsedMs: elapsed,
    requests: counts.requests,
    requestsPerSecond: Math.round(requestsPerSecond * 10) / 10,
    limited: counts.limited,
    secondsLeft: secondsLeft === undefined ? null : Math.round(secondsLeft),
    resources,
  };
}
