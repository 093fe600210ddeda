/** Where each named event comes from: whose changes raise it, and what must be mirrored for it. */
import type { ResourceName } from "../catalogue/catalogue.js";
import type { EventName } from "./event.js";

export interface Origin {
  /** The resources of which a change can raise it; none if no change of a row does. */
  readonly raisedBy: readonly ResourceName[];
  /** Without these in the mirror it can never be told: customers lead to the entity. */
  readonly needs: readonly ResourceName[];
}

const ofSubscriptions: Origin = {
  raisedBy: ["subscriptions"],
  needs: ["subscriptions", "customers"],
};
const ofInvoices: Origin = { raisedBy: ["invoices"], needs: ["invoices", "customers"] };

/**
 * An invoice that is paid can move the beginning of a time past due, and so give access back; a
 * customer that is gone has none. A product that moves to another group is not looked at: its entities are told of with their next
 * change.
 */
const ofAccess: Origin = {
  ...ofSubscriptions,
  raisedBy: ["subscriptions", "invoices", "customers"],
};

export const eventOrigins: { readonly [N in EventName]: Origin } = {
  "access.granted": ofAccess,
  /** And the end of a grace period. */
  "access.lost": ofAccess,
  "subscription.started": ofSubscriptions,
  "subscription.ended": ofSubscriptions,
  "subscription.changed": ofSubscriptions,
  "subscription.resized": ofSubscriptions,
  "subscription.canceling": ofSubscriptions,
  "subscription.kept": ofSubscriptions,
  "subscription.past_due": ofSubscriptions,
  "subscription.recovered": ofSubscriptions,
  "subscription.paused": ofSubscriptions,
  "subscription.resumed": ofSubscriptions,
  /** By time: a change of the row moves when it is due. */
  "trial.ending": ofSubscriptions,
  "purchase.paid": {
    raisedBy: ["checkout_sessions"],
    needs: ["checkout_sessions", "customers"],
  },
  /** The page stays complete and unpaid when the bank declines; only its payment tells. */
  "purchase.failed": {
    raisedBy: ["payment_intents"],
    needs: ["payment_intents", "checkout_sessions", "customers"],
  },
  "invoice.paid": ofInvoices,
  "invoice.payment_failed": ofInvoices,
  /** The charge leads to the customer. */
  "refund.created": { raisedBy: ["refunds"], needs: ["refunds", "charges", "customers"] },
  "dispute.opened": { raisedBy: ["disputes"], needs: ["disputes", "charges", "customers"] },
  /** By the link, which no Stripe object has. */
  "customer.linked": { raisedBy: [], needs: ["customers"] },
  "customer.deleted": { raisedBy: ["customers"], needs: ["customers"] },
};

export const eventNames = Object.keys(eventOrigins) as readonly EventName[];
