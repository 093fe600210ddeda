/**
 * Refunds: what they take from a charge, and how they go on by themselves. A refund to a card
 * succeeds at once and gets the bank's reference a moment later; to some cards it stays pending
 * for a while, or fails after it had succeeded.
 */
import type Stripe from "stripe";
import { type ApiError, invalid, missing, notModelled, refused } from "../../api/errors.js";
import { mergeMetadata, referenced } from "../../resources/common.js";
import type { Plain } from "../../world/plain.js";
import { stream } from "../../world/random.js";
import { same } from "../../world/same.js";
import type { World } from "../../world/world.js";
import { book } from "../balance/balance.js";
import { endInquiries, isChargedBack } from "../disputes/disputes.js";
import { endWarnings } from "../disputes/fraud-warnings.js";
import { money } from "../money.js";
import type { Charge } from "./charges.js";
import { cardState } from "./payment-methods.js";

export type Refund = Plain<Stripe.Refund>;
export type RefundFailure =
  | "charge_for_pending_refund_disputed"
  | "declined"
  | "expired_or_canceled_card"
  | "insufficient_funds"
  | "lost_or_stolen_card"
  | "merchant_request"
  | "unknown";

export interface RefundParams {
  readonly charge?: string | undefined;
  readonly payment_intent?: string | undefined;
  /** All that is left when absent. */
  readonly amount?: number | undefined;
  readonly reason?: "duplicate" | "fraudulent" | "requested_by_customer" | undefined;
  readonly metadata?: { readonly [key: string]: string } | null | undefined;
  /**
   * Not a parameter of Stripe's: makes a refund as slow payment methods have it, which stays so
   * until `settleRefund`, `failRefund` or, while it requires action, a cancellation.
   */
  readonly status?: "pending" | "requires_action" | undefined;
}

const REFERENCE_AFTER = 10_000;
const SETTLED_AFTER = 60_000;

/** Refunds a charge, in part or whole. */
export function createRefund(world: World, params: RefundParams): Refund {
  const charge = chargeToRefund(world, params);
  if (charge.payment_method_details?.type === "us_bank_account") {
    throw notModelled("refunds to bank accounts");
  }
  if (isChargedBack(world, charge.id)) {
    throw refused(
      `Charge ${charge.id} has been charged back; cannot issue a refund.`,
      undefined,
      "charge_disputed",
    );
  }
  // What was not captured counts as refunded.
  const left = charge.amount - charge.amount_refunded;
  if (left <= 0) {
    throw refused(
      `Charge ${charge.id} has already been refunded.`,
      undefined,
      "charge_already_refunded",
    );
  }
  const amount = params.amount ?? left;
  if (amount < 1) {
    throw invalid(
      "This value must be greater than or equal to 1.",
      "amount",
      "parameter_invalid_integer",
    );
  }
  if (amount > left) {
    const [wanted, there] = [money(amount, charge.currency), money(left, charge.currency)];
    throw refused(
      `Refund amount (${wanted}) is greater than unrefunded amount on charge (${there})`,
      "amount",
    );
  }
  const { behaviour } = cardState(world, charge.payment_method ?? "");
  const slow = params.status === undefined && behaviour.refund === "pending";
  const refund = recordRefund(world, charge, {
    amount,
    reason: params.reason ?? null,
    metadata: mergeMetadata({}, params.metadata ?? {}),
    status: params.status ?? (slow ? "pending" : "succeeded"),
  });
  const after = world.find("charge", charge.id);
  world.raise("charge.refunded", after, charge);
  if (after.refunded) {
    endInquiries(world, charge.id);
    endWarnings(world, charge.id);
  }
  if (params.status === undefined) goOn(world, refund, slow ? "settles" : behaviour.refund);
  return refund;
}

/** Takes the amount from the charge and raises `refund.created`; the charge's event is the caller's. */
export function recordRefund(
  world: World,
  charge: Charge,
  fields: Pick<Refund, "amount" | "reason" | "metadata" | "status">,
): Refund {
  const pending = fields.status === "pending";
  const refunded = charge.amount_refunded + fields.amount;
  world.patch("charge", charge.id, {
    amount_refunded: refunded,
    refunded: refunded >= charge.amount,
  });
  const id = world.id("re");
  const refund: Refund = {
    id,
    object: "refund",
    // Nothing was booked for a charge that was never captured.
    balance_transaction: charge.captured
      ? move(world, "refund", { id, amount: fields.amount, currency: charge.currency })
      : null,
    charge: charge.id,
    created: world.now(),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: {
      card: charge.captured
        ? {
            reference_status: "pending",
            reference_type: "acquirer_reference_number",
            type: pending ? "pending" : "refund",
          }
        : { type: "reversal" },
      type: "card",
    },
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    ...(pending ? { pending_reason: "processing" } : {}),
    receipt_number: null,
    source_transfer_reversal: null,
    transfer_reversal: null,
    ...fields,
  };
  world.objects.refund.add(refund);
  world.raise("refund.created", refund);
  return refund;
}

/** Writes down that its money leaves the balance, or comes back to it. */
function move(
  world: World,
  kind: "refund" | "refund_failure",
  { id, amount, currency }: Pick<Refund, "id" | "amount" | "currency">,
): string {
  return book(world, {
    kind,
    amount: kind === "refund" ? -amount : amount,
    currency,
    source: id,
    description: kind === "refund" ? "REFUND FOR CHARGE" : "REFUND FAILURE",
  }).id;
}

function chargeToRefund(world: World, params: RefundParams): Charge {
  if (params.charge === undefined && params.payment_intent === undefined) {
    throw invalid(
      "One of the following params should be provided for this request: payment_intent or charge.",
    );
  }
  if (params.charge !== undefined && params.payment_intent !== undefined) {
    throw invalid(
      "You may only specify one of these parameters: charge, payment_intent.",
      "charge",
    );
  }
  const charge =
    params.charge === undefined
      ? latestCharge(world, params.payment_intent ?? "")
      : world.objects.charge.get(params.charge);
  // Stripe answers as if the path had named the charge.
  if (charge === undefined) throw missing("charge", params.charge ?? "");
  if (charge.status === "failed") throw nothingToRefund(charge.payment_intent ?? "");
  if (!charge.captured) {
    throw refused(
      `This uncaptured Charge was created by a PaymentIntent (${charge.payment_intent}). You must cancel the PaymentIntent to reverse the authorization instead of refunding the Charge directly. For more information, see https://stripe.com/docs/payments/place-a-hold-on-a-payment-method`,
    );
  }
  return charge;
}

function latestCharge(world: World, id: string): Charge {
  const intent = referenced(world, "payment_intent", id, "payment_intent");
  if (intent.latest_charge === null) throw nothingToRefund(id);
  return world.find("charge", intent.latest_charge);
}

function nothingToRefund(intent: string): ApiError {
  return refused(`This PaymentIntent (${intent}) does not have a successful charge to refund.`);
}

/** What happens to a refund without anybody's doing. */
function goOn(
  world: World,
  refund: Refund,
  course: "settles" | "pending" | "fails" | undefined,
): void {
  const after = (wait: number, act: () => void) =>
    world.clock.schedule(world.clock.now() + wait, () => {
      const { status } = world.find("refund", refund.id);
      if (status === refund.status) act();
    });
  if (course === "settles") after(SETTLED_AFTER, () => settleRefund(world, refund.id));
  else after(REFERENCE_AFTER, () => settleRefund(world, refund.id));
  if (course === "fails")
    after(SETTLED_AFTER, () => failRefund(world, refund.id, "expired_or_canceled_card"));
}

/** The bank has it: a pending refund succeeds, and the reference of any refund becomes known. */
export function settleRefund(world: World, id: string): Refund {
  const before = world.find("refund", id);
  if (before.status === "failed" || before.status === "canceled") {
    throw refused(`Refund ${id} is ${before.status} and cannot succeed any more.`);
  }
  const { pending_reason: _, next_action: __, ...rest } = before;
  return changeRefund(world, before, {
    ...rest,
    status: "succeeded",
    destination_details: {
      card: {
        reference: digits(id),
        reference_status: "available",
        reference_type: "acquirer_reference_number",
        type: "refund",
      },
      type: "card",
    },
  });
}

/** The bank sends the money back, also of a refund that had succeeded. */
export function failRefund(world: World, id: string, reason: RefundFailure = "unknown"): Refund {
  const before = world.find("refund", id);
  if (before.status === "failed" || before.status === "canceled") {
    throw refused(`Refund ${id} is ${before.status} already and cannot fail.`);
  }
  giveBack(world, before);
  const { pending_reason: _, next_action: __, ...rest } = before;
  const after: Refund = {
    ...rest,
    status: "failed",
    failure_balance_transaction: move(world, "refund_failure", before),
    failure_reason: reason,
  };
  world.objects.refund.replace(after);
  world.raise("refund.failed", after);
  world.raise("refund.updated", after, before);
  world.raise("charge.refund.updated", after, before);
  return after;
}

export function cancelRefund(world: World, id: string): Refund {
  const before = world.find("refund", id, "refund");
  if (before.status !== "requires_action") throw refused("Canceling this refund is unsupported.");
  giveBack(world, before);
  const { next_action: _, ...rest } = before;
  return changeRefund(world, before, { ...rest, status: "canceled" });
}

/** Every change of a refund raises two events, the second of which is the older one. */
export function changeRefund(world: World, before: Refund, after: Refund): Refund {
  if (same(before, after)) return before;
  world.objects.refund.replace(after);
  world.raise("refund.updated", after, before);
  world.raise("charge.refund.updated", after, before);
  return after;
}

/** The charge counts the amount as not refunded again. No event of the charge is known for this. */
function giveBack(world: World, refund: Refund): void {
  const charge = world.find("charge", refund.charge ?? "");
  const amount = charge.amount_refunded - refund.amount;
  world.patch("charge", charge.id, { amount_refunded: amount, refunded: false });
}

function digits(id: string): string {
  const next = stream("acquirer_reference_number", id);
  return Array.from({ length: 23 }, () => Math.floor(next() * 10)).join("");
}
