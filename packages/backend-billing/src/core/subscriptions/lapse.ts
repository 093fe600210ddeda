/**
 * The end of a grace period: a record for each subscription that is past due, which says from when
 * on access is over. Reads go by the record and never by a clock. Pure.
 */
import type { StripeObject } from "../catalogue/catalogue.js";
import { subscriptionOfInvoice } from "../mirror/reads/subscribed.js";
import type { SubscriptionFacts } from "../mirror/store.js";

/** What the record `lapse` of a subscription says. */
export interface Lapse {
  /** `pastDueSince` at the time: a record of an earlier time past due says nothing of this one. */
  readonly since: number;
  readonly over: boolean;
}

type Subscription = StripeObject<"subscriptions">;

/** The second in which the period of a subscription began, the earliest of its items'. */
function periodStart({ items }: Pick<Subscription, "items">): number | undefined {
  const starts = items.data.map((item) => item.current_period_start);
  return starts.length === 0 ? undefined : Math.min(...starts);
}

const OWING: ReadonlySet<string> = new Set(["past_due", "unpaid"]);

/**
 * Milliseconds since when a subscription is past due or unpaid: when its oldest open invoice was
 * finalised. If the mirror has no such invoice, when its period began.
 */
export function pastDueSince(
  { invoices }: Pick<SubscriptionFacts, "invoices">,
  subscription: Pick<Subscription, "id" | "status" | "items">,
): number | null {
  const { id, status } = subscription;
  if (!OWING.has(status)) return null;
  const finalised = invoices
    .filter((invoice) => subscriptionOfInvoice(invoice) === id)
    .map(({ status_transitions, created }) => status_transitions.finalized_at ?? created);
  const since = finalised.length > 0 ? Math.min(...finalised) : periodStart(subscription);
  return since === undefined ? null : since * 1000;
}

/** Whether the grace that began at `since` is over. */
export function isLapsed(
  { lapses }: Pick<SubscriptionFacts, "lapses">,
  subscriptionId: string,
  since: number | null,
): boolean {
  const lapse = lapses.find(({ id }) => id === subscriptionId)?.data as Partial<Lapse> | undefined;
  return lapse?.over === true && lapse.since === since;
}
