// Run by the soak in a process of its own: the double of Stripe, with a population that is changed again
// and again. These changes are made in the double's objects themselves, and their events are handed
// out to be sent, so that a long run does not keep a million events in memory. What people buy takes
// the double's usual way, and it delivers those events itself.
import Stripe from "stripe";
import { push } from "../../packages/backend-billing/src/push/push.js";
import { createStripeDouble } from "../../packages/backend-billing/src/testing/index.js";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { answer, orderOf } from "./child.js";
import { differencesIn } from "./compare.js";
import { catalogue, RAW, type StripeOrder } from "./shop.js";

export interface SoakEvent {
  readonly id: string;
  readonly body: string;
}

interface Updated {
  readonly type: Stripe.Event.Type;
  /** As the API shows it. */
  readonly shown: { readonly id: string; readonly metadata: { [key: string]: string } };
  readonly stored: { metadata: { [key: string]: string } };
}

/** One in so many changes is of the object that was changed just before. */
const AGAIN = 20;
const AT_ONCE = 16;

const { customers, subscriptions, seed, webhook } = orderOf<StripeOrder>();
const double = await createStripeDouble({ seed, apiVersion: Stripe.API_VERSION });
const stripe = new Stripe(double.secretKey, double.stripeConfig);
const next = stream("soak", seed);
const people: Updated[] = [];
const subscribed: Updated[] = [];
const places = { people: 0, subscribed: 0 };
let made = 0;

async function populate(): Promise<void> {
  await push(stripe, catalogue);
  const [price] = (await stripe.prices.list({ limit: 1 })).data;
  let [left, paying] = [customers, subscriptions];
  const maker = async () => {
    while (left-- > 0) {
      const { id: customer } = await stripe.customers.create({ name: `Customer ${left}` });
      if (paying-- <= 0) continue;
      const card = await stripe.paymentMethods.attach("pm_card_visa", { customer });
      const items = [{ price: price?.id ?? "" }];
      await stripe.subscriptions.create({ customer, items, default_payment_method: card.id });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, maker));
  const stored = {
    people: new Map(double.objects("customer").map((each) => [each.id, each])),
    subscribed: new Map(double.objects("subscription").map((each) => [each.id, each])),
  };
  for await (const each of stripe.customers.list({ limit: 100 })) {
    people.push(updated("customer.updated", each, stored.people.get(each.id)));
  }
  for await (const each of stripe.subscriptions.list({ limit: 100 })) {
    subscribed.push(updated("customer.subscription.updated", each, stored.subscribed.get(each.id)));
  }
}

const updated = (type: Stripe.Event.Type, shown: object, stored: object | undefined): Updated =>
  ({ type, shown: JSON.parse(JSON.stringify(shown)), stored }) as Updated;

/** Round and round, so that one object rarely changes twice in a second; now and then it does. */
function chosen(from: "people" | "subscribed"): Updated {
  const all = from === "people" ? people : subscribed;
  if (next() >= 1 / AGAIN) places[from]++;
  const found = all[places[from] % all.length];
  if (found === undefined) throw new Error(`There are no ${from}`);
  return found;
}

/** Changes objects, and answers the events of it: seven customers, two subscriptions and another in ten. */
function events(count: number): SoakEvent[] {
  return Array.from({ length: count }, () => {
    const id = `evt_1Soak${String(++made).padStart(12, "0")}`;
    const kind = made % 10;
    if (kind === 0) {
      const object = { object: "balance", available: [], livemode: false, pending: [] };
      return { id, body: eventOf(id, RAW, { object }) };
    }
    const { type, shown, stored } = chosen(kind < 8 ? "people" : "subscribed");
    const metadata = { ...stored.metadata, n: String(made) };
    const previous_attributes = { metadata: { n: stored.metadata.n ?? null } };
    stored.metadata = metadata;
    return { id, body: eventOf(id, type, { object: { ...shown, metadata }, previous_attributes }) };
  });
}

const eventOf = (id: string, type: string, data: object): string =>
  JSON.stringify({
    id,
    object: "event",
    api_version: Stripe.API_VERSION,
    created: Math.floor(Date.now() / 1000),
    data,
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  });

const answers = {
  /** Makes the population, and the endpoint for what happens from then on. */
  async open() {
    await populate();
    const { secret = "" } = await stripe.webhookEndpoints.create({
      url: webhook,
      enabled_events: ["*"],
      api_version: Stripe.API_VERSION as Stripe.WebhookEndpointCreateParams.ApiVersion,
    });
    return { secret, secretKey: double.secretKey, port: double.port };
  },
  events,
  pay: (page: string) => double.dashboard.payCheckout(page, { email: "buyer@example.com" }),
  /** Resolves once everything is delivered; answers how much was, and what failed. */
  async settle() {
    await double.settle();
    const all = double.deliveries.all();
    const failed = all.filter(({ state }) => state !== "delivered");
    return { delivered: all.length - failed.length, failed: failed.length };
  },
  requests: () => double.requests.count(),
  /** What each subscription of the population was changed to last. */
  last: () =>
    Object.fromEntries(subscribed.map(({ shown, stored }) => [shown.id, stored.metadata.n])),
  differences: (database: string) => differencesIn(database, { stripe, double }),
};
export type StripeAnswers = typeof answers;
answer(answers);
