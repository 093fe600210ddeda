/** Does the acts through the real SDK against a double, day by day, and reads what became of them. */
import { createHash } from "node:crypto";
import Stripe from "stripe";
import { createStripeDouble, type StripeDouble } from "../../packages/stripe-double/src/index.js";
import type { Deed } from "./ledger.js";
import {
  COUPONS,
  type CycleName,
  DAY,
  LENGTHS,
  PRICES,
  type Product,
  type Span,
} from "./script.js";

export interface Outcome {
  /** Each customer's invoices, oldest first. */
  readonly invoices: ReadonlyMap<number, readonly Stripe.Invoice[]>;
  readonly balances: ReadonlyMap<number, number>;
  /** Acts that the ledger has for possible and the double refused. */
  readonly failures: readonly string[];
  /** What all that is and was comes to: the same bytes give the same hash. */
  readonly hash: string;
  readonly requests: number;
}

export async function live(
  seed: string | number,
  deeds: readonly Deed[],
  { start, days }: Span,
): Promise<Outcome> {
  const double = await createStripeDouble({ seed, now: start * 1000 });
  try {
    const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
    const doer = new Doer(double, stripe, await openShop(stripe));
    const failures: string[] = [];
    let next = 0;
    for (let day = 1; day <= days; day++) {
      const end = start + day * DAY;
      for (let deed = deeds[next]; deed && deed.at < end; deed = deeds[++next]) {
        await double.clock.advanceTo(deed.at * 1000);
        await doer.does(deed).catch((error: Error) => {
          failures.push(`customer ${deed.customer}, ${deed.kind} at ${deed.at}: ${error.message}`);
        });
      }
      await double.clock.advanceTo(end * 1000);
    }
    return { ...(await outcomeOf(double, stripe, doer.customers)), failures };
  } finally {
    await double.close();
  }
}

async function outcomeOf(
  double: StripeDouble,
  stripe: Stripe,
  customers: ReadonlyMap<number, string>,
): Promise<Omit<Outcome, "failures">> {
  const numbers = new Map([...customers].map(([number, id]) => [id, number]));
  const invoices = new Map<number, Stripe.Invoice[]>();
  for await (const invoice of stripe.invoices.list({ limit: 100 })) {
    const lines = invoice.lines.has_more ? await allLines(stripe, invoice.id) : invoice.lines.data;
    const number = numbers.get(String(invoice.customer)) ?? -1;
    const whole = { ...invoice, lines: { ...invoice.lines, data: lines } };
    invoices.set(number, [whole, ...(invoices.get(number) ?? [])]);
  }
  const balances = new Map<number, number>();
  for await (const { id, balance } of stripe.customers.list({ limit: 100 })) {
    balances.set(numbers.get(id) ?? -1, balance);
  }
  const requests = double.requests.count();
  return { invoices, balances, hash: sha256(double.dump()), requests };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const allLines = (stripe: Stripe, invoice: string) =>
  stripe.invoices.listLineItems(invoice, { limit: 100 }).autoPagingToArray({ limit: 1000 });

interface Shop {
  /** The price of a product by the cycle. */
  readonly price: (product: Product, cycle: CycleName) => string;
}

/** Makes what is sold, at Stripe; a product may carry metadata. */
export async function openShop(
  stripe: Stripe,
  metadataOf: (product: Product) => Stripe.MetadataParam = () => ({}),
): Promise<Shop> {
  const prices = new Map<string, string>();
  const products = new Map<string, string>();
  const meter = await stripe.billing.meters.create({
    display_name: "Units",
    event_name: "units",
    default_aggregation: { formula: "sum" },
  });
  const metered = { usage_type: "metered", meter: meter.id } as const;
  for (const [product, amounts] of Object.entries(PRICES)) {
    const metadata = metadataOf(product as Product);
    const { id } = await stripe.products.create({ name: product, metadata });
    products.set(product, id);
    for (const [cycle, unit_amount] of Object.entries(amounts)) {
      const length = LENGTHS[cycle as CycleName];
      const recurring = product === "usage" ? { ...length, ...metered } : length;
      const price = { product: id, currency: "usd", unit_amount, recurring };
      prices.set(`${product} ${cycle}`, (await stripe.prices.create(price)).id);
    }
  }
  for (const [id, { percent, amount, duration, months, only }] of Object.entries(COUPONS)) {
    await stripe.coupons.create({
      id,
      duration,
      ...(percent === undefined ? {} : { percent_off: percent / 100 }),
      ...(amount === undefined ? {} : { amount_off: amount, currency: "usd" }),
      ...(months === undefined ? {} : { duration_in_months: months }),
      ...(only === undefined ? {} : { applies_to: { products: [products.get(only) ?? ""] } }),
    });
  }
  return { price: (product, cycle) => prices.get(`${product} ${cycle}`) ?? "" };
}

/** What the doer remembers of a customer's subscription. */
interface Member {
  readonly id: string;
  readonly cycle: CycleName;
  readonly plan: Product;
  readonly items: { readonly plan: string; readonly seats?: string | undefined };
  readonly seats: number;
}

const CARDS = { good: "pm_card_visa", bad: "pm_card_chargeCustomerFail" };

class Doer {
  readonly customers = new Map<number, string>();
  private readonly members = new Map<number, Member>();

  constructor(
    private readonly double: StripeDouble,
    private readonly stripe: Stripe,
    private readonly shop: Shop,
  ) {}

  async does(deed: Deed): Promise<void> {
    const { stripe } = this;
    const customer = this.customers.get(deed.customer) ?? "";
    const member = this.members.get(deed.customer);
    switch (deed.kind) {
      case "sign up": {
        const card = CARDS[deed.card];
        const { id } = await stripe.customers.create({
          name: `Customer ${deed.customer}`,
          payment_method: card,
          invoice_settings: { default_payment_method: card },
        });
        this.customers.set(deed.customer, id);
        return;
      }
      case "join":
        return this.join(customer, deed);
      case "extra": {
        const { amount } = deed;
        await stripe.invoiceItems.create({ customer, amount, currency: "usd" });
        return;
      }
      case "card breaks":
        return this.changeCard(customer, CARDS.bad);
      case "card mended":
        await this.changeCard(customer, CARDS.good);
        if (!deed.pays) return;
        for (const { id } of await this.invoices(customer, "open")) await stripe.invoices.pay(id);
        return;
      case "use": {
        const payload = { stripe_customer_id: customer, value: String(deed.units) };
        await stripe.billing.meterEvents.create({ event_name: "units", payload });
        return;
      }
      case "refund": {
        const payment_intent = await this.paymentOf(customer, deed.invoice ?? -1);
        await stripe.refunds.create({ payment_intent, amount: deed.amount ?? 0 });
        return;
      }
      case "dispute":
        this.double.dashboard.dispute(await this.paymentOf(customer, deed.invoice ?? -1));
        return;
    }
    if (member === undefined) throw new Error(`Customer ${deed.customer} never joined`);
    const update = (params: Stripe.SubscriptionUpdateParams) =>
      stripe.subscriptions.update(member.id, params);
    switch (deed.kind) {
      case "plan":
      case "seats":
      case "cycle":
        return this.change(deed, member);
      case "coupons": {
        const discounts = deed.coupons.map((coupon) => ({ coupon }));
        await update({ discounts: discounts.length > 0 ? discounts : "" });
        return;
      }
      case "end trial":
        await update({ trial_end: "now" });
        return;
      case "cancel at period end":
      case "stay":
        await update({ cancel_at_period_end: deed.kind !== "stay" });
        return;
      case "cancel now": {
        const { credits: prorate, invoices: invoice_now } = deed;
        await stripe.subscriptions.cancel(member.id, { prorate, invoice_now });
      }
    }
  }

  private async join(customer: string, deed: Deed & { kind: "join" }): Promise<void> {
    const { plan, cycle, seats, trialDays, coupons, itemized, metered } = deed;
    const { price } = this.shop;
    const made = await this.stripe.subscriptions.create({
      customer,
      items: [
        { price: price(plan, cycle), quantity: 1 },
        ...(seats > 0 ? [{ price: price("seats", cycle), quantity: seats }] : []),
        ...(metered ? [{ price: price("usage", cycle) }] : []),
      ],
      ...(trialDays > 0 ? { trial_period_days: trialDays } : {}),
      ...(coupons.length > 0 ? { discounts: coupons.map((coupon) => ({ coupon })) } : {}),
      ...(itemized
        ? { billing_mode: { type: "flexible", flexible: { proration_discounts: "itemized" } } }
        : {}),
    });
    this.remember(deed.customer, made, { cycle, plan, seats });
  }

  private remember(
    customer: number,
    { id, items: { data } }: Stripe.Subscription,
    known: Pick<Member, "cycle" | "plan" | "seats">,
  ): void {
    const of = (product: Product) =>
      data.find(({ price }) => price.id === this.shop.price(product, known.cycle))?.id;
    const items = { plan: of(known.plan) ?? "", seats: of("seats") };
    this.members.set(customer, { ...known, id, items });
  }

  /** Another plan, number of seats or cycle; each with the quantities said. */
  private async change(
    deed: Deed & { kind: "plan" | "seats" | "cycle" },
    member: Member,
  ): Promise<void> {
    const cycle = deed.kind === "cycle" ? deed.cycle : member.cycle;
    const plan = deed.kind === "plan" ? deed.plan : member.plan;
    const seats = deed.kind === "seats" ? deed.seats : member.seats;
    const { price } = this.shop;
    const { items: ids } = member;
    const items: Stripe.SubscriptionUpdateParams.Item[] = [];
    if (deed.kind !== "seats") items.push({ id: ids.plan, price: price(plan, cycle), quantity: 1 });
    if (deed.kind !== "plan" && (seats > 0 || ids.seats)) {
      const named = ids.seats === undefined ? {} : { id: ids.seats };
      items.push(
        seats > 0
          ? { ...named, price: price("seats", cycle), quantity: seats }
          : { ...named, deleted: true },
      );
    }
    const proration_behavior = deed.behaviour;
    const after = await this.stripe.subscriptions.update(member.id, { items, proration_behavior });
    this.remember(deed.customer, after, { cycle, plan, seats });
  }

  private async changeCard(customer: string, card: string): Promise<void> {
    const { id } = await this.stripe.paymentMethods.attach(card, { customer });
    const invoice_settings = { default_payment_method: id };
    await this.stripe.customers.update(customer, { invoice_settings });
  }

  private invoices(customer: string, status?: "open"): Promise<Stripe.Invoice[]> {
    const params = { customer, limit: 100, ...(status ? { status } : {}) };
    return this.stripe.invoices.list(params).autoPagingToArray({ limit: 1000 });
  }

  /** The payment of one of the customer's invoices, by its place among them. */
  private async paymentOf(customer: string, index: number): Promise<string> {
    const all = (await this.invoices(customer)).reverse();
    const invoice = all[index]?.id ?? "";
    const { payments } = await this.stripe.invoices.retrieve(invoice, { expand: ["payments"] });
    const intent = payments?.data[0]?.payment.payment_intent;
    if (typeof intent !== "string") throw new Error(`Nothing was paid for ${invoice}`);
    return intent;
  }
}
