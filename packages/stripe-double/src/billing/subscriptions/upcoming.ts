/** The invoice that is to come: like an invoice, but not made yet, and so without an id. */
import type { World } from "../../world/world.js";
import { usable } from "../invoices/discounts.js";
import { composeInvoice, type Invoice } from "../invoices/draft.js";
import { periodLine } from "../invoices/lines.js";
import { cycleEnd } from "../period.js";
import type { Subscription } from "./subscription.js";

export function upcomingInvoice(world: World, subscription: Subscription): Invoice {
  const [first] = subscription.items.data;
  const cycle = first?.price.recurring;
  if (!first || !cycle) throw new Error(`${subscription.id} has no recurring item`);
  const start = first.current_period_end;
  const period = { start, end: cycleEnd(subscription.billing_cycle_anchor, cycle, start) };
  const { id: _, ...upcoming } = composeInvoice(world, "", {
    customer: subscription.customer,
    currency: subscription.currency,
    billing_reason: "subscription_cycle",
    lines: subscription.items.data.map((item) =>
      periodLine(
        world,
        subscription.id,
        { ...item, current_period_start: period.start, current_period_end: period.end },
        false,
      ),
    ),
    period,
    subscription: { id: subscription.id, metadata: subscription.metadata },
    discounts: usable(world, subscription.discounts, start),
  });
  // Stripe's types say that it has an id; what Stripe sends has none.
  return upcoming as Invoice;
}
