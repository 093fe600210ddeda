/** Numbers from repeated measurements, and the bars that they are held against. Pure. */

/** One thing measured several times, for each subject, side by side. */
export interface Series {
  readonly title: string;
  readonly unit: string;
  /** For each subject, the value of each repetition. */
  readonly values: { readonly [subject: string]: readonly number[] };
}

export interface Figure {
  readonly id: string;
  readonly text: string;
  readonly value: number;
  /** Of the repetitions. */
  readonly lowest: number;
  readonly highest: number;
  readonly bar: number;
  /** What was reached where the bar was not: less than that is a step back. */
  readonly reached?: number;
  /** Whether the value must not be below the bar, or not above it. */
  readonly direction: "at least" | "at most";
  /** What was otherwise than the bar says, as in the quick form. */
  readonly note?: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

type Bar = Pick<Figure, "id" | "text" | "bar" | "reached" | "direction">;

/** The bars, in the order in which they are shown. */
export const BARS = {
  webhooks32: {
    text: "webhook events/s through the Fetch handler, 32 callers, against bare verify + prepared upsert",
    bar: 1,
    reached: 0.9,
    direction: "at least",
  },
  webhooks32Peer: {
    text: "the same against `@stripe/sync-engine`",
    bar: 4,
    direction: "at least",
  },
  webhooks1: {
    text: "webhook events/s, 1 caller, against bare",
    bar: 0.7,
    reached: 0.34,
    direction: "at least",
  },
  subscriptions: {
    text: "subscription events/s with 100,000 subscriptions stored, against customer events",
    bar: 0.7,
    direction: "at least",
  },
  backfill: {
    text: "backfill objects/s, no latency, against bare 8-segment paging + batched upsert",
    bar: 0.7,
    direction: "at least",
  },
  backfillSlow: {
    text: "backfill objects/s, 100 ms a request, limiter off, same concurrency, against bare",
    bar: 0.9,
    direction: "at least",
  },
  backfillSlowPeer: {
    text: "the same against `@stripe/sync-engine`",
    bar: 5,
    direction: "at least",
  },
  usualWebhooks1: {
    text: "customer events/s, 1 caller, with the default resources mirrored, against the specification's eight alone",
    bar: 0.95,
    direction: "at least",
  },
  usualWebhooks32: {
    text: "the same with 32 callers",
    bar: 0.95,
    direction: "at least",
  },
  usualSubscriptions: {
    text: "the same of subscription events, 32 callers",
    bar: 0.95,
    direction: "at least",
  },
  usualBackfill: {
    text: "the same of a backfill's objects/s, no latency, to the end of the lists of the eight",
    bar: 0.95,
    direction: "at least",
  },
  usualBackfillSlow: {
    text: "the same at 100 ms a request",
    bar: 0.95,
    direction: "at least",
  },
  toldCustomers1: {
    text: "customer events/s, 1 caller, while a handler is told of each in the same process, against no handler",
    bar: 0.75,
    reached: 0.5,
    direction: "at least",
  },
  toldCustomers32: {
    text: "the same with 32 callers",
    bar: 0.75,
    reached: 0.5,
    direction: "at least",
  },
  toldSubscriptions1: {
    text: "the same of subscription events, 1 caller",
    bar: 0.75,
    reached: 0.5,
    direction: "at least",
  },
  toldSubscriptions32: {
    text: "the same with 32 callers",
    bar: 0.75,
    reached: 0.5,
    direction: "at least",
  },
  gate: {
    text: "the speed of `store.can`, at the median, against a prepared select of the subscription by the customer's id",
    bar: 0.8,
    direction: "at least",
  },
  usage1: {
    text: "`store.consume`, 1 caller, against a prepared statement with a unique insert and a conditional update",
    bar: 0.6,
    direction: "at least",
  },
  usage8: { text: "the same with 8 callers", bar: 0.6, direction: "at least" },
  usage32: { text: "the same with 32 callers", bar: 0.6, direction: "at least" },
  usageHot: {
    text: "the same where all 32 take from one balance",
    bar: 0.6,
    direction: "at least",
  },
  growth: {
    text: "cost per event at 10 million rows against 10 thousand",
    bar: 1.3,
    direction: "at most",
  },
  setupTrips: {
    text: "database round trips of `setup` on a known entity",
    bar: 1,
    direction: "at most",
  },
  linkRequests: {
    text: "requests of a first link for a new entity; 2 before anything was guarded",
    bar: 3,
    direction: "at most",
  },
  linkTrips: {
    text: "database round trips of the same; 7 before",
    bar: 8,
    direction: "at most",
  },
  knownLinkTrips: {
    text: "database round trips of a first link for an entity that has its customer; 2 before",
    bar: 3,
    direction: "at most",
  },
  convexMutations: {
    text: "Convex: mutations of a webhook event",
    bar: 1,
    direction: "at most",
  },
} as const satisfies { readonly [id: string]: Omit<Bar, "id"> };

export type BarId = keyof typeof BARS;

/** The median of repetitions, and between what they lie. */
export type Summary = Pick<Figure, "value" | "lowest" | "highest">;

export const summaryOf = (values: readonly number[]): Summary => ({
  value: median(values),
  lowest: Math.min(...values),
  highest: Math.max(...values),
});

/** A summary as text: `0.91 (0.77 to 1.33)`. */
export function summaryText({ value, lowest, highest }: Summary): string {
  const spread = lowest === highest ? "" : ` (${lowest.toFixed(2)} to ${highest.toFixed(2)})`;
  return `${value.toFixed(2)}${spread}`;
}

export function figure(id: BarId, values: readonly number[], note?: string): Figure {
  return { ...(note === undefined ? {} : { note }), id, ...BARS[id], ...summaryOf(values) };
}

/** How two subjects compare, repetition by repetition, so that what slowed both cancels out. */
export function ratios({ values }: Series, subject: string, against: string): number[] {
  const other = values[against] ?? [];
  return (values[subject] ?? []).flatMap((value, index) => {
    const beside = other[index];
    return beside === undefined ? [] : [value / beside];
  });
}

/** How much worse than it should be CI lets a figure be: the machine is shared. */
const SLACK = 0.7;

/** `met`; `missed`; or `failed` when it is 30% off its bar, or off what was reached of it before. */
export function verdict({ value, bar, reached = bar, direction }: Figure): Verdict {
  const share = (of: number) => (direction === "at least" ? value / of : of / value);
  if (share(bar) >= 1) return "met";
  return share(reached) >= SLACK ? "missed" : "failed";
}

export type Verdict = "met" | "missed" | "failed";
