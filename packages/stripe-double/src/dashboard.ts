/**
 * What happens at Stripe without an API request of the application: what people do in the
 * dashboard and what banks decide. It acts on the account's test mode.
 */
import type Stripe from "stripe";
import { DoubleError } from "./api/errors.js";
import {
  authenticateCheckout,
  type CheckoutOutcome,
  completeCheckout,
} from "./billing/checkout/checkout.js";
import { sessionOfIntent } from "./billing/checkout/session.js";
import { createDispute, type DisputeOptions, decideDispute } from "./billing/disputes/disputes.js";
import { type FraudType, warnOfFraud } from "./billing/disputes/fraud-warnings.js";
import { authenticatePaymentIntent } from "./billing/payments/payments.js";
import { failRefund, type RefundFailure, settleRefund } from "./billing/payments/refunds.js";
import { planOf } from "./billing/plan.js";
import { completeFlow, type PortalEntered } from "./billing/portal-flow.js";
import { applyRetentionPolicy } from "./billing/retention.js";
import { authenticateSetupIntent } from "./billing/setup/setup-intents.js";
import { tellInvoice } from "./billing/subscriptions/dunning.js";
import { inTimeOf } from "./billing/test-clocks.js";
import {
  createAutomaticPayout,
  failPayout,
  type PayoutFailure,
} from "./resources/payments/payouts.js";
import { saveDefaultPortalConfiguration } from "./resources/portal/portal.js";
import { portalSessionId } from "./resources/portal/sessions.js";
import { rollSecret } from "./resources/webhook-endpoints.js";
import type { Duration } from "./world/clock.js";
import type { Plain } from "./world/plain.js";
import type { World } from "./world/world.js";

/** What a person does in Stripe's dashboard, or on its pages. */
export interface Dashboard {
  /**
   * Pays an open checkout session without a browser; a card that is declined leaves it open. The id of
   * a test bank account in the place of the card's number, such as `pm_usBankAccount_success`, completes
   * it at once, and the bank answers a while later. Takes
   * the session's id or the address of its page, as links answer it. Throws, with the reason, if
   * there is no such session or what was entered cannot be sent. `promotionCode` is what the customer
   * types, on a session with `allow_promotion_codes`.
   */
  payCheckout(
    session: string,
    options?: {
      readonly card?: string;
      readonly email?: string;
      readonly promotionCode?: string;
    },
  ): Exclude<CheckoutOutcome["outcome"], "invalid">;
  /**
   * The customer answers their bank, or not, about what waits for it: a payment intent, a setup
   * intent, or a checkout session, by its id or the address of its page. Throws if nothing waits.
   */
  authenticate(payment: string, outcome: "succeed" | "fail"): void;
  /**
   * Does what a portal session with `flow_data` was made for, without a browser: confirms the change
   * that it proposes, cancels, chooses a plan or puts another card on file. Takes the session's id or
   * the address of its page; answers where the browser is led. Throws, with the reason, if it cannot.
   */
  completePortal(session: string, options?: PortalEntered): string;
  /** Deletes a price that nothing uses, which only the dashboard can do. */
  deletePrice(id: string): void;
  /** Pays out to the bank as Stripe does by schedule. */
  payOut(amount: number, currency: string): Plain<Stripe.Payout>;
  /** The bank sends a payout back. */
  failPayout(id: string, code?: PayoutFailure): void;
  /** The bank refuses a refund, or takes a pending one. */
  failRefund(id: string, reason?: RefundFailure): void;
  /** A refund that was pending succeeds. */
  settleRefund(id: string): void;
  /**
   * The bank disputes a payment, or a part of it, for its customer. Takes the id of a charge or of a
   * payment intent.
   */
  dispute(payment: string, options?: DisputeOptions): Plain<Stripe.Dispute>;
  /** The bank decides a dispute; an inquiry is over with either outcome. */
  decideDispute(id: string, outcome: "won" | "lost"): void;
  /** The bank reports a payment as fraud. Takes the id of a charge or of a payment intent. */
  warnOfFraud(payment: string, type?: FraudType): Plain<Stripe.Radar.EarlyFraudWarning>;
  /**
   * Does what Stripe does with old subscriptions of test mode by itself: those that are 90 days old
   * are canceled, and those that were canceled so 30 days ago are gone for good, with their invoices.
   */
  applyRetentionPolicy(): void;
  /** Gives an endpoint a new signing secret; the old one works on for a while. Answers the new one. */
  rollWebhookSecret(endpoint: string, options?: { readonly keepOldFor?: Duration }): string;
  /** Saves the portal's settings, without which portal sessions need a configuration of their own. */
  savePortalSettings(features?: Parameters<typeof saveDefaultPortalConfiguration>[1]): string;
}

/** From an id, or from the address of the session's page. */
export function sessionIdOf(session: string): string {
  if (!URL.canParse(session)) return session;
  const id = /\/c\/pay\/(cs_\w+)$/.exec(new URL(session).pathname)?.[1];
  if (id !== undefined) return id;
  throw new DoubleError(
    `${session} is not the address of a checkout page: pass a session's id, or the \`url\` of a checkout link.`,
  );
}

/** The charge that this is the id of, or the last one of a payment intent. */
function chargeOf(world: World, payment: string) {
  const intent = world.objects.payment_intent.get(payment);
  return world.find("charge", intent?.latest_charge ?? payment);
}

function portalIdOf(session: string): string {
  if (!URL.canParse(session)) return session;
  const token = /\/p\/session\/(\w+)$/.exec(new URL(session).pathname)?.[1];
  if (token !== undefined) return portalSessionId(token);
  throw new DoubleError(`${session} is not the address of a portal session.`);
}

export function createDashboard(world: World): Dashboard {
  return {
    payCheckout(session, { card = "4242424242424242", email, promotionCode } = {}) {
      const id = sessionIdOf(session);
      const { allow_promotion_codes: takesCodes, status } = world.find("checkout.session", id);
      if (promotionCode !== undefined && status === "open" && !takesCodes) {
        throw new DoubleError(
          `The checkout session ${id} asks for no promotion code: make it with \`allow_promotion_codes\`.`,
        );
      }
      const entered = { card: { number: card }, email, promotion_code: promotionCode };
      const { outcome, message } = inTimeOf(world, [id], () =>
        completeCheckout(world, id, entered),
      );
      if (outcome !== "invalid") return outcome;
      throw new DoubleError(`The checkout session ${id} cannot be paid: ${message}`);
    },
    authenticate(payment, outcome) {
      const paidBy = sessionOfIntent(world, payment);
      if (payment.startsWith("pi_") && paidBy === undefined) {
        inTimeOf(world, [payment], () =>
          tellInvoice(world, authenticatePaymentIntent(world, payment, outcome)),
        );
        return;
      }
      if (payment.startsWith("seti_") && paidBy === undefined) {
        authenticateSetupIntent(world, payment, outcome);
        return;
      }
      const id = paidBy ?? sessionIdOf(payment);
      const result = inTimeOf(world, [id], () => authenticateCheckout(world, id, outcome));
      if (result.outcome !== "invalid" && result.outcome !== "closed") return;
      throw new DoubleError(`The checkout session ${id} waits for no bank: ${result.message}`);
    },
    completePortal(session, entered = {}) {
      const id = portalIdOf(session);
      const done = completeFlow(world, id, entered);
      if ("leads" in done) return done.leads;
      throw new DoubleError(`The portal session ${id} cannot be completed: ${done.message}`);
    },
    deletePrice(id) {
      const price = world.find("price", id);
      world.objects.price.remove(id);
      if (price.recurring) world.raise("plan.deleted", planOf(price));
      world.raise("price.deleted", price);
    },
    payOut: (amount, currency) => createAutomaticPayout(world, amount, currency),
    failPayout: (id, code) => {
      failPayout(world, id, code);
    },
    failRefund: (id, reason) => {
      failRefund(world, id, reason);
    },
    settleRefund: (id) => {
      settleRefund(world, id);
    },
    dispute: (payment, options) => createDispute(world, chargeOf(world, payment), options),
    decideDispute: (id, outcome) => {
      decideDispute(world, id, outcome);
    },
    warnOfFraud: (payment, type) => warnOfFraud(world, chargeOf(world, payment), type),
    applyRetentionPolicy: () => applyRetentionPolicy(world),
    rollWebhookSecret: (endpoint, options) => rollSecret(world, endpoint, options),
    savePortalSettings: (features) => saveDefaultPortalConfiguration(world, features).id,
  };
}
