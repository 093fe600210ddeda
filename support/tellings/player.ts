/** Does the acts of random lives at Stripe, over its SDK. What Stripe refuses is counted and left out. */
import Stripe from "stripe";
import type { StripeDouble } from "../../packages/stripe-double/src/index.js";
import { changeSubscription, NOTHING, type SubscriptionAct } from "./change.js";
import type { Act, Card, PageCard, Timed } from "./script.js";
import type { Shop } from "./shop.js";

const CARDS = { good: "pm_card_visa", bad: "pm_card_chargeCustomerFail" };
const NUMBERS = {
  good: "4242424242424242",
  bad: "4000000000000002",
  debited: "pm_usBankAccount_success",
  "not debited": "pm_usBankAccount_insufficientFunds",
};
const EMAIL = "ada@example.com";
const THANKS = "https://app.example/thanks";

export interface Stage {
  readonly double: StripeDouble;
  readonly stripe: Stripe;
  readonly shop: Shop;
  /** Makes the customer of an entity; answers its id. */
  readonly signUp: (entity: number) => Promise<string>;
  /** Passes time between the parts of an act, where they are to be told apart. */
  readonly pause?: () => Promise<void>;
}

export class Player {
  /** The customers by the numbers of their entities. */
  readonly customers = new Map<number, string>();
  /** How often each act was done, and how often Stripe refused it. */
  readonly counts = new Map<string, number>();

  constructor(private readonly stage: Stage) {}

  async signUp(entity: number, card: Card): Promise<void> {
    const customer = await this.stage.signUp(entity);
    this.customers.set(entity, customer);
    if (card !== "none") await this.putCard(customer, card);
  }

  /** Does an act, unless it is impossible. */
  async does(act: Timed): Promise<void> {
    const customer = this.customers.get(act.entity) ?? "";
    await this.stage.pause?.();
    const done = await this.attempt(customer, act).catch((error: unknown) => {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      if (error.statusCode !== undefined && error.statusCode > 500) return "not modelled";
      return "refused";
    });
    const outcome = done ?? "done";
    const key = `${act.kind}: ${outcome}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  /** Answers what became of it, if it was not done. */
  private async attempt(customer: string, act: Timed): Promise<string | undefined> {
    const { stripe, double } = this.stage;
    switch (act.kind) {
      case "subscribe":
        return this.subscribe(customer, act);
      case "check out":
        return this.checkOut(customer, act);
      case "buy":
        return this.buy(customer, act);
      case "change card":
        await this.putCard(customer, act.card);
        return undefined;
      case "pay invoices": {
        if (act.by === "another card") await this.putCard(customer, "good");
        await this.stage.pause?.();
        const { data } = await stripe.invoices.list({ customer, status: "open" });
        const params = act.by === "other means" ? { paid_out_of_band: true } : {};
        for (const { id } of data) {
          await stripe.invoices.pay(id, params);
          await this.stage.pause?.();
        }
        return data.length === 0 ? NOTHING : undefined;
      }
      case "refund":
      case "dispute":
        return this.giveBack(customer, act);
      case "decide dispute": {
        const charges = await stripe.charges.list({ customer, limit: 100 });
        const disputed = charges.data.find((charge) => charge.disputed);
        if (disputed === undefined) return NOTHING;
        const [dispute] = (await stripe.disputes.list({ charge: disputed.id })).data;
        if (!dispute || /won|lost|closed/.test(dispute.status)) return NOTHING;
        double.dashboard.decideDispute(dispute.id, act.outcome);
        return undefined;
      }
      case "delete customer":
        await stripe.customers.del(customer);
        return undefined;
      default:
        return this.change(customer, act);
    }
  }

  private async putCard(customer: string, card: "good" | "bad"): Promise<void> {
    const { stripe } = this.stage;
    const { id } = await stripe.paymentMethods.attach(CARDS[card], { customer });
    const invoice_settings = { default_payment_method: id };
    await stripe.customers.update(customer, { invoice_settings });
  }

  private async subscribe(
    customer: string,
    { sold, quantity, trialDays, withoutCard, ends }: Act & { kind: "subscribe" },
  ): Promise<undefined> {
    await this.stage.stripe.subscriptions.create({
      customer,
      items: [{ price: this.stage.shop.price(sold), quantity }],
      ...(trialDays > 0 ? { trial_period_days: trialDays } : {}),
      trial_settings: { end_behavior: { missing_payment_method: withoutCard } },
      ...(ends ? { cancel_at_period_end: true } : {}),
    });
  }

  private async checkOut(
    customer: string,
    { sold, trialDays, cards }: Act & { kind: "check out" },
  ): Promise<undefined> {
    const { id } = await this.stage.stripe.checkout.sessions.create({
      mode: "subscription",
      customer,
      line_items: [{ price: this.stage.shop.price(sold), quantity: 1 }],
      ...(trialDays > 0 ? { subscription_data: { trial_period_days: trialDays } } : {}),
      success_url: THANKS,
    });
    return this.pay(id, cards);
  }

  private async buy(customer: string, { cards, free }: Act & { kind: "buy" }): Promise<undefined> {
    const { stripe, shop } = this.stage;
    const { id } = await stripe.checkout.sessions.create({
      mode: "payment",
      customer,
      line_items: [{ price: free ? shop.nothing : shop.once, quantity: 1 }],
      allowed_payment_method_types: ["card", "us_bank_account"],
      success_url: THANKS,
    });
    return this.pay(id, cards);
  }

  /** Tries the cards on a page, until one pays. */
  private async pay(session: string, cards: readonly PageCard[]): Promise<undefined> {
    const { dashboard } = this.stage.double;
    for (const card of cards) {
      const outcome = dashboard.payCheckout(session, { card: NUMBERS[card], email: EMAIL });
      if (outcome !== "declined") return;
      await this.stage.pause?.();
    }
  }

  private async giveBack(
    customer: string,
    act: Act & { kind: "refund" | "dispute" },
  ): Promise<string | undefined> {
    const { stripe, double } = this.stage;
    const { data } = await stripe.charges.list({ customer, limit: 100 });
    const paid = data.filter(
      ({ status, refunded, disputed }) => status === "succeeded" && !refunded && !disputed,
    );
    const charge = paid[Math.min(act.which, paid.length - 1)];
    if (charge === undefined) return NOTHING;
    if (act.kind === "dispute") {
      double.dashboard.dispute(charge.id, act.inquiry ? { inquiry: true } : {});
      return undefined;
    }
    const left = charge.amount - charge.amount_refunded;
    const amount = Math.max(1, Math.floor((left * act.percent) / 100));
    await stripe.refunds.create({ charge: charge.id, amount });
    return undefined;
  }

  private async change(customer: string, act: SubscriptionAct): Promise<string | undefined> {
    const { stripe } = this.stage;
    const { data } = await stripe.subscriptions.list({ customer, limit: 100 });
    const subscription = data[Math.min(act.which, data.length - 1)];
    return subscription ? changeSubscription(this.stage, subscription, act) : NOTHING;
  }
}
