/** What the tests of payments share: a double with a still clock, the SDK, and a world without a server. */
import Stripe from "stripe";
import { dues } from "../src/billing/subscriptions/lifecycle.js";
import { createStripeDouble, type StripeDouble } from "../src/index.js";
import { createClock, type Scheduler } from "../src/world/clock.js";
import { idSequence } from "../src/world/random.js";
import { createWorld, type World } from "../src/world/world.js";

/** A Sunday. */
export const NOW = "2026-03-01T12:00:00Z";

export interface Till {
  readonly double: StripeDouble;
  readonly stripe: Stripe;
  /** Events so far, oldest first. */
  events(): Promise<Stripe.Event[]>;
  types(): Promise<string[]>;
  /** Pays with this card and answers the payment intent. */
  pay(
    method?: string,
    more?: Partial<Stripe.PaymentIntentCreateParams>,
  ): Promise<Stripe.PaymentIntent>;
}

export async function openTill(): Promise<Till> {
  const double = await createStripeDouble({ seed: 23, now: NOW });
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  const events = async () => {
    const all = await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1000 });
    return all.reverse();
  };
  return {
    double,
    stripe,
    events,
    types: async () => (await events()).map(({ type }) => type),
    pay: (method = "pm_card_visa", more = {}) =>
      stripe.paymentIntents.create({
        amount: 2000,
        currency: "usd",
        payment_method: method,
        confirm: true,
        automatic_payment_methods: { enabled: true, allow_redirects: "never" },
        ...more,
      }),
  };
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

/** A world of its own, for what the API cannot make happen. */
export function bareWorld(): { world: World; clock: Scheduler; types: () => string[] } {
  const clock = createClock(NOW);
  const world = createWorld({
    account: "acct_1Bare",
    livemode: false,
    clock,
    version: Stripe.API_VERSION,
    embeddedLimit: 10,
    id: idSequence("bare"),
    origin: () => "http://127.0.0.1:1",
    skew: () => 0,
    dues,
  });
  return { world, clock, types: () => [...world.events.values()].map(({ type }) => type) };
}
