/** What a soak has measured, as rows with their bounds, and what is beyond them. */
import type { RecordableHistogram } from "node:perf_hooks";
import { median } from "../bench/figures.js";
import type { Row } from "../reliability/figures.js";
import type { Ended, Verified } from "./ending.js";
import type { Burst, Capacity, Mixed, Tally } from "./phases.js";
import { flatness } from "./samples.js";

export interface Measured {
  readonly minutes: number;
  /** Events of the burst. */
  readonly sent: number;
  readonly fast: Capacity;
  readonly storm: Burst;
  readonly calm: Mixed;
  readonly done: Tally;
  readonly right: Verified;
  readonly end: Ended;
}

export interface Verdict {
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
  readonly wrong: readonly string[];
}

const RATIO = 10;
/** In a shorter run, other work on the machine for a few seconds is more than a hundredth of it. */
const JUDGED = 10;
/** Minutes that are not looked at for memory; a sixth of shorter runs. */
const WARM_UP = 10;

export function judge(measured: Measured): Verdict {
  const { minutes, sent, fast, storm, calm, done, right, end } = measured;
  const warmUp = Math.min(WARM_UP, minutes / 6);
  const flat = flatness(calm.samples, warmUp);
  const ratio = calm.webhooks.sent.percentile(99) / calm.webhooks.sent.percentile(50);
  const isJudged = minutes >= JUDGED;
  const { samples } = calm;
  const ratios = samples.map(({ p50, p99 }) => p99 / p50);
  const stolen = samples.reduce((sum, each) => sum + each.stolen, 0) / samples.length;
  const worst = Math.max(...samples.map(({ p99 }) => p99));
  const later = samples.filter(({ minute }) => minute >= warmUp);
  const most = (of: (sample: (typeof later)[number]) => number) => Math.max(0, ...later.map(of));
  const rows: Row[] = [
    ["webhooks a second, 16 callers", whole(fast.answered)],
    ["the same until every hook was told", whole(fast.told)],
    [`burst of ${whole(sent)} events: stored`, whole(storm.stored), "all"],
    ["burst: seconds until all were answered", storm.seconds.toFixed(1)],
    ["burst: seconds until all were told", storm.toldSeconds.toFixed(1)],
    ["burst: the most memory of the process (RSS)", mb(storm.peak)],
    ["mixed load: minutes", String(minutes)],
    ["mixed load: requests a second", calm.perSecond.toFixed(0), "half of the above"],
    ["mixed load: webhooks", whole(calm.webhooks.sent.count)],
    ["mixed load: reads", whole(done.reads)],
    ["mixed load: units of usage taken", whole(done.uses)],
    ["mixed load: checkouts paid", whole(done.bought)],
    ["mixed load: backfills of everything", whole(done.backfills)],
    ["mixed load: events that the double delivered", whole(right.delivered)],
    ["webhooks, from sending: p50, p99, p99.9", latency(calm.webhooks.sent)],
    ["webhooks, from when they were due: p50, p99, p99.9", latency(calm.webhooks.due)],
    [
      "webhooks, p99 to p50",
      ratio.toFixed(1),
      isJudged ? `at most ${RATIO}` : `judged from ${JUDGED} minutes on`,
    ],
    ["webhooks, p99 to p50 in ten seconds, the median", median(ratios).toFixed(1)],
    ["webhooks, p99 of the worst ten seconds", `${worst.toFixed(0)} ms`],
    ["processor time that the machine's host gave to others", `${(stolen * 100).toFixed(1)}%`],
    ["reads, from sending: p50, p99, p99.9", latency(calm.reads.sent)],
    ["usage, from sending: p50, p99, p99.9", latency(calm.uses.sent)],
    [`heap after collection, median from minute ${round(warmUp)}`, mb(flat.median)],
    [
      "heap, slope of a line through it",
      `${(flat.slope / 1024).toFixed(1)} ± ${(flat.error / 1024).toFixed(1)} kB a minute`,
    ],
    [
      "heap, growth by that line",
      `${(flat.share * 100).toFixed(2)}%`,
      `beyond twice the error at most ${flat.bounds.surely * 100}%, in all ${flat.bounds.atMost * 100}%`,
    ],
    ["memory of the process (RSS), most", mb(most(({ rss }) => rss))],
    ["connections, most", whole(most(({ connections }) => connections)), "20, the pool's"],
    ["timers, most", whole(most(({ timers }) => timers))],
    ["objects equal at Stripe and in the mirror", whole(right.objects), "all"],
    ["after close(): connections in use", whole(end.inUse), "0"],
    ["after the pool's end: connections left", whole(end.left), "0"],
    [
      "then the process ended by itself after",
      end.seconds === undefined ? "never" : `${end.seconds.toFixed(1)} s`,
      "at most 10 s",
    ],
  ];
  const wrong = [
    ...(storm.stored === sent ? [] : [`of ${sent} events ${storm.stored} are stored`]),
    ...(ratio <= RATIO || !isJudged ? [] : [`p99 of webhooks is ${ratio.toFixed(1)} times p50`]),
    ...(flat.isFlat ? [] : [`memory grows by ${(flat.slope / 1024).toFixed(1)} kB a minute`]),
    ...right.wrong,
    ...end.wrong,
  ];
  const notes = [
    `The ${flat.samples} samples of the heap are taken while requests are under way, so they differ among each other; the error is that of the line.`,
    "The application keeps its connections for five minutes (`idleTimeoutMillis`), and gives a backfill two pages at once (`concurrency`), as docs/recipes/pools.md advises where the slowest webhooks matter.",
    "Each hook was told once, and the ledger of usage adds up to what was taken, or the run fails.",
    ...(wrong.length > 0 ? [`Beyond its bound: ${wrong.slice(0, 5).join("; ")}.`] : []),
  ];
  return { rows, notes, wrong };
}

const whole = (value: number): string => Math.round(value).toLocaleString("en");
const round = (value: number): string => String(Math.round(value * 10) / 10);
const mb = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;
const latency = (times: RecordableHistogram): string =>
  [50, 99, 99.9].map((part) => `${(times.percentile(part) / 1000).toFixed(1)} ms`).join(", ");
