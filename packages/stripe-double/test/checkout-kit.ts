/** What the tests of checkout and portal share: a double, the SDK, a catalogue and a browserless form. */
import Stripe from "stripe";
import { createStripeDouble, type StripeDouble } from "../src/index.js";

const NOW = "2026-03-01T12:00:00Z";
export const URLS = {
  success_url: "https://site.example/thanks?session={CHECKOUT_SESSION_ID}",
  cancel_url: "https://site.example/pricing",
};

export interface Shop {
  readonly double: StripeDouble;
  readonly stripe: Stripe;
  readonly product: string;
  /** 12 dollars a month, 49 dollars a month, 20 dollars once. */
  readonly basic: string;
  readonly pro: string;
  readonly once: string;
  /** The types of all events so far, oldest first. */
  types(): Promise<string[]>;
}

export async function openShop(): Promise<Shop> {
  const double = await createStripeDouble({ seed: 11, now: NOW });
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  const product = await stripe.products.create({ name: "Analytical Engine" });
  const price = async (unit_amount: number, recurring?: { interval: "month" }) => {
    const made = await stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount,
      ...(recurring ? { recurring } : {}),
    });
    return made.id;
  };
  return {
    double,
    stripe,
    product: product.id,
    basic: await price(1200, { interval: "month" }),
    pro: await price(4900, { interval: "month" }),
    once: await price(2000),
    types: async () => {
      const events = await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1000 });
      return events.map(({ type }) => type).reverse();
    },
  };
}

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
}

async function read(answer: Response): Promise<Page> {
  return {
    status: answer.status,
    text: await answer.text(),
    location: answer.headers.get("location"),
  };
}

export async function open(url: string | null): Promise<Page> {
  return read(await fetch(url ?? "", { redirect: "manual" }));
}

/** Posts a form as a browser would, and does not follow where it leads. */
export async function submit(url: string | null, form: Record<string, string>): Promise<Page> {
  return read(
    await fetch(url ?? "", { method: "POST", body: new URLSearchParams(form), redirect: "manual" }),
  );
}

export const card = (number = "4242424242424242") => ({
  number,
  expiry: "12 / 34",
  cvc: "123",
  name: "Ada Lovelace",
});

/** The text of the page's error. */
export function errorOf({ text }: Page): string | undefined {
  return /role="alert"[^>]*><p>([^<]*)</.exec(text)?.[1];
}

export function noticeOf({ text }: Page): string | undefined {
  return /role="status"[^>]*><p>([^<]*)</.exec(text)?.[1];
}

/** What a call to the SDK was refused with. */
export async function refusal(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { statusCode: status, code, param, message } = error;
    return { status, code, param, message };
  }
  throw new Error("The call was not refused");
}
