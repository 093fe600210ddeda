/**
 * The life of a card, or of a bank account: made, attached to a customer, detached. Stripe's well-known ids work
 * everywhere a payment method does: each use of one makes a fresh payment method, as at Stripe.
 */
import type Stripe from "stripe";
import { ApiError, notModelled, refused } from "../../api/errors.js";
import { group, text } from "../../api/params.js";
import { addressShape, given, mergeMetadata, referenced } from "../../resources/common.js";
import type { Plain } from "../../world/plain.js";
import { token } from "../../world/random.js";
import type { World } from "../../world/world.js";
import { bankByMethod, bankDetails } from "./bank-accounts.js";
import {
  type CardBehaviour,
  cardByMethod,
  cardByNumber,
  passesLuhn,
  type Refusal,
  refusalOf,
  type TestCard,
} from "./cards.js";

export type PaymentMethod = Plain<Stripe.PaymentMethod>;

/** What is known of a card and never shown. */
interface CardState {
  readonly behaviour: CardBehaviour;
  /** It was authenticated for off-session payments. */
  readonly setUp: boolean;
  /** The payment intent that its customer authenticated last. */
  readonly authenticatedFor?: string;
  /** It was used without a customer, or detached from one, and cannot be used again. */
  readonly spent: boolean;
}

// Not in `world.hidden`, which a reader can expand.
const states = new WeakMap<World, Map<string, CardState>>();

function statesOf(world: World): Map<string, CardState> {
  const known = states.get(world) ?? new Map<string, CardState>();
  states.set(world, known);
  return known;
}

export function cardState(world: World, id: string): CardState {
  return statesOf(world).get(id) ?? { behaviour: {}, setUp: false, spent: false };
}

export function setCardState(world: World, id: string, change: Partial<CardState>): void {
  statesOf(world).set(id, { ...cardState(world, id), ...change });
}

export const billingShape = group({ address: addressShape, email: text, name: text, phone: text });
type Billing = ReturnType<typeof billingShape.parse>;

const NOWHERE = {
  city: null,
  country: null,
  line1: null,
  line2: null,
  postal_code: null,
  state: null,
};

/** Billing details with every field there; what was not given stays as it was. */
export function billingDetails(
  change: Billing | undefined,
  before?: PaymentMethod["billing_details"],
): PaymentMethod["billing_details"] {
  const { address: place, ...rest } = change ?? { address: undefined };
  return {
    email: null,
    name: null,
    phone: null,
    tax_id: null,
    ...before,
    ...given(rest),
    address: place === null ? NOWHERE : { ...NOWHERE, ...before?.address, ...given(place ?? {}) },
  };
}

export interface CardParams {
  /** One of Stripe's test numbers; the card's looks and behaviour follow from it. */
  readonly number?: string;
  readonly exp_month?: number | undefined;
  readonly exp_year?: number | undefined;
  readonly billing_details?: Billing | undefined;
  readonly metadata?: { readonly [key: string]: string } | null | undefined;
  readonly allow_redisplay?: "always" | "limited" | "unspecified" | undefined;
  /** Instead of what the number does. */
  readonly behaviour?: CardBehaviour;
}

/** A new card without a customer. Stripe raises no event for it. */
export function createCard(world: World, params: CardParams = {}): PaymentMethod {
  const card = testCard(params.number ?? "4242424242424242");
  const today = new Date(world.clock.now());
  const method: PaymentMethod = {
    id: world.id("pm"),
    object: "payment_method",
    allow_redisplay: params.allow_redisplay ?? "unspecified",
    billing_details: billingDetails(params.billing_details),
    card: {
      brand: card.brand,
      checks: {
        address_line1_check: null,
        address_postal_code_check: null,
        cvc_check: "unchecked",
      },
      country: card.country,
      display_brand: card.brand === "amex" ? "american_express" : card.brand,
      exp_month: params.exp_month ?? today.getUTCMonth() + 1,
      exp_year: params.exp_year ?? today.getUTCFullYear() + 1,
      fingerprint: token(16, world.account, card.number),
      funding: card.funding,
      generated_from: null,
      last4: card.number.slice(-4),
      networks: { available: [card.brand], preferred: null },
      regulated_status: "unregulated",
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: world.now(),
    customer: null,
    customer_account: null,
    livemode: world.livemode,
    metadata: mergeMetadata({}, params.metadata ?? {}),
    type: "card",
  };
  world.objects.payment_method.add(method);
  const behaviour = params.behaviour ?? card.behaviour;
  setCardState(world, method.id, { behaviour, setUp: behaviour.setUp ?? false });
  return method;
}

/** A new bank account without a customer, verified already. Stripe raises no event for it. */
function createBankAccount(
  world: World,
  bank: NonNullable<ReturnType<typeof bankByMethod>>,
): PaymentMethod {
  const method: PaymentMethod = {
    id: world.id("pm"),
    object: "payment_method",
    allow_redisplay: "unspecified",
    billing_details: billingDetails({ address: undefined, ...HOLDER }),
    created: world.now(),
    customer: null,
    customer_account: null,
    livemode: world.livemode,
    metadata: {},
    type: "us_bank_account",
    us_bank_account: bankDetails(world, bank),
  };
  world.objects.payment_method.add(method);
  setCardState(world, method.id, { behaviour: { debit: bank.debit } });
  return method;
}

/** Bank accounts always name their holder. */
const HOLDER = { email: null, name: "Jenny Rosen", phone: null };

/** How what an id for tests stands for behaves; undefined for an id of a payment method. */
export function testBehaviour(id: string): CardBehaviour | undefined {
  const bank = bankByMethod(id);
  return bank === undefined ? cardByMethod(id)?.behaviour : { debit: bank.debit };
}

function testCard(number: string): TestCard {
  const digits = number.replaceAll(/[\s-]/g, "");
  const card = cardByNumber(digits);
  if (card !== undefined) return card;
  if (!passesLuhn(digits)) {
    throw cardError({ code: "incorrect_number", message: "Your card number is incorrect." });
  }
  throw notModelled(`the card number that ends in ${digits.slice(-4)}`);
}

/** 402: a bank said no. */
export function cardError(
  refusal: Refusal,
  involved: {
    readonly charge?: string;
    readonly payment_intent?: object;
    readonly payment_method?: object;
    readonly setup_intent?: object;
  } = {},
): ApiError {
  return new ApiError(402, { type: "card_error", ...refusal, ...involved });
}

/** The payment method that a parameter names, made on the spot for a well-known id. */
export function resolvePaymentMethod(
  world: World,
  id: string,
  param = "payment_method",
): PaymentMethod {
  const bank = bankByMethod(id);
  if (bank !== undefined) return createBankAccount(world, bank);
  const card = cardByMethod(id);
  return card === undefined
    ? referenced(world, "payment_method", id, param)
    : createCard(world, { number: card.number });
}

/** Refuses what could not be attached to a customer, before anything is changed. */
export function checkAttachable(world: World, id: string, param = "payment_method"): void {
  const known = testBehaviour(id);
  if (known === undefined) {
    const method = referenced(world, "payment_method", id, param);
    if (method.customer !== null) {
      throw refused("The payment method you provided has already been attached to a customer.");
    }
  }
  const { behaviour, spent } = known ? { behaviour: known, spent: false } : cardState(world, id);
  if (spent) throw spentError();
  if (behaviour.decline !== undefined && !behaviour.attaches)
    throw cardError(refusalOf(behaviour.decline));
}

export function spentError(): ApiError {
  return refused(
    "The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, you must attach it to a Customer first.",
    "payment_method",
    "payment_method_unexpected_state",
  );
}

/** Attaches it to a customer; to the one it belongs to already, that is no change. */
export function attachPaymentMethod(world: World, id: string, customer: string): PaymentMethod {
  referenced(world, "customer", customer, "customer");
  const known = world.objects.payment_method.get(id);
  if (known?.customer === customer) return known;
  checkAttachable(world, id);
  const method = resolvePaymentMethod(world, id);
  const { card } = method;
  const attached = world.patch("payment_method", method.id, {
    customer,
    // Attaching has the bank check the card.
    ...(card?.checks ? { card: { ...card, checks: { ...card.checks, cvc_check: "pass" } } } : {}),
  });
  world.raise("payment_method.attached", attached);
  return attached;
}

/** Detaches it for good. Whatever used it by default has no default afterwards. */
export function detachPaymentMethod(world: World, id: string): PaymentMethod {
  const before = world.find("payment_method", id, "payment_method");
  if (before.customer === null) {
    throw refused(
      "The payment method you provided is not attached to a customer so detachment is impossible.",
    );
  }
  const after = world.patch("payment_method", before.id, { customer: null });
  setCardState(world, before.id, { spent: true });
  world.raise("payment_method.detached", after, before);
  const customer = world.objects.customer.get(before.customer);
  if (customer?.invoice_settings.default_payment_method === before.id) {
    const settings = { ...customer.invoice_settings, default_payment_method: null };
    world.change("customer", customer.id, { invoice_settings: settings }, "customer.updated");
  }
  for (const subscription of world.objects.subscription.where("customer", before.customer)) {
    if (subscription.default_payment_method !== before.id) continue;
    const none = { default_payment_method: null };
    world.change("subscription", subscription.id, none, "customer.subscription.updated");
  }
  return after;
}
