/** The next renewal: what it makes of a subscription, and the invoice that it will have. */
import type { World } from "../../world/world.js";
import { usable } from "../invoices/discounts.js";
import { composeInvoice, type Draft, type Invoice } from "../invoices/draft.js";
import type { InvoiceItem } from "../invoices/invoice-items.js";
import type { SubscriptionItem } from "./items.js";
import { periodEnd, renewedItems, type Subscription } from "./subscription.js";
import { draftFor } from "./subscriptions.js";

/** What the next renewal changes, and the items that it bills. */
export function renewal(
  world: World,
  before: Subscription,
): {
  readonly change: Pick<Subscription, "status" | "items" | "discounts">;
  readonly due: readonly SubscriptionItem[];
} {
  const { items, due } = renewedItems(before);
  return {
    change: {
      status: before.status === "trialing" ? "active" : before.status,
      items: { ...before.items, data: items },
      discounts: usable(world, before.discounts, periodEnd(before)),
    },
    due,
  };
}

/** The invoice of the next renewal, with what is to be billed beside what waits for it. */
export function upcomingDraft(
  world: World,
  subscription: Subscription,
  more: readonly InvoiceItem[] = [],
): Draft {
  const { change, due } = renewal(world, subscription);
  const next = { ...subscription, ...change };
  return draftFor(world, next, "subscription_cycle", { items: due, more });
}

/** Like an invoice, but not made yet, and so without an id. */
export function upcomingInvoice(world: World, subscription: Subscription): Invoice {
  const { id: _, ...upcoming } = composeInvoice(world, "", upcomingDraft(world, subscription));
  // Stripe's types say that it has an id; what Stripe sends has none.
  return upcoming as Invoice;
}
