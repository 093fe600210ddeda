/**
 * Which named events follow from the change of one row. Pure: two contents between which nothing
 * looked are one change, so that nothing expects to be told of every step.
 */
import type { ResourceName } from "../catalogue/catalogue.js";
import type { PurchaseFacts } from "../mirror/store.js";
import type { EventName } from "./event.js";
import {
  disputeEvents,
  intentEvents,
  invoiceEvents,
  refundEvents,
  sessionEvents,
} from "./payments.js";
import { subscriptionEvents } from "./subscription.js";

/** The names that follow from a row alone: not by time, by a link, or by all that an entity has. */
export type NamedEvent = Exclude<
  EventName,
  "access.granted" | "access.lost" | "trial.ending" | "customer.linked"
>;

/** What is known at the delivery beside the row. */
export interface ChangeFacts {
  /** Of a payment intent: the purchase whose page it pays. */
  readonly purchase?: PurchaseFacts | null | undefined;
  /**
   * Of an invoice: whether a bank has not answered yet to a payment of it. Otherwise a debit counts
   * as failed as soon as the bank is asked.
   */
  readonly isProcessing?: boolean | undefined;
}

/**
 * The named events of a change, in the order in which they are told. The content before is null if
 * the row is new, the one after if it is gone.
 */
export function namedEvents(
  resource: ResourceName,
  before: object | null,
  after: object | null,
  facts: ChangeFacts = {},
): readonly NamedEvent[] {
  switch (resource) {
    case "subscriptions":
      return subscriptionEvents(before, after);
    case "invoices":
      return invoiceEvents(before, after, facts);
    case "checkout_sessions":
      return sessionEvents(before, after);
    case "payment_intents":
      return intentEvents(before, after, facts.purchase ?? null);
    case "refunds":
      return refundEvents(before, after);
    case "disputes":
      return disputeEvents(before, after);
    case "customers":
      return before !== null && after === null ? ["customer.deleted"] : [];
    default:
      return [];
  }
}
