/** What the tests of the double's own behaviour share: a double, the SDK, and a receiver of webhooks. */
import Stripe from "stripe";
import { afterEach } from "vitest";
import { createStripeDouble, type StripeDouble, type StripeDoubleOptions } from "../src/index.js";

/** A Thursday. */
export const NOW = "2026-01-15T10:00:00Z";
export const START = Date.parse(NOW) / 1000;
export const DAY = 86_400;

export interface Rig {
  readonly double: StripeDouble;
  /** Does not retry, so that a test sees each answer. */
  readonly stripe: Stripe;
}

const open = new Set<StripeDouble>();
afterEach(async () => {
  const closing = [...open].map((double) => double.close());
  open.clear();
  await Promise.all(closing);
});

/** A double with a still clock that is closed after the test. */
export async function rig(options: StripeDoubleOptions = {}): Promise<Rig> {
  const double = await createStripeDouble({ seed: 5, now: NOW, ...options });
  open.add(double);
  return { double, stripe: client(double) };
}

export function client(
  double: StripeDouble,
  key = double.secretKey,
  config: Stripe.StripeConfig = {},
): Stripe {
  return new Stripe(key, { ...double.stripeConfig, maxNetworkRetries: 0, ...config });
}

/** The error that a call ends in; that it ends in none is an error. */
export async function errorOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error("The call succeeded");
}

export interface Received {
  readonly event: Stripe.Event;
  readonly body: string;
  readonly signature: string;
}

export interface Receiver {
  readonly endpoint: Stripe.WebhookEndpoint;
  readonly secret: string;
  readonly received: Received[];
  types(): string[];
  /** What it answers from now on. */
  answer(status: number): void;
}

/** A webhook endpoint behind a made-up host, which verifies every signature. */
export async function receiver(
  { double, stripe }: Rig,
  params: Partial<Stripe.WebhookEndpointCreateParams> = {},
  origin = "https://app.example",
): Promise<Receiver> {
  const received: Received[] = [];
  let status = 200;
  const endpoint = await stripe.webhookEndpoints.create({
    url: `${origin}/hook`,
    enabled_events: ["*"],
    ...params,
  });
  const secret = endpoint.secret ?? "";
  double.answer(origin, async (request) => {
    const body = await request.text();
    const signature = request.headers.get("stripe-signature") ?? "";
    const event = await stripe.webhooks.constructEventAsync(body, signature, secret);
    received.push({ event, body, signature });
    return new Response(null, { status });
  });
  return {
    endpoint,
    secret,
    received,
    types: () => received.map(({ event }) => event.type),
    answer: (next) => {
      status = next;
    },
  };
}

/** All events so far, oldest first. */
export async function eventsOf(stripe: Stripe): Promise<Stripe.Event[]> {
  const events: Stripe.Event[] = [];
  for await (const event of stripe.events.list({ limit: 100 })) events.push(event);
  return events.reverse();
}

/** The types of the events that an act raises, oldest first. */
export async function raisedBy(stripe: Stripe, act: () => Promise<unknown>): Promise<string[]> {
  const before = (await eventsOf(stripe)).length;
  await act();
  return (await eventsOf(stripe)).slice(before).map(({ type }) => type);
}

export interface Shop {
  readonly product: Stripe.Product;
  /** 20 dollars a month. */
  readonly monthly: Stripe.Price;
  /** 200 dollars a year. */
  readonly yearly: Stripe.Price;
}

export async function openShop(stripe: Stripe): Promise<Shop> {
  const product = await stripe.products.create({ name: "Difference Engine" });
  const price = (unit_amount: number, interval: "month" | "year") =>
    stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount,
      recurring: { interval },
    });
  return { product, monthly: await price(2000, "month"), yearly: await price(20_000, "year") };
}

/** A customer whose default payment method is this test card. */
export async function payer(stripe: Stripe, card = "pm_card_visa"): Promise<Stripe.Customer> {
  return stripe.customers.create({
    email: "ada@example.com",
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  });
}

/** Puts another card on a customer's file, and charges it from now on. */
export async function changeCard(stripe: Stripe, customer: string, card: string): Promise<string> {
  const method = await stripe.paymentMethods.attach(card, { customer });
  await stripe.customers.update(customer, {
    invoice_settings: { default_payment_method: method.id },
  });
  return method.id;
}

export const idsOf = (page: { readonly data: readonly { readonly id: string }[] }): string[] =>
  page.data.map(({ id }) => id);

/** A request by hand, for what the SDK does not let one send or see. */
export async function ask(
  double: StripeDouble,
  path: string,
  init: RequestInit & { readonly key?: string | null } = {},
): Promise<{ status: number; headers: Headers; body: Json }> {
  const key = init.key === undefined ? double.secretKey : init.key;
  const answer = await fetch(`${double.url}${path}`, {
    ...init,
    headers: { ...(key === null ? {} : { Authorization: `Bearer ${key}` }), ...init.headers },
  });
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Json,
  };
}

export type Json = { [key: string]: unknown };

/** What an event is about; that there is no event is an error. */
export function objectOf<T>(event: Stripe.Event | undefined): T {
  if (event === undefined) throw new Error("There is no such event");
  return event.data.object as T;
}

/** The object behind a reference that was expanded. */
export function expanded<T extends { id: string }>(reference: string | T | null | undefined): T {
  if (typeof reference === "string" || !reference) throw new Error(`Not expanded: ${reference}`);
  return reference;
}
