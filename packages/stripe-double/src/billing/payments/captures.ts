/** How a payment intent ends other than by a charge: an authorization captured, left to expire, or given up. */
import { invalid } from "../../api/errors.js";
import type { World } from "../../world/world.js";
import { troubleLater } from "../disputes/trouble.js";
import { AUTHORIZATION_LIFE, bookCaptured, type Charge } from "./charges.js";
import { findIntent, type PaymentIntent, unexpectedState } from "./payment-intents.js";
import { recordRefund } from "./refunds.js";

/** Waits for the money to be captured, until the authorization is over. */
export function expireLater(world: World, id: string): void {
  world.clock.schedule(world.clock.now() + AUTHORIZATION_LIFE * 1000, () => expire(world, id));
}

/** Takes the money that an authorization holds, or a part of it, and lets go of the rest. */
export function capturePaymentIntent(
  world: World,
  id: string,
  wanted?: number | undefined,
): PaymentIntent {
  const intent = findIntent(world, id);
  const amount = wanted ?? intent.amount_capturable;
  if (intent.status !== "requires_capture") {
    throw unexpectedState(
      `This PaymentIntent could not be captured because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be captured: requires_capture.`,
      intent,
    );
  }
  if (amount < 1) {
    throw invalid(
      "This value must be greater than or equal to 1.",
      "amount_to_capture",
      "parameter_invalid_integer",
    );
  }
  if (amount > intent.amount_capturable) {
    throw invalid(
      "The amount to capture must not be greater than the amount that can be captured.",
      "amount_to_capture",
      "amount_too_large",
    );
  }
  const before = world.find("charge", intent.latest_charge ?? "");
  // What is not captured is let go, which the charge shows as refunded.
  if (amount < before.amount) {
    const rest = before.amount - amount;
    recordRefund(world, before, { amount: rest, reason: null, metadata: {}, status: "succeeded" });
  }
  const captured = world.patch("charge", before.id, {
    amount_captured: amount,
    balance_transaction: bookCaptured(world, { ...before, amount_captured: amount }),
    captured: true,
  });
  world.raise("charge.captured", captured);
  const done = world.patch("payment_intent", id, {
    amount_capturable: 0,
    amount_received: amount,
    status: "succeeded",
  });
  world.raise("payment_intent.succeeded", done);
  troubleLater(world, captured);
  return done;
}

type CancellationReason = NonNullable<PaymentIntent["cancellation_reason"]>;

/** Gives it up; money that was only held goes back. */
export function cancelPaymentIntent(
  world: World,
  id: string,
  reason?: CancellationReason | undefined,
): PaymentIntent {
  const intent = findIntent(world, id);
  if (intent.status === "succeeded" || intent.status === "canceled") {
    throw unexpectedState(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.`,
      intent,
    );
  }
  if (intent.status === "requires_capture") {
    const before = release(world, intent, null);
    world.raise("charge.refunded", world.find("charge", before.id), before);
  }
  return close(world, id, reason ?? null);
}

/** Nobody captured it in time. */
function expire(world: World, id: string): void {
  const intent = world.find("payment_intent", id);
  if (intent.status !== "requires_capture") return;
  const { id: charge } = release(world, intent, "expired_uncaptured_charge");
  world.raise("charge.expired", world.find("charge", charge));
  close(world, id, "automatic");
}

/** Ends an authorization, which Stripe shows as a refund of all of it; answers the charge before. */
function release(
  world: World,
  intent: PaymentIntent,
  reason: "expired_uncaptured_charge" | null,
): Charge {
  const charge = world.find("charge", intent.latest_charge ?? "");
  recordRefund(world, charge, { amount: charge.amount, reason, metadata: {}, status: "succeeded" });
  return charge;
}

function close(world: World, id: string, reason: CancellationReason | null): PaymentIntent {
  const canceled = world.patch("payment_intent", id, {
    amount_capturable: 0,
    canceled_at: world.now(),
    cancellation_reason: reason,
    next_action: null,
    status: "canceled",
  });
  world.raise("payment_intent.canceled", canceled);
  return canceled;
}
