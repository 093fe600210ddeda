/** Samples of the application's process and of its connections, and whether its memory is flat. */
import { readFileSync } from "node:fs";
import type pg from "pg";

export interface Sample {
  /** Minutes of the mixed load. */
  readonly minute: number;
  readonly rss: number;
  readonly heapUsed: number;
  /** Whether garbage was collected just before. */
  readonly isCollected: boolean;
  readonly timers: number;
  readonly connections: number;
  readonly waiting: number;
  readonly p50: number;
  readonly p99: number;
  /** Of the processor's time since the last sample, what the host of a virtual machine gave to others. */
  readonly stolen: number;
}

export interface Flatness {
  readonly samples: number;
  /** Bytes. */
  readonly median: number;
  /** Bytes a minute by a line through all samples, and the error of that, one standard deviation. */
  readonly slope: number;
  readonly error: number;
  /** Over the time that was looked at, as a share of the median, and what it may be. */
  readonly share: number;
  readonly bounds: { readonly surely: number; readonly atMost: number };
  readonly isFlat: boolean;
}

/** Of the median, over the time that is looked at: what a line may show for sure, and at all. */
const LONG = { surely: 0.01, atMost: 0.05 };
/** Of a run of a few minutes, in which code is still compiled and connections are opened. */
const SHORT = { surely: 0.2, atMost: 0.3 };
/** Minutes that must be looked at for the first of them. */
const ENOUGH = 10;

/**
 * Whether the heap, just after garbage was collected, does not grow. Requests are under way when it is
 * measured, so single samples differ by more than 1%: growth counts beyond twice the error of the line,
 * and may then be 1% of the median; the line itself may not show more than 5%. A few minutes say less,
 * and only a large leak is found in them.
 */
export function flatness(samples: readonly Sample[], from: number): Flatness {
  const seen = samples.filter(({ isCollected, minute }) => isCollected && minute >= from);
  const n = seen.length;
  const mean = (of: (sample: Sample) => number) =>
    seen.reduce((sum, sample) => sum + of(sample), 0) / n;
  const [time, heap] = [mean(({ minute }) => minute), mean(({ heapUsed }) => heapUsed)];
  const spread = n * mean(({ minute }) => (minute - time) ** 2);
  const slope = (n * mean(({ minute, heapUsed }) => (minute - time) * (heapUsed - heap))) / spread;
  const rest = mean(({ minute, heapUsed }) => (heapUsed - heap - slope * (minute - time)) ** 2);
  const error = Math.sqrt((rest * n) / Math.max(1, n - 2) / spread);
  const length = (seen.at(-1)?.minute ?? 0) - (seen[0]?.minute ?? 0);
  const median = seen.map(({ heapUsed }) => heapUsed).sort((a, b) => a - b)[Math.floor(n / 2)] ?? 0;
  const growth = slope * length;
  const surely = (slope - 2 * error) * length;
  const bounds = length >= ENOUGH ? LONG : SHORT;
  const isFlat = n >= 3 && surely <= bounds.surely * median && growth <= bounds.atMost * median;
  return { samples: n, median, slope, error, share: growth / median, bounds, isFlat };
}

/** The application's connections, as the server sees them. */
export async function connectionsOf(pool: pg.Pool): Promise<{ all: number; busy: number }> {
  const { rows } = await pool.query(
    `SELECT count(*)::int AS all, (count(*) FILTER (WHERE state <> 'idle'))::int AS busy
     FROM pg_stat_activity WHERE application_name = 'soak'`,
  );
  return rows[0];
}

/** A clock of stolen time: each call answers its share of the time since the last one. */
export function stolenTime(): () => number {
  let before = processorTimes();
  return () => {
    const now = processorTimes();
    const passed = now.all - before.all;
    const share = passed === 0 ? 0 : (now.stolen - before.stolen) / passed;
    before = now;
    return share;
  };
}

/** What Linux counts, of all processors; the eighth number is what was stolen. */
function processorTimes(): { readonly all: number; readonly stolen: number } {
  const [first = ""] = readFileSync("/proc/stat", "utf8").split("\n", 1);
  const times = first.split(/\s+/).slice(1, 9).map(Number);
  return { all: times.reduce((sum, each) => sum + each, 0), stolen: times[7] ?? 0 };
}
