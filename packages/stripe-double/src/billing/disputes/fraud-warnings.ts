/** Early fraud warnings: a bank reports a payment as fraud, before or without a dispute. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import type { Charge } from "../payments/charges.js";

type EarlyFraudWarning = Plain<Stripe.Radar.EarlyFraudWarning>;
export type FraudType =
  | "card_never_received"
  | "fraudulent_card_application"
  | "made_with_counterfeit_card"
  | "made_with_lost_card"
  | "made_with_stolen_card"
  | "misc"
  | "unauthorized_use_of_card";

export function warnOfFraud(
  world: World,
  charge: Charge,
  fraud_type: FraudType = "misc",
): EarlyFraudWarning {
  const warning = world.objects["radar.early_fraud_warning"].add({
    id: world.id("issfr"),
    object: "radar.early_fraud_warning",
    actionable: !charge.refunded && !charge.disputed,
    charge: charge.id,
    created: world.now(),
    fraud_type,
    livemode: world.livemode,
    ...(charge.payment_intent === null ? {} : { payment_intent: charge.payment_intent }),
  });
  world.raise("radar.early_fraud_warning.created", warning);
  return warning;
}

/** Nothing can be done any more once the payment was refunded whole, or disputed. */
export function endWarnings(world: World, charge: string): void {
  const kind = "radar.early_fraud_warning";
  for (const { id } of world.objects[kind].where("charge", charge)) {
    world.change(kind, id, { actionable: false }, "radar.early_fraud_warning.updated");
  }
}
