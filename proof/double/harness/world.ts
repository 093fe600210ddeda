/** The world of one check: a double with a still clock, the SDK on it, and what most checks begin with. */
import Stripe from "stripe";
import {
  createStripeDouble,
  type StripeDouble,
} from "../../../packages/stripe-double/src/index.js";
import { idOf } from "./read.js";

/** The last day of a month, so that the days of the next renewals differ. */
const JANUARY_31 = "2026-01-31T10:00:00Z";
/** The first day of a month of 30 days: on the 16th exactly half of the period is over. */
export const APRIL_1 = "2026-04-01T00:00:00Z";
/** Where returning customers would land. */
export const PAGE = "https://app.example/back";

type SubscriptionParams = Partial<Stripe.SubscriptionCreateParams>;
type PriceParams = Partial<Stripe.PriceCreateParams>;

interface Opening {
  readonly now: string | undefined;
  readonly secretKey: string | undefined;
}

export interface World {
  readonly double: StripeDouble;
  /** Does not retry, so that each answer is seen. */
  readonly stripe: Stripe;
  /** A client with another key, or other options. */
  client(key: string, config?: Stripe.StripeConfig): Stripe;
  /** A price of the product "Pro" in US dollars, by the month unless the parameters say otherwise. */
  price(amount: number, params?: PriceParams): Promise<string>;
  /** A price of the product "Pro" that is paid once. */
  oneTimePrice(amount: number): Promise<string>;
  /** A customer whose default payment method is this test card, or who has none. */
  customer(card?: string | null, params?: Stripe.CustomerCreateParams): Promise<string>;
  /** Makes this test card the default of a customer; answers the payment method. */
  useCard(customer: string, card: string): Promise<string>;
  /** Subscribes a new customer with a good card, unless the parameters name one, to a monthly price. */
  subscribe(amount: number, params?: SubscriptionParams): Promise<Stripe.Subscription>;
  /** A payment of 5 dollars that is confirmed at once, by a good card unless the parameters say otherwise. */
  pay(params?: Partial<Stripe.PaymentIntentCreateParams>): Promise<Stripe.PaymentIntent>;
  /** An open checkout session for a monthly price of 10 dollars. */
  checkout(params?: Partial<Stripe.Checkout.SessionCreateParams>): Promise<Stripe.Checkout.Session>;
  /** The events so far, of one type or of all, oldest first. */
  events(type?: string): Promise<Stripe.Event[]>;
  /** The types of the events that an act raises, oldest first. */
  raisedBy(act: () => Promise<unknown>): Promise<string[]>;
  /** What waits for the next invoice of the customer of a subscription. */
  pendingItems(of: Pick<Stripe.Subscription, "customer">): Promise<Stripe.InvoiceItem[]>;
  /** The invoices of a customer, oldest first. */
  invoices(customer: string): Promise<Stripe.Invoice[]>;
}

export async function openWorld({ now = JANUARY_31, secretKey }: Opening): Promise<World> {
  const own = secretKey === undefined ? {} : { secretKey };
  const double = await createStripeDouble({ seed: 5, now, ...own });
  const client = (key: string, config: Stripe.StripeConfig = {}) =>
    new Stripe(key, { ...double.stripeConfig, maxNetworkRetries: 0, ...config });
  const stripe = client(double.secretKey);
  let product: Promise<Stripe.Product> | undefined;

  async function pro(): Promise<string> {
    product ??= stripe.products.create({ name: "Pro" });
    return (await product).id;
  }

  const world: World = {
    double,
    stripe,
    client,
    async price(unit_amount, params = {}) {
      const recurring = { interval: "month" } as const;
      const base = { product: await pro(), currency: "usd", unit_amount, recurring };
      return (await stripe.prices.create({ ...base, ...params })).id;
    },
    async oneTimePrice(unit_amount) {
      const base = { product: await pro(), currency: "usd", unit_amount };
      return (await stripe.prices.create(base)).id;
    },
    async customer(card = "pm_card_visa", params = {}) {
      const { id } = await stripe.customers.create({ email: "ada@example.com", ...params });
      if (card !== null) await world.useCard(id, card);
      return id;
    },
    async useCard(customer, card) {
      const { id } = await stripe.paymentMethods.attach(card, { customer });
      await stripe.customers.update(customer, {
        invoice_settings: { default_payment_method: id },
      });
      return id;
    },
    async subscribe(amount, params = {}) {
      const customer = params.customer ?? (await world.customer());
      const items = params.items ?? [{ price: await world.price(amount) }];
      return stripe.subscriptions.create({ ...params, customer, items });
    },
    pay: (params = {}) =>
      stripe.paymentIntents.create({
        amount: 500,
        currency: "usd",
        payment_method: "pm_card_visa",
        confirm: true,
        return_url: PAGE,
        ...params,
      }),
    async checkout(params = {}) {
      const line_items = params.line_items ?? [{ price: await world.price(1000), quantity: 1 }];
      return stripe.checkout.sessions.create({
        mode: "subscription",
        success_url: PAGE,
        ...params,
        line_items,
      });
    },
    async events(type) {
      const filter = type === undefined ? {} : { type };
      const list = stripe.events.list({ limit: 100, ...filter });
      return (await list.autoPagingToArray({ limit: 10_000 })).reverse();
    },
    async raisedBy(act) {
      const before = (await world.events()).length;
      await act();
      return (await world.events()).slice(before).map(({ type }) => type);
    },
    async pendingItems({ customer }) {
      const { data } = await stripe.invoiceItems.list({ customer: idOf(customer), pending: true });
      return data;
    },
    async invoices(customer) {
      const list = stripe.invoices.list({ customer, limit: 100 });
      return (await list.autoPagingToArray({ limit: 1000 })).reverse();
    },
  };
  return world;
}
