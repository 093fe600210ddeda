/** The parts of the answers to calls that change a subscription. */
import type Stripe from "stripe";
import { idOf, isWhole, type Part } from "../../events/answers.js";
import { plain } from "../../mirror/snapshot.js";

/** Asks for all that {@link partsOfSubscription} can store. */
export const WITH_PARTS = { expand: ["latest_invoice", "schedule"] };

/** A subscription as it is mirrored, and the invoice and the schedule that came with it. */
export function partsOfSubscription(answer: Stripe.Subscription): readonly Part[] {
  const { latest_invoice: invoice, schedule } = answer;
  return [
    {
      resource: "subscriptions",
      content: plain({ ...answer, latest_invoice: idOf(invoice), schedule: idOf(schedule) }),
    },
    ...(isWhole(invoice) ? partsOfInvoice(invoice) : []),
    ...(isWhole(schedule) ? partsOfSchedule(schedule) : []),
  ];
}

/** An invoice as it is mirrored: without the payments, which it has only where they were asked for. */
export function partsOfInvoice({ payments: _, ...invoice }: Stripe.Invoice): readonly Part[] {
  return [{ resource: "invoices", content: plain(invoice) }];
}

export function partsOfSchedule(schedule: Stripe.SubscriptionSchedule): readonly Part[] {
  return [{ resource: "subscription_schedules", content: plain(schedule) }];
}
