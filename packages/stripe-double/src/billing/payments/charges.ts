/** Charges: one for each time that a payment intent asks a bank for money. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import { stream, token } from "../../world/random.js";
import type { World } from "../../world/world.js";
import { bookCharge } from "../balance/balance.js";
import { type CardBehaviour, type Decline, refusalOf } from "./cards.js";
import { cardState, type PaymentMethod } from "./payment-methods.js";

export type Charge = Plain<Stripe.Charge>;
type CardDetails = NonNullable<NonNullable<Charge["payment_method_details"]>["card"]>;

export interface ChargeAttempt {
  readonly intent: Plain<Stripe.PaymentIntent>;
  readonly method: PaymentMethod;
  /** Why the bank refuses; undefined when it does not. */
  readonly decline: Decline | undefined;
  readonly authenticated: boolean;
  /** The bank has not answered yet. */
  readonly pending?: boolean;
}

/** How long an authorization holds before the money has to be captured. */
export const AUTHORIZATION_LIFE = 7 * 86_400;

/** Makes the charge of an attempt and answers it. The events are the caller's. */
export function recordCharge(world: World, attempt: ChargeAttempt): Charge {
  const { intent, method, decline, pending = false } = attempt;
  const id = world.id(method.type === "card" ? "ch" : "py");
  const paid = decline === undefined && !pending;
  const captured = decline === undefined && intent.capture_method !== "manual";
  const refusal = decline && refusalOf(decline);
  const charge: Charge = {
    id,
    object: "charge",
    amount: intent.amount,
    amount_captured: captured ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: intent.statement_descriptor?.toUpperCase() ?? "STRIPE DOUBLE",
    captured,
    created: world.ownNow(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: refusal?.code ?? null,
    failure_message: refusal?.message ?? null,
    fraud_details: {},
    livemode: world.livemode,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: outcome(decline, cardState(world, method.id).behaviour.risk),
    paid,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: method.us_bank_account
      ? bankDebited(method.us_bank_account)
      : { card: cardDetails(world, id, attempt), type: "card" },
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: paid ? `https://pay.stripe.com/receipts/payment/${token(40, id)}` : null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: pending ? "pending" : paid ? "succeeded" : "failed",
    transfer_data: null,
    transfer_group: null,
  };
  // An asynchronous capture is booked a moment later, which the API then shows.
  const isBooked = captured && !pending && intent.capture_method === "automatic";
  return world.objects.charge.add(
    isBooked ? { ...charge, balance_transaction: bookCaptured(world, charge) } : charge,
  );
}

/** Brings the money of a captured charge to the balance; answers the balance transaction. */
export function bookCaptured(world: World, charge: Charge): string {
  const { bypassesPending = false } = cardState(world, charge.payment_method ?? "").behaviour;
  const isCard = charge.payment_method_details?.type === "card";
  return bookCharge(
    world,
    { ...charge, amount: charge.amount_captured },
    { isCard, bypassesPending },
  );
}

/** What a charge shows of the bank account that it debits. */
function bankDebited(
  bank: NonNullable<PaymentMethod["us_bank_account"]>,
): Charge["payment_method_details"] {
  const { account_holder_type, account_type, bank_name, fingerprint, last4 } = bank;
  return {
    type: "us_bank_account",
    us_bank_account: {
      account_holder_type,
      account_type,
      bank_name,
      fingerprint,
      last4,
      payment_reference: null,
      routing_number: bank.routing_number,
    },
  };
}

function outcome(decline: Decline | undefined, risk: CardBehaviour["risk"]): Charge["outcome"] {
  const silent = { advice_code: null, network_advice_code: null, network_decline_code: null };
  if (decline === undefined) {
    return {
      ...silent,
      network_status: "approved_by_network",
      reason: null,
      risk_level: risk ?? "normal",
      seller_message: "Payment complete.",
      type: "authorized",
    };
  }
  if (risk === "highest") {
    return {
      ...silent,
      network_status: "not_sent_to_network",
      reason: "highest_risk_level",
      risk_level: risk,
      seller_message: "Stripe blocked this payment as too risky.",
      type: "blocked",
    };
  }
  return {
    ...silent,
    network_status: "declined_by_network",
    reason: decline,
    risk_level: "normal",
    seller_message:
      decline === "generic_decline"
        ? "The bank did not return any further details with this decline."
        : `The bank returned the decline code \`${decline}\`.`,
    type: "issuer_declined",
  };
}

function cardDetails(world: World, id: string, attempt: ChargeAttempt): CardDetails {
  const { intent, method, decline, authenticated } = attempt;
  const { card } = method;
  const held = decline === undefined && intent.capture_method === "manual";
  const paid = decline === undefined;
  return {
    amount_authorized: paid ? intent.amount : null,
    authorization_code: paid ? digits(6, id, "authorization") : null,
    brand: card?.brand ?? null,
    ...(held ? { capture_before: world.now() + AUTHORIZATION_LIFE } : {}),
    checks: {
      address_line1_check: null,
      address_postal_code_check: null,
      cvc_check: decline === "incorrect_cvc" ? "fail" : "pass",
    },
    country: card?.country ?? null,
    electronic_commerce_indicator: null,
    exp_month: card?.exp_month ?? 0,
    exp_year: card?.exp_year ?? 0,
    extended_authorization: { status: "disabled" },
    fingerprint: card?.fingerprint ?? null,
    funding: card?.funding ?? null,
    incremental_authorization: { status: "unavailable" },
    installments: null,
    last4: card?.last4 ?? null,
    mandate: null,
    multicapture: { status: "unavailable" },
    network: card?.brand ?? null,
    network_token: { used: false },
    network_transaction_id: paid ? digits(15, id, "network") : null,
    overcapture: { maximum_amount_capturable: intent.amount, status: "unavailable" },
    regulated_status: "unregulated",
    three_d_secure: authenticated
      ? {
          authentication_flow: "challenge",
          electronic_commerce_indicator: "05",
          exemption_indicator: null,
          result: "authenticated",
          result_reason: null,
          transaction_id: token(36, id, "three_d_secure").toLowerCase(),
          version: "2.2.0",
        }
      : null,
    transaction_link_id: null,
    wallet: null,
  };
}

function digits(length: number, ...words: string[]): string {
  const next = stream(...words);
  return Array.from({ length }, () => Math.floor(next() * 10)).join("");
}
