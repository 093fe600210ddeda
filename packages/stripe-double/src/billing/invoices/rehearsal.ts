/**
 * Payments that must succeed for anything to happen at all (`error_if_incomplete`). Stripe takes
 * everything back if they do not, and only the refused payment stays; so here it is tried first.
 */
import { ApiError } from "../../api/errors.js";
import type { World } from "../../world/world.js";
import { cardState } from "../payments/payment-methods.js";
import { confirmPaymentIntent, createPaymentIntent } from "../payments/payments.js";
import { composeInvoice, type Draft } from "./draft.js";
import { paymentMethodFor } from "./invoices.js";

/** Whether an invoice could not be collected, as things are. */
export function isRefused(world: World, draft: Draft): boolean {
  const invoice = composeInvoice(world, "", draft);
  const method = paymentMethodFor(world, invoice);
  if (invoice.amount_due === 0) return false;
  if (method === undefined) return true;
  const { behaviour, setUp } = cardState(world, method);
  const { authentication: asks } = behaviour;
  return Boolean(behaviour.decline || asks === "always" || (asks === "unless_set_up" && !setUp));
}

/** Answers 402, with the payment it made, if this invoice could not be collected. */
export function rehearsePayment(world: World, draft: Draft): void {
  if (!isRefused(world, draft)) return;
  const invoice = composeInvoice(world, "", draft);
  const { id } = createPaymentIntent(world, {
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: invoice.customer,
  });
  const method = paymentMethodFor(world, invoice);
  const intent =
    method === undefined
      ? world.find("payment_intent", id)
      : confirmPaymentIntent(world, id, { payment_method: method, off_session: true });
  const error = intent.last_payment_error;
  throw new ApiError(402, {
    type: "card_error",
    code: error?.code ?? "subscription_payment_intent_requires_action",
    ...(error?.decline_code === undefined ? {} : { decline_code: error.decline_code }),
    message:
      error?.message ??
      "Payment for this subscription requires additional user action before it can be completed successfully.",
    payment_intent: intent,
  });
}
