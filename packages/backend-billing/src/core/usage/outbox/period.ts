/** The period of a subscription that usage of a moment is billed with. Pure. */
import type { StripeObject } from "../../catalogue/catalogue.js";
import { billedOf, isMetered } from "../billed.js";
import { type Period, periodAt } from "../periods.js";

export type Subscription = StripeObject<"subscriptions">;

/** Around a moment: what lies between is billed together, if at all. */
export interface BilledSpan extends Period {
  /** Milliseconds: when it is billed; null where no subscription covers the moment. */
  readonly closesAt: number | null;
}

const ALWAYS: BilledSpan = {
  from: Number.MIN_SAFE_INTEGER,
  until: Number.MAX_SAFE_INTEGER,
  closesAt: null,
};

/** The narrowest span by all that an entity has or had; what is billed by usage counts alone, if anything is. */
export function billedSpan(subscriptions: readonly Subscription[], at: number): BilledSpan {
  const items = subscriptions.flatMap((whole) =>
    whole.items.data.map((item) => ({ whole, item, isMetered: isMetered(item) })),
  );
  const metered = items.filter((each) => each.isMetered);
  const spans = (metered.length > 0 ? metered : items).map(({ whole, item }) =>
    spanOf(whole, item, at),
  );
  return spans.reduce(narrower, ALWAYS);
}

const narrower = (a: BilledSpan, b: BilledSpan): BilledSpan => ({
  from: Math.max(a.from, b.from),
  until: Math.min(a.until, b.until),
  closesAt:
    a.closesAt === null || b.closesAt === null
      ? (a.closesAt ?? b.closesAt)
      : Math.min(a.closesAt, b.closesAt),
});

type Item = Subscription["items"]["data"][number];

function spanOf(whole: Subscription, item: Item, at: number): BilledSpan {
  const { start_date, ended_at } = whole;
  const begins = start_date * 1000;
  const ends = ended_at === null ? Number.MAX_SAFE_INTEGER : ended_at * 1000;
  if (at < begins) return { ...ALWAYS, until: begins };
  if (at >= ends) return { ...ALWAYS, from: ends };
  const period = periodAt(billedOf(whole, item), at);
  const until = Math.min(period.until, ends);
  return { from: Math.max(period.from, begins), until, closesAt: until };
}
