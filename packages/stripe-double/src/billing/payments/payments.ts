/**
 * Collecting the money of a payment intent, for the API as well as for invoices and checkout. A
 * refusal by the bank is an outcome here; only the API's own routes answer it with 402.
 */
import { notModelled } from "../../api/errors.js";
import { given } from "../../resources/common.js";
import type { World } from "../../world/world.js";
import { troubleLater } from "../disputes/trouble.js";
import { nextAction, unauthenticated, wantsCustomer } from "./authentication.js";
import { expireLater } from "./captures.js";
import { type Decline, refusalOf } from "./cards.js";
import { bookCaptured, recordCharge } from "./charges.js";
import { startDebit } from "./debits.js";
import { keepMethod, refuse } from "./outcomes.js";
import {
  checkAccepted,
  checkConfirmable,
  findIntent,
  type PaymentIntent,
  unexpectedState,
  usableMethod,
} from "./payment-intents.js";
import { cardState, type PaymentMethod, setCardState } from "./payment-methods.js";

export { cancelPaymentIntent, capturePaymentIntent } from "./captures.js";
export {
  createPaymentIntent,
  type PaymentIntent,
} from "./payment-intents.js";

export interface ConfirmParams {
  readonly payment_method?: string | undefined;
  /** The customer is not there. A card that was set up for this is charged without them. */
  readonly off_session?: boolean | undefined;
  readonly setup_future_usage?: "off_session" | "on_session" | null | undefined;
  readonly receipt_email?: string | null | undefined;
  readonly return_url?: string | undefined;
  /** Stripe.js shows the bank's page, so the customer is not sent to another one. */
  readonly use_stripe_sdk?: boolean | undefined;
  /**
   * What to do when the bank wants the customer: `wait` for them in `requires_action`, the default
   * and what invoices do, or `fail` as an off-session confirmation by the API does.
   */
  readonly on_authentication?: "wait" | "fail" | undefined;
}

/**
 * Tries to collect the money. The answer's `status` tells how it went: `succeeded`,
 * `requires_capture`, `requires_action`, or `requires_payment_method` after a refusal, which
 * `last_payment_error` explains.
 */
export function confirmPaymentIntent(
  world: World,
  id: string,
  params: ConfirmParams = {},
): PaymentIntent {
  const before = findIntent(world, id);
  checkConfirmable(before);
  const wanted = params.payment_method ?? before.payment_method;
  if (wanted === null) {
    throw unexpectedState(
      "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
      before,
    );
  }
  const method = usableMethod(world, wanted, before.customer);
  checkAccepted(before, method);
  const intent = world.patch("payment_intent", id, {
    payment_method: method.id,
    next_action: null,
    ...given({
      setup_future_usage: params.setup_future_usage,
      receipt_email: params.receipt_email,
    }),
  });
  const { behaviour, setUp, authenticatedFor } = cardState(world, method.id);
  const authenticated = authenticatedFor === id;
  if (!authenticated && wantsCustomer(behaviour, setUp && params.off_session === true)) {
    if (params.on_authentication === "fail")
      return fail(world, intent, method, "authentication_required");
    const waiting = world.patch("payment_intent", id, {
      status: "requires_action",
      next_action: nextAction(intent, params.use_stripe_sdk ? undefined : params.return_url),
    });
    world.raise("payment_intent.requires_action", waiting);
    return waiting;
  }
  return settle(world, intent, method, authenticated);
}

/** What the customer did when asked to authenticate. */
export function authenticatePaymentIntent(
  world: World,
  id: string,
  outcome: "succeed" | "fail",
): PaymentIntent {
  const intent = findIntent(world, id);
  if (intent.status !== "requires_action" || intent.payment_method === null) {
    throw unexpectedState(
      `This PaymentIntent waits for no action: it is ${intent.status}.`,
      intent,
    );
  }
  const method = world.find("payment_method", intent.payment_method);
  if (outcome === "succeed") {
    setCardState(world, method.id, { setUp: true, authenticatedFor: id });
    if (intent.confirmation_method !== "manual") return settle(world, intent, method, true);
    return world.patch("payment_intent", id, {
      next_action: null,
      status: "requires_confirmation",
    });
  }
  return refuse(world, intent, method, unauthenticated("payment_intent"));
}

/** Asks the bank. */
function settle(
  world: World,
  intent: PaymentIntent,
  method: PaymentMethod,
  authenticated: boolean,
): PaymentIntent {
  const { debit, decline } = cardState(world, method.id).behaviour;
  if (debit !== undefined) {
    if (intent.capture_method === "manual") throw notModelled("holding money on a bank account");
    return startDebit(world, intent, method, debit);
  }
  if (decline !== undefined) return fail(world, intent, method, decline, authenticated);
  const charge = recordCharge(world, { intent, method, decline, authenticated });
  world.raise("charge.succeeded", charge);
  keepMethod(world, intent, method);
  const paid = { latest_charge: charge.id, last_payment_error: null, next_action: null };
  if (intent.capture_method === "manual") {
    const held = world.patch("payment_intent", intent.id, {
      ...paid,
      amount_capturable: intent.amount,
      status: "requires_capture",
    });
    world.raise("payment_intent.amount_capturable_updated", held);
    expireLater(world, intent.id);
    return held;
  }
  const done = world.patch("payment_intent", intent.id, {
    ...paid,
    amount_received: intent.amount,
    status: "succeeded",
  });
  world.raise("payment_intent.succeeded", done);
  if (charge.balance_transaction === null) bookLater(world, charge.id);
  troubleLater(world, charge);
  return done;
}

const BOOKED_AFTER = 1_000;

/** An asynchronous capture reaches the balance a moment after the payment succeeded. */
function bookLater(world: World, charge: string): void {
  world.clock.schedule(world.clock.now() + BOOKED_AFTER, () => {
    const booked = bookCaptured(world, world.find("charge", charge));
    world.change("charge", charge, { balance_transaction: booked }, "charge.updated");
  });
}

/** A charge that the bank refused. */
function fail(
  world: World,
  intent: PaymentIntent,
  method: PaymentMethod,
  decline: Decline,
  authenticated = false,
): PaymentIntent {
  const charge = recordCharge(world, { intent, method, decline, authenticated });
  world.raise("charge.failed", charge);
  return refuse(world, intent, method, refusalOf(decline), charge);
}
