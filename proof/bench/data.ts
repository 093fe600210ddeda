/**
 * The objects and events that every subject is given: the shapes and sizes of Stripe's own, made by
 * a rule, so that any of ten million of them can be made anew and none has to be kept.
 */
import { createHmac } from "node:crypto";
import type Stripe from "stripe";
import type { Plain } from "../../packages/backend-billing/src/core/catalogue/plain.js";

export type Customer = Plain<Stripe.Customer>;
export type Subscription = Plain<Stripe.Subscription>;
export type Kind = "customers" | "subscriptions";

export const WEBHOOK_SECRET = "whsec_benchmark";
export const SECRET_KEY = "sk_test_benchmark";
/** Accounts begin here, in Stripe's seconds, and grow evenly for three years. */
export const BEGINNING = 1_640_995_200;
export const SPAN = 3 * 365 * 86_400;
/** Events are from after all objects were made. */
const EVENTS_BEGIN = BEGINNING + SPAN + 86_400;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** An id like Stripe's: its characters say nothing about the order in which ids were made. */
function id(prefix: string, number: number, length: number): string {
  let state = (number + 1) >>> 0;
  let text = prefix;
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 + index) >>> 0;
    state = Math.imul(state ^ (state >>> 13), 0x297a2d39) >>> 0;
    text += ALPHABET[state % 62];
  }
  return text;
}

const customerId = (index: number) => id("cus_", index, 14);
const subscriptionId = (index: number) => id("sub_1", index, 23);

export function customer(index: number, created: number, revision = 0): Customer {
  return {
    id: customerId(index),
    object: "customer",
    address: {
      city: "Berlin",
      country: "DE",
      line1: `Street ${index}`,
      line2: null,
      postal_code: "10115",
      state: null,
    },
    balance: 0,
    created,
    currency: "eur",
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: `customer-${index}@example.com`,
    invoice_prefix: id("", index, 8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: id("pm_1", index, 23),
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: { account: `account-${index}`, revision: String(revision) },
    name: `Customer ${index}`,
    next_invoice_sequence: 1 + revision,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: "none",
    test_clock: null,
  };
}

/** Prices that subscriptions are for. */
export const PRICES = 200;

export function price(index: number) {
  const common = {
    active: true,
    billing_scheme: "per_unit",
    created: BEGINNING,
    currency: "eur",
    livemode: false,
    metadata: {},
    nickname: null,
    product: id("prod_", index, 14),
    tiers_mode: null,
  } as const;
  const priceId = id("price_1", index, 23);
  return {
    plan: {
      id: priceId,
      object: "plan",
      ...common,
      amount: 2000,
      amount_decimal: "2000",
      interval: "month",
      interval_count: 1,
      meter: null,
      transform_usage: null,
      trial_period_days: null,
      usage_type: "licensed",
    },
    price: {
      id: priceId,
      object: "price",
      ...common,
      custom_unit_amount: null,
      lookup_key: null,
      recurring: {
        interval: "month",
        interval_count: 1,
        meter: null,
        trial_period_days: null,
        usage_type: "licensed",
      },
      tax_behavior: "unspecified",
      transform_quantity: null,
      type: "recurring",
      unit_amount: 2000,
      unit_amount_decimal: "2000",
    },
  } as const;
}

/** The subscription of the customer with the same number. */
export function subscription(index: number, created: number, revision = 0): Subscription {
  const self = subscriptionId(index);
  const period = { current_period_start: created, current_period_end: created + 2_592_000 };
  return {
    id: self,
    object: "subscription",
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: created,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: null, type: "classic" },
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, reason: null },
    collection_method: "charge_automatically",
    created,
    currency: "eur",
    customer: customerId(index),
    customer_account: null,
    days_until_due: null,
    default_payment_method: id("pm_1", index, 23),
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    ended_at: null,
    invoice_settings: { account_tax_ids: null, issuer: { type: "self" } },
    items: {
      object: "list",
      data: [
        {
          id: id("si_", index, 14),
          object: "subscription_item",
          billing_thresholds: null,
          created,
          ...period,
          discounts: [],
          metadata: {},
          ...price(index % PRICES),
          quantity: 1,
          subscription: self,
          tax_rates: [],
        },
      ],
      has_more: false,
      url: `/v1/subscription_items?subscription=${self}`,
    },
    latest_invoice: id("in_1", index, 23),
    livemode: false,
    metadata: { revision: String(revision) },
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: "off",
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: created,
    status: "active",
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: { end_behavior: { missing_payment_method: "create_invoice" } },
    trial_start: null,
  } as unknown as Subscription;
}

/** When the object of this number was made, of so many. */
export function createdAt(index: number, count: number): number {
  return BEGINNING + Math.floor((index * SPAN) / count);
}

export function objectOf(kind: Kind, index: number, count: number, revision = 0) {
  const make = kind === "customers" ? customer : subscription;
  return make(index, createdAt(index, count), revision);
}

export interface Delivery {
  readonly body: string;
  readonly signature: string;
}

export interface EventOptions {
  readonly kind: Kind;
  /** How many objects are stored. */
  readonly stored: number;
  readonly count: number;
  /** Rounds are given later and later times, so that every event is news. */
  readonly round: number;
  readonly apiVersion: string;
}

/** Signed updates of objects all over the table, no object twice in a row. */
export function deliveries({ kind, stored, count, round, apiVersion }: EventOptions): Delivery[] {
  const type = kind === "customers" ? "customer.updated" : "customer.subscription.updated";
  const stride = strideFor(stored);
  const signedAt = Math.floor(Date.now() / 1000);
  return Array.from({ length: count }, (_, number) => {
    const index = ((number * stride) % stored) | 0;
    const lap = Math.floor(number / stored);
    const body = JSON.stringify({
      id: id("evt_1", round * 1_000_000 + number, 23),
      object: "event",
      api_version: apiVersion,
      created: EVENTS_BEGIN + round * 1000 + lap * 10,
      data: { object: objectOf(kind, index, stored, round), previous_attributes: { metadata: {} } },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    });
    const hmac = createHmac("sha256", WEBHOOK_SECRET).update(`${signedAt}.${body}`).digest("hex");
    return { body, signature: `t=${signedAt},v1=${hmac}` };
  });
}

/** A step that visits every number below `stored` before it repeats one. */
function strideFor(stored: number): number {
  const greatestDivisor = (a: number, b: number): number =>
    b === 0 ? a : greatestDivisor(b, a % b);
  let stride = Math.max(1, Math.floor(stored * 0.618));
  while (greatestDivisor(stride, stored) !== 1) stride++;
  return stride;
}
