/**
 * What happened to a subscription between two contents of its row. Pure, and right for any two of
 * them, whatever was in between: each pair of events is one property of a content that came or went.
 */

import { sold } from "./sold.js";
import { isEnding, isOwing, isPaused, runs, type Seen } from "./standing.js";

export type SubscriptionEvent =
  | "subscription.started"
  | "subscription.ended"
  | "subscription.changed"
  | "subscription.resized"
  | "subscription.canceling"
  | "subscription.kept"
  | "subscription.past_due"
  | "subscription.recovered"
  | "subscription.paused"
  | "subscription.resumed";

/** A property of a subscription that runs, and what is told when it comes and goes. */
interface Property {
  readonly has: (subscription: Seen) => boolean;
  readonly comes: SubscriptionEvent;
  readonly goes: SubscriptionEvent;
}

const PROPERTIES: readonly Property[] = [
  { has: isEnding, comes: "subscription.canceling", goes: "subscription.kept" },
  { has: isOwing, comes: "subscription.past_due", goes: "subscription.recovered" },
  { has: isPaused, comes: "subscription.paused", goes: "subscription.resumed" },
];

/**
 * The events in the order in which they are told: the start, what is sold, then each property. An end
 * is told alone. One that was never seen to run neither starts nor ends: it was not paid for, or
 * nothing looked while it ran.
 */
export function subscriptionEvents(
  before: Seen | null,
  after: Seen | null,
): readonly SubscriptionEvent[] {
  const earlier = before !== null && runs(before) ? before : null;
  if (after === null || !runs(after)) return earlier === null ? [] : ["subscription.ended"];
  const what = earlier === null ? ("subscription.started" as const) : anotherSale(earlier, after);
  return [
    ...(what === null ? [] : [what]),
    ...PROPERTIES.flatMap(({ has, comes, goes }) => {
      const had = earlier !== null && has(earlier);
      return had === has(after) ? [] : [had ? goes : comes];
    }),
  ];
}

/** Another price or product, or else another quantity; null if what is sold is the same, or unknown. */
function anotherSale(
  before: Seen,
  after: Seen,
): "subscription.changed" | "subscription.resized" | null {
  const [was, is] = [sold(before), sold(after)];
  if (was === null || is === null) return null;
  if (was.what !== is.what) return "subscription.changed";
  return was.quantities === is.quantities ? null : "subscription.resized";
}
