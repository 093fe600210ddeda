/** What the rules' tests share: a catalogue to sell, what Stripe answers, pages, and refusals. */
import Stripe from "stripe";
import { expect } from "vitest";
import type {
  ResourceName,
  Row,
  StripeObject,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { resources } from "../../packages/backend-billing/src/core/catalogue/resources.js";
import type { LogDetails, Logger } from "../../packages/backend-billing/src/core/runtime/config.js";
import { BillingError } from "../../packages/backend-billing/src/core/runtime/errors.js";
import { idsAtStripe, stripePath } from "../stripe-path.js";
import type { SpecApp } from "./harness.js";

export interface Shop {
  readonly product: Stripe.Product;
  /** 20 dollars a month, 200 dollars a year, 5 dollars once. */
  readonly monthly: Stripe.Price;
  readonly yearly: Stripe.Price;
  readonly once: Stripe.Price;
}

export async function openShop({ stripe }: SpecApp): Promise<Shop> {
  const product = await stripe.products.create({ name: "Difference Engine" });
  const price = (unit_amount: number, interval?: "month" | "year") =>
    stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount,
      ...(interval === undefined ? {} : { recurring: { interval } }),
    });
  return {
    product,
    monthly: await price(2000, "month"),
    yearly: await price(20_000, "year"),
    once: await price(500),
  };
}

/** A customer at Stripe who pays with this test card. */
export function payer({ stripe }: SpecApp, card = "pm_card_visa"): Promise<Stripe.Customer> {
  return stripe.customers.create({
    email: "ada@example.com",
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  });
}

/** Charges a customer from now on with another card. */
export async function changeCard(app: SpecApp, customer: string, card: string): Promise<void> {
  const method = await app.stripe.paymentMethods.attach(card, { customer });
  await app.stripe.customers.update(customer, {
    invoice_settings: { default_payment_method: method.id },
  });
}

/** An entity with a customer that pays, and a monthly subscription made at Stripe. */
export async function subscriber(
  app: SpecApp,
  entityId: string,
): Promise<{ customerId: string; subscription: Stripe.Subscription }> {
  const { monthly } = await openShop(app);
  const { customerId } = await app.b.setup({ entityId });
  await changeCard(app, customerId, "pm_card_visa");
  const items = [{ price: monthly.id }];
  const subscription = await app.stripe.subscriptions.create({ customer: customerId, items });
  return { customerId, subscription };
}

/** One object of each mirrored kind at Stripe, with those that lists like to hide. */
export async function populate(app: SpecApp): Promise<void> {
  const { stripe } = app;
  const { product, monthly } = await openShop(app);
  const old = await stripe.products.create({ name: "Abacus", active: false });
  await stripe.prices.create({
    product: old.id,
    currency: "eur",
    unit_amount: 100,
    active: false,
  });
  const customer = await payer(app);
  const items = [{ price: monthly.id }];
  const kept = await stripe.subscriptions.create({ customer: customer.id, items });
  const over = await stripe.subscriptions.create({ customer: customer.id, items });
  await stripe.subscriptions.cancel(over.id);
  const coupon = await stripe.coupons.create({ percent_off: 10, duration: "once" });
  await stripe.promotionCodes.create({
    promotion: { type: "coupon", coupon: coupon.id },
    code: "TEN",
  });
  await stripe.payouts.create({ amount: 1000, currency: "usd" });
  await refundedCharge(app, customer.id);
  const doubted = await charged(app, customer.id, "pm_card_visa");
  app.double.dashboard.dispute(doubted.id);
  await stripe.products.update(product.id, { metadata: { tier: "1" } });
  await stripe.subscriptionSchedules.create({ from_subscription: kept.id });
  const { id: session } = await stripe.checkout.sessions.create({
    mode: "setup",
    currency: "usd",
    success_url: "https://app.example/welcome",
  });
  await stripe.checkout.sessions.expire(session); // of those that are open there is no event
  // Invoices raised a number on the customer, and Stripe tells of that only with the next change.
  await stripe.customers.update(customer.id, { name: "Ada Lovelace" });
}

/** A payment with this card. */
function charged(
  { stripe }: SpecApp,
  customer: string,
  card: string,
): Promise<Stripe.PaymentIntent> {
  return stripe.paymentIntents.create({
    amount: 700,
    currency: "usd",
    customer,
    payment_method: card,
    confirm: true,
    automatic_payment_methods: { enabled: true, allow_redirects: "never" },
  });
}

export async function refundedCharge(
  app: SpecApp,
  customer: string,
  card = "pm_card_visa",
): Promise<Stripe.Refund> {
  const intent = await charged(app, customer, card);
  return app.stripe.refunds.create({ payment_intent: intent.id });
}

/** One object as Stripe answers it now, at the version that the SDK pins. */
export async function retrieved<N extends ResourceName>(
  { double }: SpecApp,
  resource: N,
  id: string,
): Promise<StripeObject<N>> {
  const answer = await fetch(`${double.url}/v1/${stripePath(resource)}/${id}`, {
    headers: { Authorization: `Bearer ${double.secretKey}`, "Stripe-Version": Stripe.API_VERSION },
  });
  expect(answer.status, `${resource}/${id}`).toBe(200);
  return (await answer.json()) as StripeObject<N>;
}

/**
 * Every object of a kind that there is at Stripe, by id. It is looked up in the double itself, not
 * by the library's lists, which may hide some.
 */
export async function existing<N extends ResourceName>(
  app: SpecApp,
  resource: N,
): Promise<Map<string, StripeObject<N>>> {
  const ids = idsAtStripe(app.double, resource);
  const all = new Map<string, StripeObject<N>>();
  for (let at = 0; at < ids.length; at += 20) {
    const chunk = ids.slice(at, at + 20);
    const objects = await Promise.all(chunk.map((id) => retrieved(app, resource, id)));
    chunk.forEach((id, index) => {
      all.set(id, objects[index] as StripeObject<N>);
    });
  }
  return all;
}

/** The mirror's objects of a kind by id, without the rows that stand for none. */
export async function mirrored(
  app: SpecApp,
  resource: ResourceName,
): Promise<Map<string, object | null>> {
  const { idField } = resources[resource];
  const rows = (await app.rows(resource)) as readonly { readonly [field: string]: unknown }[];
  return new Map(
    rows
      .filter((row) => row[idField] !== null)
      .map((row) => [String(row[idField]), row.stripe as object | null]),
  );
}

/** That a table holds what Stripe has: the same objects, each equal, field by field. */
export async function expectMirror(app: SpecApp, resource: ResourceName): Promise<void> {
  expect(await mirrored(app, resource)).toEqual(await existing(app, resource));
}

/** The only row of a table that has one; that there are more or none is an error. */
export async function onlyRow<N extends ResourceName>(app: SpecApp, resource: N): Promise<Row<N>> {
  const rows = await app.rows(resource);
  expect(rows).toHaveLength(1);
  return rows[0] as Row<N>;
}

/** A logger that keeps what is logged as an error. */
export function errorLog(): { readonly lines: string[]; readonly logger: Logger } {
  const lines: string[] = [];
  const error = (details: LogDetails, message: string) =>
    void lines.push(`${message} ${Object.values(details).join(" ")}`);
  return { lines, logger: { info: () => {}, warn: () => {}, error } };
}

/**
 * The code with which a call was refused, and what the developer is told: by the error, or by the
 * log where the error may reach a browser.
 */
export async function advised(
  { log }: SpecApp,
  call: Promise<unknown>,
): Promise<{ code: string; advice: string }> {
  const { code, message } = await refusal(call);
  return { code, advice: [message, ...log].join("\n") };
}

/** The code and the message with which a call was refused, on whatever platform. */
export async function refusal(call: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await call;
  } catch (error) {
    const data = error instanceof BillingError ? error : (error as { data?: unknown }).data;
    const { code, message } = (data ?? {}) as { code?: unknown; message?: unknown };
    if (typeof code === "string") return { code, message: String(message) };
    throw error;
  }
  throw new Error("The call was not refused");
}

/** The arguments without one of them, which only the compiler would notice. */
export function without<T extends object>(args: T, name: keyof T): T {
  const { [name]: _, ...rest } = args;
  return rest as T;
}

/** Lets Stripe's time pass, so that what follows is plainly newer. */
export const later = ({ double }: SpecApp): Promise<void> => double.clock.advance({ seconds: 30 });

/** The session that a checkout link leads to. */
export async function sessionAt(app: SpecApp, url: string): Promise<Stripe.Checkout.Session> {
  for await (const session of app.stripe.checkout.sessions.list({ limit: 100 })) {
    if (session.url === url) return session;
  }
  throw new Error(`No checkout session has the link ${url}`);
}

export interface Visited {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
}

/** Opens an address as a browser does, without following where it leads. */
export async function visit(url: string, form?: Record<string, string>): Promise<Visited> {
  const answer = await fetch(url, {
    redirect: "manual",
    ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
  });
  return {
    status: answer.status,
    text: await answer.text(),
    location: answer.headers.get("location"),
  };
}

/** Fills in the page behind a checkout link; answers where Stripe leads then. */
export async function submitAt(url: string): Promise<string> {
  const { location, text } = await visit(url, {
    email: "ada@example.com",
    number: "4242424242424242",
    expiry: "12 / 34",
    cvc: "123",
    name: "Ada Lovelace",
  });
  if (location === null) throw new Error(`The page leads nowhere: ${text}`);
  return location;
}

/** Pays at a checkout link, and follows the way back to the application. */
export async function payAt(url: string): Promise<string> {
  const back = await visit(await submitAt(url));
  expect(back.status).toBe(303);
  return back.location ?? "";
}

/** Where a link of a page with this text leads. */
export function linkNamed({ text }: Visited, name: string): string {
  const links = [...text.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)];
  const found = links.find(([, , inner]) => inner?.includes(name));
  if (found === undefined) throw new Error(`The page has no link "${name}"`);
  return (found[1] ?? "").replaceAll("&amp;", "&");
}
