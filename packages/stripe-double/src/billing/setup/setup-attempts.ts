/** Setup attempts: one for each time that a bank is asked to save a card. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import { token } from "../../world/random.js";
import type { World } from "../../world/world.js";
import type { PaymentMethod } from "../payments/payment-methods.js";

type SetupIntent = Plain<Stripe.SetupIntent>;
type SetupAttempt = Plain<Stripe.SetupAttempt>;
type Outcome = "requires_action" | "failed" | "succeeded";

/** Keeps how an attempt went; one that waited for the customer ends with the outcome. */
export function recordAttempt(
  world: World,
  intent: SetupIntent,
  method: PaymentMethod,
  outcome: { readonly status: Outcome; readonly error?: SetupAttempt["setup_error"] },
): string {
  const waiting = world.objects.setup_attempt.get(intent.latest_attempt ?? "");
  const error = outcome.error ?? null;
  if (waiting?.status === "requires_action" && waiting.payment_method === method.id) {
    const authenticated = outcome.status === "succeeded";
    const change = { status: outcome.status, setup_error: error };
    return world.patch("setup_attempt", waiting.id, {
      ...change,
      payment_method_details: detailsOf(method, authenticated ? waiting.id : undefined),
    }).id;
  }
  const id = world.id("setatt");
  return world.objects.setup_attempt.add({
    id,
    object: "setup_attempt",
    application: null,
    created: world.now(),
    customer: intent.customer,
    customer_account: null,
    flow_directions: null,
    livemode: world.livemode,
    on_behalf_of: intent.on_behalf_of,
    payment_method: method.id,
    payment_method_details: detailsOf(method, undefined),
    setup_error: error,
    setup_intent: intent.id,
    status: outcome.status,
    usage: intent.usage,
  }).id;
}

function detailsOf(
  { card, type }: PaymentMethod,
  authenticatedBy: string | undefined,
): SetupAttempt["payment_method_details"] {
  if (card === undefined) return { type };
  return {
    card: {
      brand: card.brand,
      checks: {
        address_line1_check: null,
        address_postal_code_check: null,
        cvc_check: "pass",
      },
      country: card.country,
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      fingerprint: card.fingerprint ?? null,
      funding: card.funding,
      last4: card.last4,
      network: card.brand,
      three_d_secure:
        authenticatedBy === undefined
          ? null
          : {
              authentication_flow: "challenge",
              electronic_commerce_indicator: "05",
              result: "authenticated",
              result_reason: null,
              transaction_id: token(36, authenticatedBy, "three_d_secure").toLowerCase(),
              version: "2.2.0",
            },
      wallet: null,
    },
    type: "card",
  };
}
