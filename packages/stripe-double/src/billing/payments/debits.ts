/** Debits of bank accounts: whether the bank pays is known only a while after it was asked. */
import type { World } from "../../world/world.js";
import { later } from "../later.js";
import { type Debit, debitRefusal } from "./bank-accounts.js";
import { bookCaptured, recordCharge } from "./charges.js";
import { keepMethod, refuse } from "./outcomes.js";
import type { PaymentIntent } from "./payment-intents.js";
import type { PaymentMethod } from "./payment-methods.js";

/** Seconds until the bank has answered; in test mode Stripe does not wait for days either. */
const ANSWERED_AFTER = 10;

/** Asks the bank. The intent is `processing` until it has answered. */
export function startDebit(
  world: World,
  intent: PaymentIntent,
  method: PaymentMethod,
  debit: Debit,
): PaymentIntent {
  const attempt = { intent, method, decline: undefined, authenticated: false, pending: true };
  const charge = recordCharge(world, attempt);
  world.raise("charge.pending", charge);
  keepMethod(world, intent, method);
  const waiting = world.patch("payment_intent", intent.id, {
    last_payment_error: null,
    latest_charge: charge.id,
    next_action: null,
    status: "processing",
  });
  world.raise("payment_intent.processing", waiting);
  if (debit !== "stays") later(world, ANSWERED_AFTER, () => finishDebit(world, intent.id, debit));
  return waiting;
}

function finishDebit(world: World, id: string, debit: Exclude<Debit, "stays">): void {
  const intent = world.find("payment_intent", id);
  if (intent.status !== "processing") return;
  const charge = world.find("charge", intent.latest_charge ?? "");
  if (debit === "succeeds") {
    const paid = world.patch("charge", charge.id, {
      balance_transaction: bookCaptured(world, charge),
      paid: true,
      status: "succeeded",
    });
    world.raise("charge.succeeded", paid);
    const done = { amount_received: intent.amount, status: "succeeded" } as const;
    world.raise("payment_intent.succeeded", world.patch("payment_intent", id, done));
  } else {
    const refusal = debitRefusal(debit);
    const failed = world.patch("charge", charge.id, {
      amount_captured: 0,
      captured: false,
      failure_code: refusal.code,
      failure_message: refusal.message,
      status: "failed",
    });
    world.raise("charge.failed", failed);
    refuse(
      world,
      intent,
      world.find("payment_method", charge.payment_method ?? ""),
      refusal,
      failed,
    );
  }
  world.due.intent(id);
}
