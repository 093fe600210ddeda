/** What Stripe's log says of invoices, purchases, refunds, disputes and customers. */
import type { Logged } from "../log.js";

/** What is told of an event, and of which failures the row of the invoice shows nothing. */
export interface PaymentReading {
  readonly names: readonly string[];
  readonly isUnseen?: boolean;
}

const NOTHING: PaymentReading = { names: [] };

/** Follows one object of these kinds. */
export class PaymentReader {
  private failures = 0;

  read({ type, object }: Logged): PaymentReading {
    switch (type) {
      case "invoice.paid":
        return { names: ["invoice.paid"] };
      case "invoice.payment_failed":
        return this.fail(Number(object.attempt_count));
      case "checkout.session.completed":
        return object.mode === "payment" && object.payment_status !== "unpaid"
          ? { names: ["purchase.paid"] }
          : NOTHING;
      case "checkout.session.async_payment_succeeded":
        return object.mode === "payment" ? { names: ["purchase.paid"] } : NOTHING;
      case "checkout.session.async_payment_failed":
        return object.mode === "payment" ? { names: ["purchase.failed"] } : NOTHING;
      case "refund.created":
        return { names: ["refund.created"] };
      case "charge.dispute.created":
        return { names: ["dispute.opened"] };
      case "customer.deleted":
        return { names: ["customer.deleted"] };
      default:
        return NOTHING;
    }
  }

  /**
   * Of the attempts that people make themselves Stripe counts the first alone (API reference: invoice,
   * `attempt_count`). A further one that fails leaves the invoice as it was.
   */
  private fail(attempts: number): PaymentReading {
    if (attempts <= this.failures) return { names: [], isUnseen: true };
    this.failures = attempts;
    return { names: ["invoice.payment_failed"] };
  }
}
