/** What the tests of a running subscription share: a shop, a subscriber, and webhooks that never come. */
import type Stripe from "stripe";
import { type App, type AppOptions, NOW } from "../kit.js";

export const entityId = "org_1";

/** Options of an application that no webhook reaches. */
export const deaf = (options: AppOptions = {}): AppOptions => ({
  endpoint: false,
  ...options,
  stripe: { now: NOW, ...options.stripe },
});

export interface Shop {
  readonly basic: Stripe.Price;
  readonly pro: Stripe.Price;
  readonly yearly: Stripe.Price;
  readonly support: Stripe.Price;
}

export async function openShop({ stripe }: App): Promise<Shop> {
  const product = (name: string, metadata: Stripe.MetadataParam = {}) =>
    stripe.products.create({ name, metadata });
  const price = (of: Stripe.Product, unit_amount: number, interval: "month" | "year" = "month") =>
    stripe.prices.create({
      product: of.id,
      currency: "usd",
      unit_amount,
      recurring: { interval },
      lookup_key: `${of.name.toLowerCase()}:${interval}`,
    });
  const [basic, pro] = [await product("Basic"), await product("Pro")];
  const support = await product("Support", { billing_group: "support" });
  return {
    basic: await price(basic, 1_000),
    pro: await price(pro, 3_000),
    yearly: await price(pro, 30_000, "year"),
    support: await price(support, 500),
  };
}

/** The entity's customer, with a card. */
async function customerOf(app: App, card = "pm_card_visa"): Promise<string> {
  const { customerId } = await app.b.setup({ entityId });
  await useCard(app, customerId, card);
  return customerId;
}

export async function useCard({ stripe }: App, customer: string, card: string): Promise<void> {
  const method = await stripe.paymentMethods.attach(card, { customer });
  await stripe.customers.update(customer, {
    invoice_settings: { default_payment_method: method.id },
  });
}

/** Somebody who has bought, and whose purchase the tables know nothing of. */
export async function subscriber(
  app: App,
  items: Stripe.SubscriptionCreateParams.Item[],
  params: Partial<Stripe.SubscriptionCreateParams> = {},
): Promise<Stripe.Subscription> {
  const customer = await customerOf(app);
  return app.stripe.subscriptions.create({ customer, items, ...params });
}

/** What the tables say of the subscription, as the next read would. */
export async function rowOf(app: App, id: string) {
  const row = await app.b.store.row("subscriptions", id);
  if (!row?.stripe) throw new Error(`The tables have no subscription ${id}`);
  return row.stripe;
}

/** What Stripe has, as the tables would hold it. */
export async function truthOf({ stripe }: App, id: string): Promise<unknown> {
  const { lastResponse: _, ...object } = await stripe.subscriptions.retrieve(id);
  return JSON.parse(JSON.stringify(object));
}

export const itemsOf = (subscription: {
  readonly items: {
    readonly data: readonly {
      readonly price: { readonly id: string };
      readonly quantity?: number | undefined;
    }[];
  };
}): readonly (readonly [string, number | undefined])[] =>
  subscription.items.data.map(({ price, quantity }) => [price.id, quantity] as const);

/** A price by use of the product of another one. */
export async function meteredPrice({ stripe }: App, product: string, unit_amount: number) {
  const { id: meter } = await stripe.billing.meters.create({
    display_name: "Calls",
    event_name: "calls",
    default_aggregation: { formula: "sum" },
  });
  return stripe.prices.create({
    currency: "usd",
    unit_amount,
    product,
    recurring: { interval: "month", usage_type: "metered", meter },
  });
}
