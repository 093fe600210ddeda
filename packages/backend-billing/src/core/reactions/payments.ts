/**
 * What happened to invoices, pages of checkout, payments, refunds and disputes between two contents
 * of a row. Pure. Rows may hold what an older version of Stripe's API showed.
 */
import type { StripeObject } from "../catalogue/catalogue.js";
import type { PurchaseFacts } from "../mirror/store.js";
import { purchaseFrom } from "../purchases/purchase.js";

type Invoice = Partial<StripeObject<"invoices">>;
type Session = Partial<StripeObject<"checkout_sessions">>;
type Intent = Partial<StripeObject<"payment_intents">>;

/**
 * Paid, by whatever means; or an attempt more, and not paid. What the row cannot tell: a failure that
 * another one or a payment follows before anything looks; a person's own further attempts, which
 * Stripe does not count; and that a bank declines a debit. Stripe counts that attempt when the bank is
 * asked, and the answer changes nothing in the row: the subscription that goes past due tells it.
 */
export function invoiceEvents(
  before: Invoice | null,
  after: Invoice | null,
  { isProcessing = false }: { readonly isProcessing?: boolean | undefined },
): readonly ("invoice.paid" | "invoice.payment_failed")[] {
  if (after === null) return [];
  if (after.status === "paid") return before?.status === "paid" ? [] : ["invoice.paid"];
  const isOwed = after.status === "open" || after.status === "uncollectible";
  const isTriedAgain = (after.attempt_count ?? 0) > (before?.attempt_count ?? 0);
  return isOwed && isTriedAgain && !isProcessing ? ["invoice.payment_failed"] : [];
}

/** Seconds between which Stripe finalises an invoice and makes the payment that collects it. */
const MADE_WITHIN = 60;

/**
 * Whether one of these payments, to which a bank has not answered yet, collects the invoice. Neither
 * names the other: it is the one for what is left to pay, made when the invoice was finalised.
 */
export function isCollectedBy(invoice: Invoice | null, processing: readonly Intent[]): boolean {
  const { amount_remaining: amount, currency, status_transitions: transitions } = invoice ?? {};
  const at = transitions?.finalized_at;
  if (typeof at !== "number") return false;
  return processing.some(
    (intent) =>
      intent.amount === amount &&
      intent.currency === currency &&
      Math.abs((intent.created ?? 0) - at) <= MADE_WITHIN,
  );
}

/** A page for a one-time purchase is paid, or was complete without anything to pay. */
export function sessionEvents(
  before: Session | null,
  after: Session | null,
): readonly "purchase.paid"[] {
  return isPaid(after) && !isPaid(before) ? ["purchase.paid"] : [];
}

const isPaid = (session: Session | null): boolean =>
  session?.mode === "payment" &&
  session.status === "complete" &&
  (session.payment_status === "paid" || session.payment_status === "no_payment_required");

/**
 * A bank declined what a one-time purchase was to be paid with after its page was complete. The page
 * itself shows nothing of it. A card that is declined on an open page is no failure: the person may
 * take another one. Of several changes that are told late, the one of the charge that failed counts.
 */
export function intentEvents(
  before: Intent | null,
  after: Intent | null,
  purchase: PurchaseFacts | null,
): readonly "purchase.failed"[] {
  const failed = failureOf(after);
  if (failed === null || failed === failureOf(before)) return [];
  if (purchase?.session.mode !== "payment" || failureOf(purchase.intent) !== failed) return [];
  return purchaseFrom(purchase).state === "failed" ? ["purchase.failed"] : [];
}

/** The charge with which a payment has failed; null if it has not. */
function failureOf(intent: Intent | null): string | null {
  if (intent === null) return null;
  const { status, last_payment_error: error, latest_charge: charge } = intent;
  const isDeclinedNow = status === "requires_payment_method" && error != null;
  return isDeclinedNow || status === "canceled" ? (charge ?? error?.charge ?? "") : null;
}

const UNDONE: ReadonlySet<string> = new Set(["failed", "canceled"]);

/** Seen for the first time, whatever became of it, unless nothing did. */
export function refundEvents(
  before: object | null,
  after: Partial<StripeObject<"refunds">> | null,
): readonly "refund.created"[] {
  const isNew = before === null && after !== null;
  return isNew && !UNDONE.has(after.status ?? "") ? ["refund.created"] : [];
}

/** The merchant keeps the money. */
const HARMLESS: ReadonlySet<string> = new Set(["won", "warning_closed", "prevented"]);

/** Seen for the first time, as an inquiry too, unless it is over and nothing was lost. */
export function disputeEvents(
  before: object | null,
  after: Partial<StripeObject<"disputes">> | null,
): readonly "dispute.opened"[] {
  const isNew = before === null && after !== null;
  return isNew && !HARMLESS.has(after.status ?? "") ? ["dispute.opened"] : [];
}
