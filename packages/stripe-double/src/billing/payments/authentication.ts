/** When a bank wants its customer, where it asks, and what is said if the customer does not answer. */
import type { CardBehaviour, Refusal } from "./cards.js";

/** Whether the customer is asked. `excused` is a card that was set up to be charged without them. */
export function wantsCustomer(behaviour: CardBehaviour, excused: boolean): boolean {
  return (
    behaviour.authentication === "always" || (behaviour.authentication !== undefined && !excused)
  );
}

interface NextAction {
  readonly type: string;
  readonly redirect_to_url?: { return_url: string | null; url: string | null };
  readonly use_stripe_sdk?: { type: string; stripe_js: string };
}

/** Where the customer goes to authenticate. In a test, `dashboard.authenticate` is that place. */
export function nextAction(
  intent: { readonly object: "payment_intent" | "setup_intent"; readonly id: string },
  returnUrl: string | undefined,
): NextAction {
  const url = `https://hooks.stripe.com/3d_secure_2/hosted?${intent.object}=${intent.id}`;
  if (returnUrl !== undefined) {
    return { type: "redirect_to_url", redirect_to_url: { return_url: returnUrl, url } };
  }
  return {
    type: "use_stripe_sdk",
    use_stripe_sdk: { type: "three_d_secure_redirect", stripe_js: url },
  };
}

/** What the customer is told who did not answer their bank, or whom it did not believe. */
export function unauthenticated(intent: "payment_intent" | "setup_intent"): Refusal {
  return {
    code: `${intent}_authentication_failure`,
    message:
      "We are unable to authenticate your payment method. Please choose a different payment method and try again.",
  };
}
