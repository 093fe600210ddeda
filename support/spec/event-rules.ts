/** The specification's events, each with the table that it updates: a rule for each of them. */
import type Stripe from "stripe";
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";

interface Group {
  readonly heading: string;
  readonly table: ResourceName;
  readonly events: readonly Stripe.Event.Type[];
}

export const eventGroups = [
  {
    heading: "Subscriptions",
    table: "subscriptions",
    events: [
      "checkout.session.completed",
      "customer.subscription.created",
      "customer.subscription.updated",
      "customer.subscription.deleted",
      "customer.subscription.paused",
      "customer.subscription.resumed",
      "customer.subscription.pending_update_applied",
      "customer.subscription.pending_update_expired",
      "customer.subscription.trial_will_end",
      "invoice.paid",
      "invoice.payment_failed",
      "invoice.payment_action_required",
      "invoice.upcoming",
      "invoice.marked_uncollectible",
      "invoice.payment_succeeded",
      "payment_intent.succeeded",
      "payment_intent.payment_failed",
      "payment_intent.canceled",
    ],
  },
  {
    heading: "Subscriptions",
    table: "customers",
    events: ["customer.created", "customer.deleted"],
  },
  {
    heading: "Products",
    table: "products",
    events: ["product.created", "product.updated", "product.deleted"],
  },
  {
    heading: "Prices",
    table: "prices",
    events: ["price.created", "price.updated", "price.deleted"],
  },
  {
    heading: "Coupons",
    table: "coupons",
    events: ["coupon.created", "coupon.updated", "coupon.deleted"],
  },
  {
    heading: "Promotion codes",
    table: "promotion_codes",
    events: ["promotion_code.created", "promotion_code.updated"],
  },
  {
    heading: "Payouts",
    table: "payouts",
    events: [
      "payout.canceled",
      "payout.created",
      "payout.failed",
      "payout.paid",
      "payout.updated",
      "payout.reconciliation_completed",
    ],
  },
  {
    heading: "Refunds",
    table: "refunds",
    events: ["refund.created", "refund.updated", "refund.failed"],
  },
] as const satisfies readonly Group[];

export type SpecEvent = (typeof eventGroups)[number]["events"][number];

export const specEvents: readonly SpecEvent[] = eventGroups.flatMap(({ events }) => [...events]);

export const eventRules = eventGroups.flatMap(({ events, table }) =>
  events.map((event) => ({
    id: `6#${event}` as const,
    text: `\`${event}\` updates the ${table.replace("_", " ")} table`,
  })),
);

export function tableOf(event: SpecEvent): ResourceName {
  const group = eventGroups.find(({ events }: Group) => events.includes(event));
  if (group === undefined) throw new Error(`The specification does not list ${event}`);
  return group.table;
}
