/** What is measured, scenario by scenario, on processes that are already running. */
import type pg from "pg";
import type { Kind } from "./data.js";
import { median, type Series } from "./figures.js";
import type { Lists, Worker } from "./processes.js";
import type { Took } from "./worker.js";

export interface Bench {
  readonly lists: Lists;
  readonly admin: pg.Client;
  readonly workers: ReadonlyMap<string, Worker>;
  /** The rounds of events, over all scenarios: no event is ever sent twice. */
  nextRound(): number;
  say(text: string): void;
}

export interface WebhookOptions {
  readonly kind: Kind;
  readonly stored: number;
  readonly callers: number;
  /** About how long one measurement takes. */
  readonly seconds: number;
  readonly repetitions: number;
  readonly subjects: readonly string[];
}

/** Runs `work` for each name, several times over, in another order each time. */
export async function interleave(
  names: readonly string[],
  repetitions: number,
  work: (name: string) => Promise<number>,
): Promise<Series["values"]> {
  const values = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (let place = 0; place < names.length; place++) {
      const name = names[(place + repetition) % names.length] ?? "";
      values.get(name)?.push(await work(name));
    }
  }
  return Object.fromEntries(values);
}

export function workerOf(bench: Bench, name: string): Worker {
  const worker = bench.workers.get(name);
  if (worker === undefined) throw new Error(`${name} is not running`);
  return worker;
}

/** How many events tell about how fast a subject is, and the most that one measurement sends. */
const FEW = 300;
const MOST = 10_000;
/** Turns that are not counted, for what an engine compiles only once it is often used. */
const WARM_UP = 4;

/** One turn of a subject. */
export interface Turn {
  readonly name: string;
  readonly took: Took;
  /** Events that were sent. */
  readonly count: number;
  /** Whether it is measured: those to warm up are not. */
  readonly counts: boolean;
}

/** Events a second, of each subject; `after` is called after every turn, and the next one waits for it. */
export async function webhooks(
  bench: Bench,
  options: WebhookOptions,
  after?: (turn: Turn) => void | Promise<void>,
): Promise<Series> {
  const { kind, stored, callers, seconds, repetitions, subjects } = options;
  const deliver = async (name: string, count: number, counts = false) => {
    const round = bench.nextRound();
    const took = await workerOf(bench, name).webhooks({ kind, stored, callers, count, round });
    await after?.({ name, took, count, counts });
    return count / took.seconds;
  };
  const counts = new Map<string, number>();
  for (const name of subjects) {
    await deliver(name, FEW);
    const rate = await deliver(name, FEW);
    const count = Math.round(Math.min(MOST, Math.max(FEW, rate * seconds)));
    counts.set(name, count);
    if (repetitions > 1) for (let turn = 0; turn < WARM_UP; turn++) await deliver(name, count);
  }
  const values = await interleave(subjects, repetitions, (name) =>
    deliver(name, counts.get(name) ?? FEW, true),
  );
  const objects = kind === "customers" ? "customer" : "subscription";
  const series: Series = {
    title: `${objects} events, ${callers} caller${callers === 1 ? "" : "s"}`,
    unit: "events/s",
    values,
  };
  bench.say(line(series));
  return series;
}

export interface BackfillOptions {
  readonly latency: number;
  readonly objects: number;
  readonly repetitions: number;
  readonly subjects: readonly string[];
}

/** Objects a second from an empty table to a full one, of each subject. */
export async function backfill(bench: Bench, options: BackfillOptions): Promise<Series> {
  const { latency, objects, repetitions, subjects } = options;
  const values = await interleave(subjects, repetitions, async (name) => {
    const worker = workerOf(bench, name);
    await worker.clear();
    await bench.admin.query("CHECKPOINT");
    await bench.lists.control({ latency });
    const took = await worker.backfill();
    await bench.lists.control({ latency: 0 });
    const stored = (await worker.count("customers")) + (await worker.count("subscriptions"));
    if (stored !== objects) throw new Error(`${name} has stored ${stored} of ${objects} objects`);
    return objects / took.seconds;
  });
  const series: Series = { title: `backfill, ${latency} ms a request`, unit: "objects/s", values };
  bench.say(line(series));
  return series;
}

/**
 * The same to the end of the lists of some resources, and to the end of the run, which may list more:
 * objects of those resources a second, either way.
 */
export async function backfillFirst(
  bench: Bench,
  options: BackfillOptions & { readonly some: readonly string[] },
): Promise<{ readonly first: Series; readonly whole: Series }> {
  const { latency, objects, repetitions, subjects, some } = options;
  const wholes = new Map<string, number[]>(subjects.map((name) => [name, []]));
  const values = await interleave(subjects, repetitions, async (name) => {
    const worker = workerOf(bench, name);
    await worker.clear();
    await bench.admin.query("CHECKPOINT");
    await bench.lists.control({ latency });
    const { first, whole } = await worker.backfillFirst(some);
    await bench.lists.control({ latency: 0 });
    const stored = (await worker.count("customers")) + (await worker.count("subscriptions"));
    if (stored !== objects) throw new Error(`${name} has stored ${stored} of ${objects} objects`);
    wholes.get(name)?.push(objects / whole.seconds);
    return objects / first.seconds;
  });
  const title = `backfill of the specification's resources, ${latency} ms a request`;
  const series: Series = { title, unit: "objects/s", values };
  const until: Series = {
    title: `${title}, to the end of the run`,
    unit: "objects/s",
    values: Object.fromEntries(wholes),
  };
  for (const each of [series, until]) bench.say(line(each));
  return { first: series, whole: until };
}

/** Microseconds of a call, of each subject that has it. */
export async function calls(
  bench: Bench,
  name: string,
  subjects: readonly string[],
  { times, repetitions }: { readonly times: number; readonly repetitions: number },
): Promise<Series> {
  for (const subject of subjects) await workerOf(bench, subject).call(name, times); // to warm up
  const values = await interleave(subjects, repetitions, async (subject) => {
    const took = await workerOf(bench, subject).call(name, times);
    return (took.seconds / times) * 1e6;
  });
  const series: Series = { title: `\`${name}\``, unit: "µs", values };
  bench.say(line(series));
  return series;
}

/** A series on one line, medians first. */
export function line({ title, unit, values }: Series): string {
  const round = (value: number) => Math.round(value).toLocaleString("en");
  const parts = Object.entries(values).map(
    ([subject, all]) =>
      `${subject} ${round(median(all))} (${round(Math.min(...all))} to ${round(Math.max(...all))})`,
  );
  return `${title}, ${unit}: ${parts.join("; ")}`;
}
