/** What of a subscription's item says its periods, and whether it is billed by usage. Pure. */
import type { StripeObject } from "../catalogue/catalogue.js";
import type { Billed } from "./periods.js";

type Subscription = StripeObject<"subscriptions">;
type Item = Subscription["items"]["data"][number];

export const isMetered = ({ price }: Item): boolean => price.recurring?.usage_type === "metered";

export const billedOf = (
  { billing_cycle_anchor: anchor }: Subscription,
  { price, current_period_start: from, current_period_end: until }: Item,
): Billed => ({
  anchor: anchor * 1000,
  period: { from: from * 1000, until: until * 1000 },
  recurring: price.recurring ?? { interval: "month", interval_count: 1 },
});
