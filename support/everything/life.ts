/**
 * A random life of an account: things of every kind are made, changed and deleted, by a seed. What
 * Stripe refuses is part of a life.
 */
import Stripe from "stripe";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import type { Merchant } from "./account.js";

/** What is done at Stripe, and with what. */
interface Hand extends Merchant {
  /** One of these. */
  one<T>(all: readonly T[]): T;
  /** The id of an object of that kind that there is. */
  some(kind: Parameters<Merchant["double"]["objects"]>[0]): string;
  /** A name that was not used before. */
  fresh(): string;
}

type Deed = (hand: Hand) => unknown;

const usd = "usd" as const;
const month = { recurring: { interval: "month" } } as const;

const pay = ({ stripe, some }: Hand, card = "pm_card_visa") =>
  stripe.paymentIntents.create({
    amount: 700,
    currency: usd,
    customer: some("customer"),
    payment_method: card,
    confirm: true,
    automatic_payment_methods: { enabled: true, allow_redirects: "never" },
  });

const invoiced = async ({ stripe, some }: Hand): Promise<string> => {
  const { id } = await stripe.invoices.create({
    customer: some("customer"),
    collection_method: "send_invoice",
    days_until_due: 10,
  });
  await stripe.invoiceItems.create({
    customer: String((await stripe.invoices.retrieve(id)).customer),
    invoice: id,
    amount: 300,
    currency: usd,
  });
  return id;
};

/** By the resource that each is about most. Plans, charges and others come and go with these. */
const DEEDS: { readonly [resource: string]: readonly Deed[] } = {
  products: [
    ({ stripe, fresh }) => stripe.products.create({ name: fresh() }),
    ({ stripe, some, fresh }) => stripe.products.update(some("product"), { name: fresh() }),
    ({ stripe, some, one }) =>
      stripe.products.update(some("product"), { active: one([true, false]) }),
    ({ stripe, some }) => stripe.products.del(some("product")),
  ],
  prices: [
    ({ stripe, some, one }) =>
      stripe.prices.create({
        product: some("product"),
        currency: usd,
        unit_amount: 500,
        ...one([{}, month]),
      }),
    // A new one: of the copies inside subscriptions no event tells.
    async ({ stripe, some, fresh }) => {
      const product = some("product");
      const { id } = await stripe.prices.create({
        product,
        currency: usd,
        unit_amount: 600,
        ...month,
      });
      await stripe.prices.update(id, { nickname: fresh() });
    },
    ({ double, some }) => double.dashboard.deletePrice(some("price")),
  ],
  customers: [
    ({ stripe, fresh }) =>
      stripe.customers.create({ name: fresh(), payment_method: "pm_card_visa" }),
    ({ stripe, some, fresh }) => stripe.customers.update(some("customer"), { name: fresh() }),
    async ({ stripe, fresh }) => {
      const { id } = await stripe.customers.create({ name: fresh() });
      await stripe.customers.createTaxId(id, { type: "eu_vat", value: "DE123456789" });
      await stripe.customers.del(id);
    },
  ],
  subscriptions: [
    async ({ stripe, double, some, one }) => {
      const recurring = double.objects("price").filter((each) => each.recurring && each.active);
      await stripe.subscriptions.create({
        customer: some("customer"),
        items: [{ price: one(recurring).id }],
        ...one([
          { trial_period_days: 7 },
          { collection_method: "send_invoice", days_until_due: 5 },
        ]),
      });
    },
    ({ stripe, some, fresh }) =>
      stripe.subscriptions.update(some("subscription"), { metadata: { note: fresh() } }),
    ({ stripe, some }) => stripe.subscriptions.cancel(some("subscription")),
  ],
  coupons: [
    ({ stripe, one }) =>
      stripe.coupons.create({
        id: one(["ten", "half"]),
        percent_off: one([10, 50]),
        duration: "once",
      }),
    ({ stripe, some, fresh }) => stripe.coupons.update(some("coupon"), { name: fresh() }),
    ({ stripe, one }) => stripe.coupons.del(one(["ten", "half"])),
  ],
  promotion_codes: [
    // Of a coupon that stays: that its codes end with it, no event tells.
    async ({ stripe }) => {
      const { id: coupon } = await stripe.coupons.create({ percent_off: 5, duration: "once" });
      await stripe.promotionCodes.create({ promotion: { type: "coupon", coupon } });
    },
    ({ stripe, some, one }) =>
      stripe.promotionCodes.update(some("promotion_code"), { active: one([true, false]) }),
  ],
  payouts: [
    ({ stripe }) => stripe.payouts.create({ amount: 50, currency: usd }),
    ({ double }) => double.dashboard.payOut(40, usd),
    ({ double, some }) => double.dashboard.failPayout(some("payout")),
  ],
  refunds: [
    async (hand) =>
      hand.stripe.refunds.create({ payment_intent: (await pay(hand)).id, amount: 300 }),
    ({ stripe, some, fresh }) =>
      stripe.refunds.update(some("refund"), { metadata: { note: fresh() } }),
    ({ double, some }) => double.dashboard.failRefund(some("refund")),
  ],
  checkout_sessions: [
    async ({ stripe, double, some, one }) => {
      const { id } = await stripe.checkout.sessions.create({
        mode: "setup",
        customer: some("customer"),
        currency: usd,
        success_url: "https://app.example/welcome",
      });
      // Of those that are open there is no event.
      if (one([true, false])) await stripe.checkout.sessions.expire(id);
      else double.dashboard.payCheckout(id, { email: "ada@example.com" });
    },
  ],
  invoices: [
    async (hand) => hand.stripe.invoices.finalizeInvoice(await invoiced(hand)),
    async (hand) => {
      const id = await invoiced(hand);
      await hand.stripe.invoices.finalizeInvoice(id);
      if (hand.one([true, false])) await hand.stripe.invoices.voidInvoice(id);
      else await hand.stripe.invoices.pay(id, { paid_out_of_band: true });
    },
    async ({ stripe, some }) => {
      const { id } = await stripe.invoices.create({ customer: some("customer") });
      await stripe.invoices.del(id);
    },
  ],
  subscription_schedules: [
    async ({ stripe, some, one }) => {
      const { id } = await stripe.subscriptionSchedules.create({
        from_subscription: some("subscription"),
      });
      if (one([true, false])) await stripe.subscriptionSchedules.release(id);
    },
  ],
  payment_intents: [
    (hand) => pay(hand),
    (hand) => pay(hand, "pm_card_chargeDeclined"),
    async ({ stripe, some }) => {
      const customer = some("customer");
      const { id } = await stripe.paymentIntents.create({ amount: 100, currency: usd, customer });
      await stripe.paymentIntents.cancel(id);
    },
  ],
  charges: [
    ({ stripe, some, fresh }) =>
      stripe.charges.update(some("charge"), { metadata: { note: fresh() } }),
  ],
  payment_methods: [
    ({ stripe, some }) =>
      stripe.paymentMethods.attach("pm_card_mastercard", { customer: some("customer") }),
    ({ stripe, double, one, fresh }) => {
      const attached = double.objects("payment_method").filter(({ customer }) => customer !== null);
      const billing_details = { name: fresh() };
      return stripe.paymentMethods.update(one(attached).id, { billing_details });
    },
    async ({ stripe, some }) => {
      const { id } = await stripe.paymentMethods.attach("pm_card_visa", {
        customer: some("customer"),
      });
      await stripe.paymentMethods.detach(id);
    },
  ],
  disputes: [
    async (hand) => hand.double.dashboard.dispute((await pay(hand)).id),
    ({ double, some, one }) =>
      double.dashboard.decideDispute(some("dispute"), one(["won", "lost"] as const)),
  ],
  setup_intents: [
    ({ stripe, some }) => stripe.setupIntents.create({ customer: some("customer") }),
    ({ stripe, some }) => stripe.setupIntents.cancel(some("setup_intent")),
  ],
  invoice_items: [
    ({ stripe, some }) =>
      stripe.invoiceItems.create({ customer: some("customer"), amount: 90, currency: usd }),
    ({ stripe, some, fresh }) =>
      stripe.invoiceItems.update(some("invoiceitem"), { description: fresh() }),
    ({ stripe, some }) => stripe.invoiceItems.del(some("invoiceitem")),
  ],
  credit_notes: [
    async (hand) => {
      const invoice = await invoiced(hand);
      await hand.stripe.invoices.finalizeInvoice(invoice);
      const { id } = await hand.stripe.creditNotes.create({ invoice, amount: 100 });
      if (hand.one([true, false])) await hand.stripe.creditNotes.voidCreditNote(id);
    },
  ],
  quotes: [
    ({ stripe, some }) =>
      stripe.quotes.create({
        customer: some("customer"),
        line_items: [{ price: some("price"), quantity: 1 }],
      }),
    ({ stripe, some }) => stripe.quotes.finalizeQuote(some("quote")),
    ({ stripe, some }) => stripe.quotes.cancel(some("quote")),
  ],
  tax_ids: [
    ({ stripe, some }) =>
      stripe.customers.createTaxId(some("customer"), { type: "eu_vat", value: "DE123456789" }),
    ({ stripe }) => stripe.taxIds.create({ type: "eu_vat", value: "DE987654321" }),
    ({ stripe, some }) => stripe.taxIds.del(some("tax_id")),
  ],
  tax_rates: [
    ({ stripe, fresh }) =>
      stripe.taxRates.create({ display_name: fresh(), percentage: 7, inclusive: false }),
    ({ stripe, some, fresh }) => stripe.taxRates.update(some("tax_rate"), { description: fresh() }),
  ],
  early_fraud_warnings: [async (hand) => hand.double.dashboard.warnOfFraud((await pay(hand)).id)],
  transfers: [
    ({ stripe, some }) =>
      stripe.transfers.create({ amount: 10, currency: usd, destination: some("account") }),
    ({ stripe, some, fresh }) =>
      stripe.transfers.update(some("transfer"), { metadata: { note: fresh() } }),
  ],
  portal_configurations: [
    ({ stripe }) =>
      stripe.billingPortal.configurations.create({
        features: { invoice_history: { enabled: true } },
      }),
    ({ stripe, some, one }) =>
      stripe.billingPortal.configurations.update(some("billing_portal.configuration"), {
        active: one([true, false]),
      }),
  ],
  payment_links: [
    ({ stripe, some }) =>
      stripe.paymentLinks.create({ line_items: [{ price: some("price"), quantity: 1 }] }),
    ({ stripe, some, one }) =>
      stripe.paymentLinks.update(some("payment_link"), { active: one([true, false]) }),
  ],
  features: [
    ({ stripe, fresh }) =>
      stripe.entitlements.features.create({ name: fresh(), lookup_key: fresh() }),
    ({ stripe, some, one }) =>
      stripe.entitlements.features.update(some("entitlements.feature"), {
        active: one([true, false]),
      }),
  ],
  meters: [
    ({ stripe, fresh }) =>
      stripe.billing.meters.create({
        display_name: fresh(),
        event_name: fresh(),
        default_aggregation: { formula: "sum" },
      }),
    ({ stripe, some }) => stripe.billing.meters.deactivate(some("billing.meter")),
    ({ stripe, some }) => stripe.billing.meters.reactivate(some("billing.meter")),
  ],
  credit_grants: [
    ({ stripe, some }) =>
      stripe.billing.creditGrants.create({
        customer: some("customer"),
        category: "promotional",
        amount: { type: "monetary", monetary: { currency: usd, value: 500 } },
        applicability_config: { scope: { price_type: "metered" } },
      }),
    ({ stripe, some }) => stripe.billing.creditGrants.voidGrant(some("billing.credit_grant")),
  ],
  discounts: [
    async ({ stripe, some, one, fresh }) => {
      const duration = one(["once", "forever"] as const);
      const { id: coupon } = await stripe.coupons.create({ percent_off: 5, duration });
      await stripe.subscriptions.update(some("subscription"), { discounts: [{ coupon }] });
      // Of how often it was redeemed Stripe tells only with the next change.
      await stripe.coupons.update(coupon, { name: fresh() });
    },
    ({ stripe, some }) => stripe.subscriptions.deleteDiscount(some("subscription")),
  ],
  accounts: [
    ({ stripe }) => stripe.accounts.create({ type: "express", country: "US" }),
    ({ stripe, some, fresh }) =>
      stripe.accounts.update(some("account"), { metadata: { note: fresh() } }),
  ],
};

/** The resources that deeds are about. */
export const LIVELY = Object.keys(DEEDS);

export interface Lived {
  /** How many deeds were done, and how many were refused. */
  readonly done: number;
  readonly refused: number;
}

/** Does `count` things at Stripe, every kind once before any comes again. */
export async function live(merchant: Merchant, seed: string, count: number): Promise<Lived> {
  const next = stream("everything", seed);
  const one = <T>(all: readonly T[]): T => {
    const found = all[Math.floor(next() * all.length)];
    if (found === undefined) throw new Nothing("There is none");
    return found;
  };
  let named = 0;
  const hand: Hand = {
    ...merchant,
    one,
    some: (kind) => one(merchant.double.objects(kind)).id,
    fresh: () => `name_${seed}_${++named}`.replaceAll(/\W/g, "_"),
  };
  const lived = { done: 0, refused: 0 };
  let left: (readonly Deed[])[] = [];
  for (let index = 0; index < count; index++) {
    if (left.length === 0) left = Object.values(DEEDS).slice();
    const deeds = one(left);
    left = left.filter((each) => each !== deeds);
    try {
      await one(deeds)(hand);
      lived.done++;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      lived.refused++;
    }
    if (next() < 0.3) await merchant.double.clock.advance({ seconds: 1 + Math.floor(next() * 5) });
  }
  // Numbers that Stripe raises on these without telling: it tells of them with their next change.
  for (const { id } of merchant.double.objects("customer")) {
    await merchant.stripe.customers.update(id, { metadata: { seen: hand.fresh() } });
  }
  await merchant.double.clock.advance({ seconds: 5 }); // for what waits to be overtaken, in vain
  return lived;
}

class Nothing extends Error {}

/** What the dashboard refuses is an error of the double's, with Stripe's words. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Nothing ||
  ["DoubleError", "ApiError"].includes((error as Error).name) ||
  error instanceof Stripe.errors.StripeInvalidRequestError ||
  error instanceof Stripe.errors.StripeCardError;
