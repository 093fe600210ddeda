/** What an attempt to collect leaves behind on its payment method and its intent. */
import { docUrl } from "../../api/errors.js";
import type { World } from "../../world/world.js";
import type { Refusal } from "./cards.js";
import type { Charge } from "./charges.js";
import type { PaymentIntent } from "./payment-intents.js";
import { attachPaymentMethod, type PaymentMethod, setCardState } from "./payment-methods.js";

/** Saves the card for its customer if the intent asks for it; otherwise it has served. */
export function keepMethod(world: World, intent: PaymentIntent, method: PaymentMethod): void {
  if (method.customer !== null) return;
  if (intent.customer !== null && intent.setup_future_usage !== null) {
    attachPaymentMethod(world, method.id, intent.customer);
  } else {
    setCardState(world, method.id, { spent: true });
  }
}

/** The intent lets go of the payment method, and keeps why. */
export function refuse(
  world: World,
  intent: PaymentIntent,
  method: PaymentMethod,
  refusal: Refusal,
  charge?: Charge,
): PaymentIntent {
  const failed = world.patch("payment_intent", intent.id, {
    last_payment_error: {
      ...(charge ? { charge: charge.id } : {}),
      code: refusal.code,
      ...(refusal.decline_code ? { decline_code: refusal.decline_code } : {}),
      doc_url: docUrl(refusal.code),
      message: refusal.message,
      payment_method: method,
      type: charge ? "card_error" : "invalid_request_error",
    },
    ...(charge ? { latest_charge: charge.id } : {}),
    next_action: null,
    payment_method: null,
    status: "requires_payment_method",
  });
  world.raise("payment_intent.payment_failed", failed);
  return failed;
}
