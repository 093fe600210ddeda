/** An application with hooks, and what it was told of one subscription. */
import type Stripe from "stripe";
import type { News } from "./hooks.js";
import type { Stage } from "./stage.js";

export interface Listener {
  readonly subscription: Stripe.Subscription;
  /** Moves the subscription to another plan, a second later than whatever was before. */
  move(): Promise<Stripe.Price>;
  cancel(): Promise<void>;
  /** What hooks have done about it since it was there, in the order in which they ended. */
  told(): readonly News[];
  /** Waits for everything, and states that the application was told of this plan so often. */
  checkTold(plan: Stripe.Price, times: number): Promise<void>;
  /** Waits for everything, and states that this plan is the last that it was told of. */
  checkLast(plan: Stripe.Price): Promise<void>;
}

/** Somebody subscribes, and all news of it arrive. */
export async function listener(t: Stage): Promise<Listener> {
  const subscription = await t.subscribe();
  await atEase(t);
  const before = t.inbox.done.length;
  const told = () =>
    t.inbox.done.slice(before).filter((news) => news.subscription === subscription.id);
  return {
    subscription,
    move: async () => {
      const price = await t.price();
      await t.later();
      await t.stripe.subscriptions.update(subscription.id, {
        items: [{ id: subscription.items.data[0]?.id ?? "", price: price.id }],
        proration_behavior: "none",
      });
      return price;
    },
    cancel: async () => {
      await t.later();
      await t.stripe.subscriptions.cancel(subscription.id);
    },
    told,
    checkTold: async (plan, times) => {
      await atEase(t);
      const count = told().filter(({ price }) => price === plan.id).length;
      t.check(count === times, toldOf("the new plan", count));
    },
    checkLast: async (plan) => {
      await atEase(t);
      const last = told().at(-1);
      if (last === undefined) t.check(false, "the application was told nothing");
      else t.check(last.price === plan.id, "the application was last told of an older plan");
    },
  };
}

/** Stripe delivers again what was refused, and the subject does what it does in the background. */
export async function atEase(t: Stage): Promise<void> {
  for (let round = 0; round < 3 && t.held().length > 0; round++) await t.deliver();
  await t.settle();
}

/** States how often the application was told of starts, or of ends. */
export function checkNamed(t: Stage, told: readonly News[], name: News["name"], times = 1): void {
  const count = told.filter((news) => news.name === name).length;
  const what = name === "started" ? "start" : "end";
  t.check(count === times, toldOf(`the ${what}`, count));
}

/** In words, for what is wrong. */
export const toldOf = (what: string, count: number): string =>
  count === 0
    ? `the application was never told of ${what}`
    : `the application was told of ${what} ${often(count)}`;

export const often = (count: number): string =>
  ["never", "once", "twice"][count] ?? `${count} times`;
