/** The library beside another checkout of it, pair by pair, so that what slows one slows both. */
import { ratios, type Series, type Summary, summaryOf } from "./figures.js";
import { type Bench, backfill, calls, webhooks } from "./measure.js";

const PAIRS = 9;
/** How much slower a median may be before it counts as worse. */
const MOST_SLOWER = 0.05;

/** How many times as fast as before it is, pair by pair. */
export interface Compared extends Summary {
  readonly title: string;
  readonly worse: boolean;
}

/** Compares `ours` with the other checkout, which runs as `before`. */
export async function compare(bench: Bench, objects: number): Promise<Compared[]> {
  const subjects = ["before", "ours"];
  const stored = 2_000;
  const all: Series[] = [];
  for (const kind of ["customers", "subscriptions"] as const) {
    for (const name of subjects) await bench.workers.get(name)?.store(kind, stored);
    for (const callers of kind === "customers" ? [1, 32] : [32]) {
      const options = { kind, stored, callers, seconds: 0.4, repetitions: PAIRS, subjects };
      all.push(await webhooks(bench, options));
    }
  }
  for (const latency of [0, 100]) {
    all.push(await backfill(bench, { objects, latency, repetitions: PAIRS, subjects }));
  }
  for (const name of subjects) await bench.workers.get(name)?.clear();
  for (const name of ["setup", "subscribe", "portal"]) {
    all.push(await calls(bench, name, subjects, { times: 200, repetitions: PAIRS }));
  }
  return all.map((series) => {
    const isRate = series.unit.endsWith("/s");
    const faster = isRate ? ratios(series, "ours", "before") : ratios(series, "before", "ours");
    const summary = summaryOf(faster);
    return { title: series.title, ...summary, worse: summary.value < 1 - MOST_SLOWER };
  });
}
