/** Somebody with a plan that includes units, and what is left of them. */
import type Stripe from "stripe";
import { atEase } from "./listener.js";
import { sleep } from "./patience.js";
import { type Stage, TooSlow } from "./stage.js";
import type { UsagePlan, UsageShop } from "./subject.js";

const ADA = { entityId: "user_1", email: "ada@example.com" };
const CARDS = { good: "pm_card_visa", bad: "pm_card_chargeCustomerFail" };

export interface Consumer {
  readonly entityId: string;
  readonly customer: string;
  readonly shop: UsageShop;
  /** Takes units by a key; answers whether they were there. */
  take(amount: number, key: string): Promise<boolean>;
  left(): Promise<number>;
  /** States what must be left. */
  checkLeft(units: number, when: string): Promise<void>;
  /** Moves to another plan, a second later than whatever was before; the news arrive. */
  move(plan: UsagePlan): Promise<void>;
  putCard(card: keyof typeof CARDS): Promise<void>;
  /** Waits for the end of the period, which Stripe then renews. No news of it arrive. */
  renew(): Promise<void>;
  /** Time passes at Stripe until the renewal's invoice is paid, or is not. No news of it arrive. */
  collect(): Promise<void>;
}

interface Terms {
  readonly plan?: "small" | "large";
  /** So many seconds from now the period ends; without it, in a month. */
  readonly within?: number;
}

/** They have subscribed, and all news of it have arrived. */
export async function consumer(
  t: Stage,
  { plan = "small", within }: Terms = {},
): Promise<Consumer> {
  const { shop } = t;
  if (shop === undefined) throw new Error("The scenario needs usage");
  const { entityId } = ADA;
  const customer = await t.setupPatiently(ADA);
  const putCard = async (card: keyof typeof CARDS) => {
    const { id } = await t.stripe.paymentMethods.attach(CARDS[card], { customer });
    const invoice_settings = { default_payment_method: id };
    await t.stripe.customers.update(customer, { invoice_settings });
  };
  await putCard("good");
  await atEase(t);
  const ends = within === undefined ? undefined : t.double.clock.seconds() + within;
  const subscription = await t.stripe.subscriptions.create({
    customer,
    items: [{ price: shop[plan].price.id }],
    ...(ends === undefined ? {} : { billing_cycle_anchor: ends }),
  });
  await atEase(t);
  const take = (amount: number, key: string) => called(t, "take")({ entityId, amount, key });
  const left = () => called(t, "left")(entityId);
  return {
    entityId,
    customer,
    shop,
    take,
    left,
    putCard,
    checkLeft: async (units, when) => {
      const is = await left();
      t.check(is === units, `${is} units are left ${when}, and not ${units}`);
    },
    move: async ({ price }) => {
      await t.later();
      await change(t, subscription, price.id);
      await atEase(t);
    },
    renew: async () => {
      // What came before the end of the period was to come before it.
      if (ends === undefined || t.double.clock.seconds() >= ends) throw new TooSlow();
      while (Date.now() < (ends + 1) * 1000) await sleep(100);
      await t.double.clock.advance({ seconds: 1 });
    },
    collect: async () => {
      await t.double.clock.advance({ hours: 2 });
    },
  };
}

async function change(t: Stage, { id, items }: Stripe.Subscription, price: string): Promise<void> {
  await t.stripe.subscriptions.update(id, {
    items: [{ id: items.data[0]?.id ?? "", price }],
    proration_behavior: "always_invoice",
  });
}

/** A call of the running subject. */
export function called<Name extends "take" | "takeInVain" | "left" | "give" | "buyPack" | "use">(
  t: Stage,
  name: Name,
) {
  const call = t.instance()[name];
  if (call === undefined) throw new Error(`${t.subject.name} has no ${name}`);
  return call as NonNullable<typeof call>;
}
