/**
 * Completing a checkout, as the hosted page and tests do it: the customer enters a card and their
 * details; what they bought comes to be; the session is complete. A refused card leaves it open,
 * and the next attempt goes on where the last one stopped.
 */
import type Stripe from "stripe";
import { ApiError } from "../../api/errors.js";
import { createCustomer } from "../../resources/customers.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { discountsFrom } from "../invoices/discounts.js";
import { settle } from "../invoices/totals.js";
import { unauthenticated } from "../payments/authentication.js";
import { bankByMethod } from "../payments/bank-accounts.js";
import {
  billingDetails,
  cardState,
  createCard,
  resolvePaymentMethod,
  setCardState,
} from "../payments/payment-methods.js";
import { authenticatePaymentIntent, type PaymentIntent } from "../payments/payments.js";
import { authenticateSetupIntent, type SetupIntent } from "../setup/setup-intents.js";
import { priced, sourceOf } from "./discounts.js";
import { invoicePayment } from "./invoice.js";
import {
  payForSubscription,
  payOnce,
  saveCard,
  settleSubscription,
  startFree,
} from "./purchase.js";
import {
  attemptOf,
  type CheckoutSession,
  completed,
  noteAttempt,
  purposeOf,
  type Terms,
  type Totals,
} from "./session.js";

export interface CardEntry {
  /** Or the id of a test bank account, such as `pm_usBankAccount_success`. */
  readonly number: string;
  readonly exp_month?: number | undefined;
  readonly exp_year?: number | undefined;
  readonly cvc?: string | undefined;
}

/** What the customer enters. The card is left out only when none is asked for. */
export interface Entered {
  readonly card?: CardEntry | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly phone?: string | undefined;
  readonly address?: Plain<Stripe.Address> | undefined;
  /** The code as the customer types it, not its id. */
  readonly promotion_code?: string | undefined;
}

export interface CheckoutOutcome {
  /**
   * `paid` also when nothing was due or a card was saved; `processing` while a bank that was asked for
   * a debit has not answered. `invalid` is what a form says before it asks a bank, `closed` is for a
   * session that was completed or has expired before.
   */
  readonly outcome: "paid" | "processing" | "declined" | "requires_action" | "invalid" | "closed";
  readonly message?: string;
}

const wrong = (message: string): CheckoutOutcome => ({ outcome: "invalid", message });

/** Whether the session asks for a card when so much is due now. */
export function needsCard(session: CheckoutSession, due: number): boolean {
  const always = session.mode === "subscription" && session.payment_method_collection === "always";
  return due > 0 || always || session.mode === "setup";
}

/** What it costs with this promotion code, or why the code does not work. */
export function previewCheckout(
  world: World,
  id: string,
  code: string | undefined,
): Totals | string {
  const price = priceOrReason(world, world.find("checkout.session", id), code);
  return typeof price === "string" ? price : price.totals;
}

function priceOrReason(world: World, session: CheckoutSession, code: string | undefined) {
  try {
    return priced(world, session, code);
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

/** Tries to complete an open session. One that is not open stays as it is. */
export function completeCheckout(world: World, id: string, entered: Entered): CheckoutOutcome {
  const session = world.find("checkout.session", id);
  if (session.status !== "open") return closed(session);
  const code = entered.promotion_code;
  const price = priceOrReason(world, session, code);
  if (typeof price === "string") return wrong(price);
  const email = session.customer_details?.email ?? entered.email ?? attemptOf(world, id).email;
  if (email === undefined) return wrong("An email address is required.");
  const asked = needsCard(session, price.totals.amount_total ?? 0);
  if (asked && entered.card === undefined) return wrong("A card is required.");
  const isDebit = bankByMethod(entered.card?.number ?? "") !== undefined;
  const unpayable = asked ? unpayableBy(session, isDebit) : undefined;
  if (unpayable !== undefined) return wrong(unpayable);
  const details = detailsOf(email, entered);
  try {
    const make = isDebit ? makeBankAccount : makeCard;
    const card = asked && entered.card ? make(world, entered.card, details) : undefined;
    return attempt(world, session, { ...price, code, details, card });
  } catch (error) {
    // The card could not even be saved, so no charge was tried; or the double does not know it.
    if (error instanceof ApiError) {
      return { outcome: error.status === 402 ? "declined" : "invalid", message: error.message };
    }
    throw error;
  }
}

/** Why the double cannot pay it so; undefined if it can. */
function unpayableBy(session: CheckoutSession, isDebit: boolean): string | undefined {
  const { mode, payment_method_types: types, invoice_creation: invoice } = session;
  if (!isDebit) {
    if (types.includes("card")) return undefined;
    return "This session takes no cards, and the double pays with cards and bank accounts only.";
  }
  if (!types.includes("us_bank_account")) {
    return "This session takes no bank accounts: make it with `us_bank_account` among its payment method types.";
  }
  const isOnce = mode === "payment" && !invoice?.enabled;
  return isOnce
    ? undefined
    : "The double pays one-time purchases without an invoice by debit, only.";
}

function attempt(world: World, session: CheckoutSession, terms: Terms): CheckoutOutcome {
  const { id, mode } = session;
  const { card } = terms;
  const amount = terms.totals.amount_total ?? 0;
  const subscribes = mode === "subscription";
  // Other terms make another subscription; that of the earlier attempt lapses by itself.
  const same = attemptOf(world, id).terms?.code === terms.code;
  noteAttempt(world, id, same ? { terms } : { terms, subscription: undefined });
  if (card !== undefined && (subscribes ? dueFor(world, session, amount) : amount) > 0) {
    if (!subscribes) {
      const customer =
        session.customer_creation === "always" || session.invoice_creation?.enabled
          ? customerOf(world, session, terms)
          : session.customer;
      return concluded(world, id, payOnce(world, session, { customer, card, amount }));
    }
    return concluded(
      world,
      id,
      payForSubscription(world, id, customerOf(world, session, terms), card),
    );
  }
  if (mode === "setup" && card !== undefined) {
    const knows = session.customer !== null || session.customer_creation === "always";
    const customer = knows ? customerOf(world, session, terms) : null;
    return saved(world, id, saveCard(world, session, customer, card));
  }
  const state = card === undefined ? undefined : cardState(world, card);
  if (state?.behaviour.authentication && !state.setUp) return { outcome: "requires_action" };
  return free(world, session, terms);
}

/** What the first invoice asks for, with what the customer owes or is owed. */
function dueFor(world: World, { customer, currency }: CheckoutSession, amount: number): number {
  const balance = world.objects.customer.get(customer ?? "")?.balance ?? 0;
  return settle(amount, balance, currency ?? "usd").due;
}

/** Nothing is due now. */
function free(world: World, session: CheckoutSession, terms: Terms): CheckoutOutcome {
  const customer = customerOf(world, session, terms);
  if (session.mode === "subscription") startFree(world, session.id, customer, terms.card);
  return conclude(world, session.id, "no_payment_required");
}

/** What the customer told their bank, once it asked. */
export function authenticateCheckout(
  world: World,
  id: string,
  result: "succeed" | "fail",
): CheckoutOutcome {
  const session = world.find("checkout.session", id);
  if (session.status !== "open") return closed(session);
  const { payment_intent: intent, terms } = attemptOf(world, id);
  if (intent !== undefined && world.find("payment_intent", intent).status === "requires_action") {
    return concluded(world, id, authenticatePaymentIntent(world, intent, result));
  }
  const setup = world.objects.setup_intent.get(session.setup_intent ?? "");
  if (setup?.status === "requires_action") {
    return saved(world, id, authenticateSetupIntent(world, setup.id, result));
  }
  if (terms?.card === undefined || setup) return wrong("There is nothing to confirm.");
  if (result === "fail")
    return { outcome: "declined", message: unauthenticated("setup_intent").message };
  setCardState(world, terms.card, { setUp: true });
  return free(world, session, terms);
}

/** What follows from how the payment went. */
function concluded(world: World, id: string, intent: PaymentIntent): CheckoutOutcome {
  if (intent.status === "requires_action") return { outcome: "requires_action" };
  if (intent.status === "processing") return conclude(world, id, "unpaid");
  if (intent.status !== "succeeded") {
    return {
      outcome: "declined",
      message: intent.last_payment_error?.message ?? "Your card was declined.",
    };
  }
  const { subscription } = attemptOf(world, id);
  if (subscription !== undefined) settleSubscription(world, subscription, intent.payment_method);
  return conclude(world, id, "paid");
}

/** What follows from how the bank took the card that is to be saved. */
function saved(world: World, id: string, intent: SetupIntent): CheckoutOutcome {
  if (intent.status === "requires_action") return { outcome: "requires_action" };
  if (intent.status === "succeeded") return conclude(world, id, "no_payment_required");
  return {
    outcome: "declined",
    message: intent.last_setup_error?.message ?? "Your card was declined.",
  };
}

function conclude(
  world: World,
  id: string,
  payment_status: "paid" | "unpaid" | "no_payment_required",
): CheckoutOutcome {
  const session = world.find("checkout.session", id);
  const { customer, subscription, terms } = attemptOf(world, id);
  const discount = terms?.discount;
  if (terms !== undefined) world.hidden.set(id, { line_items: terms.items });
  const bought = world.objects.subscription.get(subscription ?? "");
  const owner = customer ?? session.customer;
  const discounts =
    discount && bought === undefined
      ? discountsFrom(world, [sourceOf(discount)], { checkout_session: id, customer: owner })
      : [];
  const billed =
    session.invoice_creation?.enabled && owner !== null
      ? invoicePayment(world, session, { customer: owner, discounts }).id
      : null;
  completed(world, id, {
    ...terms?.totals,
    automatic_tax: {
      ...session.automatic_tax,
      status: session.automatic_tax.enabled ? "complete" : null,
    },
    collected_information: { business_name: null, individual_name: null, shipping_details: null },
    customer: customer ?? session.customer,
    customer_details: terms?.details ?? session.customer_details,
    discounts: discount ? [discount] : [],
    consent: consentOf(session),
    invoice: bought?.latest_invoice ?? billed,
    payment_status,
    subscription: bought?.id ?? null,
  });
  return { outcome: payment_status === "unpaid" ? "processing" : "paid" };
}

/** Who pays has agreed to what they had to agree to. */
function consentOf({ consent_collection: asked }: CheckoutSession): CheckoutSession["consent"] {
  if (asked === null) return null;
  const agreed = asked.terms_of_service === "required";
  return { promotions: null, terms_of_service: agreed ? "accepted" : null };
}

function closed({ status }: CheckoutSession): CheckoutOutcome {
  const message = `This Checkout Session is ${status === "complete" ? "complete" : "expired"}.`;
  return { outcome: "closed", message };
}

function makeCard(
  world: World,
  { number, exp_month, exp_year }: CardEntry,
  details: Terms["details"],
): string {
  const { address, email, name, phone } = details;
  return createCard(world, {
    number,
    exp_month,
    exp_year,
    allow_redisplay: "limited",
    billing_details: { address: address ?? undefined, email, name, phone },
  }).id;
}

function makeBankAccount(world: World, { number }: CardEntry, details: Terms["details"]): string {
  const { id, billing_details: before } = resolvePaymentMethod(world, number);
  const { address, email, name, phone } = details;
  const entered = { address: address ?? undefined, email, name, phone };
  return world.patch("payment_method", id, { billing_details: billingDetails(entered, before) }).id;
}

function detailsOf(email: string, { address, name, phone }: Entered): Terms["details"] {
  return {
    // The country is that of the double's cards; a checkout page always knows it.
    address: address ?? {
      city: null,
      country: "US",
      line1: null,
      line2: null,
      postal_code: null,
      state: null,
    },
    business_name: null,
    email,
    individual_name: null,
    name: name ?? null,
    phone: phone ?? null,
    tax_exempt: "none",
    tax_ids: [],
  };
}

/** The session's customer, made if there is none, with what the session may tell of it. */
function customerOf(world: World, session: CheckoutSession, { details }: Terms): string {
  const { address, email, name, phone } = details;
  const known = session.customer ?? attemptOf(world, session.id).customer;
  if (known === undefined) {
    const { id } = createCustomer(world, { address: address ?? undefined, email, name, phone });
    noteAttempt(world, session.id, { customer: id });
    return id;
  }
  const customer = world.find("customer", known, "customer");
  const { saves } = purposeOf(world, session.id);
  world.change(
    "customer",
    customer.id,
    {
      email: customer.email ?? email,
      ...(saves.name && name ? { name } : {}),
      ...(saves.address && address ? { address } : {}),
    },
    "customer.updated",
  );
  return customer.id;
}
