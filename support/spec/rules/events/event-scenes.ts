/**
 * How each event of the specification comes about at Stripe. A scene makes it happen, as the last
 * thing that happens to its object, and answers the id of the object whose row it is to bring.
 */
import type Stripe from "stripe";
import type { SpecEvent } from "../../event-rules.js";
import type { SpecApp } from "../../harness.js";
import { changeCard, openShop, payer, refundedCharge, sessionAt } from "../../kit.js";

export type Scene = (app: SpecApp) => Promise<string>;

/** Something that goes away; the mirror is to hold it before, and not after. */
export interface Farewell {
  arrange(app: SpecApp): Promise<string>;
  act(app: SpecApp, id: string): Promise<unknown>;
}

type Terms = Partial<Stripe.SubscriptionCreateParams>;

/** A monthly subscription of a new customer with this card. */
async function subscription(
  app: SpecApp,
  terms: Terms = {},
  card: string | null = "pm_card_visa",
): Promise<Stripe.Subscription> {
  const { monthly } = await openShop(app);
  const customer = card === null ? await app.stripe.customers.create({}) : await payer(app, card);
  return app.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: monthly.id }],
    ...terms,
  });
}

const withCard =
  (card: string, terms: Terms = {}): Scene =>
  async (app) =>
    (await subscription(app, terms, card)).id;

const paid = withCard("pm_card_visa");
const declined = withCard("pm_card_chargeCustomerFail");

/** A trial that ends with nothing to pay with, and so pauses. */
const paused: Scene = async (app) => {
  const { id } = await subscription(
    app,
    {
      trial_period_days: 7,
      trial_settings: { end_behavior: { missing_payment_method: "pause" } },
    },
    null,
  );
  await app.double.clock.advance({ days: 8 });
  return id;
};

/** A change of price that is not paid for, and so waits. */
const pendingUpdate: Scene = async (app) => {
  const { id, customer, items } = await subscription(app);
  await changeCard(app, String(customer), "pm_card_chargeCustomerFail");
  const prices = (await app.stripe.prices.list()).data;
  const yearly = prices.find(({ recurring }) => recurring?.interval === "year");
  await app.stripe.subscriptions.update(id, {
    items: [{ id: items.data[0]?.id ?? "", price: yearly?.id ?? "" }],
    payment_behavior: "pending_if_incomplete",
    proration_behavior: "always_invoice",
  });
  return id;
};

const product = async ({ stripe }: SpecApp) => stripe.products.create({ name: "Engine" });

async function price(app: SpecApp): Promise<Stripe.Price> {
  const { id } = await product(app);
  return app.stripe.prices.create({ product: id, currency: "usd", unit_amount: 100 });
}

const coupon = ({ stripe }: SpecApp) =>
  stripe.coupons.create({ percent_off: 10, duration: "once" });

async function promotionCode(app: SpecApp): Promise<Stripe.PromotionCode> {
  const { id } = await coupon(app);
  return app.stripe.promotionCodes.create({ promotion: { type: "coupon", coupon: id } });
}

const payout = ({ stripe }: SpecApp) => stripe.payouts.create({ amount: 900, currency: "usd" });

const refund = async (app: SpecApp, card?: string): Promise<string> =>
  (await refundedCharge(app, (await payer(app)).id, card)).id;

export const scenes = {
  "checkout.session.completed": async (app) => {
    const { monthly } = await openShop(app);
    const { url } = await app.b.checkout({
      entityId: "user_1",
      priceId: monthly.id,
      successUrl: `${app.baseUrl}/welcome`,
      cancelUrl: `${app.baseUrl}/pricing`,
    });
    const { id } = await sessionAt(app, url);
    app.double.dashboard.payCheckout(id, { email: "ada@example.com" });
    return String((await app.stripe.checkout.sessions.retrieve(id)).subscription);
  },
  "customer.subscription.created": withCard("pm_card_visa", { trial_period_days: 14 }),
  "customer.subscription.updated": async (app) => {
    const id = await paid(app);
    await app.stripe.subscriptions.update(id, { metadata: { seat: "1" } });
    return id;
  },
  "customer.subscription.deleted": async (app) => {
    const id = await paid(app);
    await app.stripe.subscriptions.cancel(id);
    return id;
  },
  "customer.subscription.paused": paused,
  "customer.subscription.resumed": async (app) => {
    const id = await paused(app);
    const { customer } = await app.stripe.subscriptions.retrieve(id);
    await changeCard(app, String(customer), "pm_card_visa");
    await app.stripe.subscriptions.resume(id);
    return id;
  },
  "customer.subscription.pending_update_applied": async (app) => {
    const id = await pendingUpdate(app);
    const { customer, latest_invoice } = await app.stripe.subscriptions.retrieve(id);
    await changeCard(app, String(customer), "pm_card_visa");
    await app.stripe.invoices.pay(String(latest_invoice));
    return id;
  },
  "customer.subscription.pending_update_expired": async (app) => {
    const id = await pendingUpdate(app);
    await app.double.clock.advance({ hours: 24 });
    return id;
  },
  "customer.subscription.trial_will_end": async (app) => {
    const { id } = await subscription(app, { trial_period_days: 14 });
    await app.double.clock.advance({ days: 12 });
    return id;
  },
  "customer.created": async (app) => (await payer(app)).id,
  "invoice.paid": paid,
  "invoice.payment_succeeded": paid,
  "invoice.payment_failed": declined,
  "invoice.payment_action_required": withCard("pm_card_authenticationRequired"),
  "invoice.upcoming": async (app) => {
    const id = await paid(app);
    await app.double.clock.advance({ days: 26 });
    return id;
  },
  "invoice.marked_uncollectible": async (app) => {
    const { id, latest_invoice } = await subscription(app, {
      payment_behavior: "default_incomplete",
    });
    await app.stripe.invoices.markUncollectible(String(latest_invoice));
    return id;
  },
  "payment_intent.succeeded": paid,
  "payment_intent.payment_failed": declined,
  "payment_intent.canceled": async (app) => {
    const { id, customer } = await subscription(app, { trial_period_days: 14 });
    const intent = await app.stripe.paymentIntents.create({
      amount: 700,
      currency: "usd",
      customer: String(customer),
    });
    await app.stripe.paymentIntents.cancel(intent.id);
    return id;
  },
  "product.created": async (app) => (await product(app)).id,
  "product.updated": async (app) => {
    const { id } = await product(app);
    return (await app.stripe.products.update(id, { name: "Renamed" })).id;
  },
  "price.created": async (app) => (await price(app)).id,
  "price.updated": async (app) => {
    const { id } = await price(app);
    return (await app.stripe.prices.update(id, { active: false })).id;
  },
  "coupon.created": async (app) => (await coupon(app)).id,
  "coupon.updated": async (app) => {
    const { id } = await coupon(app);
    return (await app.stripe.coupons.update(id, { name: "Spring" })).id;
  },
  "promotion_code.created": async (app) => (await promotionCode(app)).id,
  "promotion_code.updated": async (app) => {
    const { id } = await promotionCode(app);
    return (await app.stripe.promotionCodes.update(id, { active: false })).id;
  },
  "payout.created": async (app) => (await payout(app)).id,
  "payout.updated": async (app) => {
    const { id } = await payout(app);
    return (await app.stripe.payouts.update(id, { metadata: { batch: "7" } })).id;
  },
  "payout.canceled": async (app) => {
    const { id } = await payout(app);
    return (await app.stripe.payouts.cancel(id)).id;
  },
  "payout.failed": async (app) => {
    const { id } = await payout(app);
    app.double.dashboard.failPayout(id, "account_closed");
    return id;
  },
  "payout.paid": async (app) => {
    const { id } = await payout(app);
    await app.double.clock.advance({ days: 6 });
    return id;
  },
  "payout.reconciliation_completed": async (app) => {
    const { id } = app.double.dashboard.payOut(900, "usd");
    await app.double.clock.advance({ days: 6 });
    return id;
  },
  "refund.created": async (app) => refund(app),
  "refund.updated": async (app) => {
    const id = await refund(app);
    await app.double.clock.advance({ seconds: 30 });
    return id;
  },
  "refund.failed": async (app) => {
    const id = await refund(app);
    app.double.dashboard.failRefund(id, "lost_or_stolen_card");
    return id;
  },
} satisfies { readonly [event in SpecEvent]?: Scene };

export const farewells = {
  "customer.deleted": {
    arrange: async (app) => (await payer(app)).id,
    act: (app, id) => app.stripe.customers.del(id),
  },
  "product.deleted": {
    arrange: async (app) => (await product(app)).id,
    act: (app, id) => app.stripe.products.del(id),
  },
  "price.deleted": {
    arrange: async (app) => (await price(app)).id,
    act: async (app, id) => app.double.dashboard.deletePrice(id),
  },
  "coupon.deleted": {
    arrange: async (app) => (await coupon(app)).id,
    act: (app, id) => app.stripe.coupons.del(id),
  },
} satisfies { readonly [event in SpecEvent]?: Farewell };
