/** What the merchant does at Stripe, in few words. It goes past the subject, as the dashboard does. */
import Stripe from "stripe";
import type { StripeDouble } from "../../../packages/backend-billing/src/testing/index.js";
import { blankCustomer } from "../../../packages/stripe-double/src/resources/customers.js";
import type { Entity, Subject } from "./subject.js";

export interface Merchant {
  /** A price of its own, on a product of its own; its lookup key is `plan_1`, `plan_2` and so on. */
  price(params?: Partial<Stripe.PriceCreateParams>): Promise<Stripe.Price>;
  /** A customer of a new entity: through the subject if it sets customers up, else by hand. */
  customer(): Promise<string>;
  /** So many customers of as many entities that were there before; no events tell of them. */
  customers(count: number): void;
  /** A new customer's subscription, or another one of a customer; paid by invoice. */
  subscribe(
    params?: Partial<Omit<Stripe.SubscriptionCreateParams, "items">> & {
      prices?: readonly Stripe.Price[];
      quantity?: number;
    },
  ): Promise<Stripe.Subscription>;
  /** Somebody pays in an open checkout. */
  payCheckout(session: string): void;
  /** A decimal as the SDK wants it. */
  decimal(text: string): Stripe.Decimal;
  /** Sets the quantity of a subscription's first item. */
  seats(subscription: Stripe.Subscription, quantity: number): Promise<void>;
}

export function createMerchant(
  double: StripeDouble,
  stripe: Stripe,
  subject: Subject,
  setup: (entity: Entity) => Promise<string>,
): Merchant {
  let prices = 0;
  let entities = 0;
  const merchant: Merchant = {
    price: async (params = {}) => {
      const number = ++prices;
      const product = await stripe.products.create({ name: `Plan ${number}` });
      return stripe.prices.create({
        product: product.id,
        currency: "usd",
        unit_amount: 1000,
        recurring: { interval: "month" },
        lookup_key: `plan_${number}`,
        ...params,
      });
    },
    customer: async () => {
      const entityId = `user_${++entities}`;
      const email = `${entityId}@example.com`;
      if (subject.abilities.includes("setup")) return setup({ entityId, email });
      return (await stripe.customers.create({ email, metadata: { entityId } })).id;
    },
    customers: (count) =>
      double.populate({
        object: "customer",
        count,
        make: (index, { id, created, livemode }) => ({
          ...blankCustomer(id, created, livemode),
          name: `Customer ${index}`,
          email: `customer-${index}@example.com`,
          metadata: { entityId: `entity_${index}` },
        }),
      }),
    subscribe: async ({ prices: given, quantity = 1, ...params } = {}) => {
      const bought = given ?? [await merchant.price()];
      return stripe.subscriptions.create({
        customer: params.customer ?? (await merchant.customer()),
        items: bought.map(({ id }) => ({ price: id, quantity })),
        collection_method: "send_invoice",
        days_until_due: 30,
        ...params,
      });
    },
    payCheckout: (session) => {
      const outcome = double.dashboard.payCheckout(session);
      if (outcome !== "paid") throw new Error(`The checkout is ${outcome}`);
    },
    decimal: (text) => Stripe.Decimal.from(text),
    seats: async ({ id, items }, quantity) => {
      await stripe.subscriptions.update(id, {
        items: [{ id: items.data[0]?.id ?? "", quantity }],
        proration_behavior: "none",
      });
    },
  };
  return merchant;
}
