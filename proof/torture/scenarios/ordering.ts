/** Events that arrive in another order than they happened. Stripe promises none. */
import type { Family } from "../harness/scenario.js";

/** Every order of three. */
export const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

export const UPDATED = "customer.subscription.updated";
export const CREATED = "customer.subscription.created";
export const DELETED = "customer.subscription.deleted";

export const ordering: Family = {
  name: "ordering",
  title: "Order",
  why: "Stripe does not promise an order; retries alone are enough to break it.",
  scenarios: [
    {
      name: "shuffled-updates",
      what: "Three changes of seats, seconds apart, arrive in each of the six possible orders.",
      must: "Each subscription has the seats of its last change.",
      about: ["subscription"],
      play: async (t) => {
        const subscriptions = [];
        for (const _ of ORDERS) subscriptions.push(await t.subscribe());
        await t.deliver();
        for (const seats of [2, 3, 4]) {
          await t.later();
          for (const each of subscriptions) await t.seats(each, seats);
        }
        const updates = t.held(UPDATED);
        for (const [index, order] of ORDERS.entries()) {
          const own = updates.filter((_, at) => at % ORDERS.length === index);
          await t.deliver(order.flatMap((at) => own[at] ?? []));
        }
      },
    },
    {
      name: "update-before-creation",
      what: "A subscription's change of seats arrives before the news of its creation.",
      must: "The subscription has its new seats.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.later();
        await t.seats(subscription, 5);
        await t.deliver(t.held(UPDATED));
        await t.deliver();
      },
    },
    {
      name: "late-update-after-cancellation",
      what: "A subscription is canceled; a change from before arrives afterwards.",
      must: "It stays canceled.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        await t.later();
        await t.seats(subscription, 2);
        await t.later();
        await t.stripe.subscriptions.cancel(subscription.id);
        const late = t.held(UPDATED);
        await t.deliver(t.held(DELETED));
        await t.deliver(late);
      },
    },
    {
      name: "late-event-with-fewer-items",
      what: "A second item is added to a subscription; a change from before, with one item, arrives late.",
      must: "Both items are there.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        const extra = await t.price();
        await t.deliver();
        await t.later();
        await t.seats(subscription, 2);
        await t.later();
        await t.stripe.subscriptionItems.create({ subscription: subscription.id, price: extra.id });
        const [late, ...rest] = t.held(UPDATED);
        await t.deliver(rest);
        if (late !== undefined) await t.deliver([late]);
      },
    },
    {
      name: "history-backwards",
      what: "Ten changes of a subscription, seconds apart, arrive last one first.",
      must: "The subscription is as after the last one.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        for (let seats = 2; seats <= 11; seats++) {
          if (seats % 3 === 0) await t.later();
          await t.seats(subscription, seats);
        }
        await t.deliverLastFirst();
      },
    },
    {
      name: "all-at-once",
      what: "Ten subscriptions change three times each, and all thirty events arrive at the same moment.",
      must: "Each subscription is as after its last change.",
      about: ["subscription"],
      play: async (t) => {
        const all = [];
        for (let i = 0; i < 10; i++) all.push(await t.subscribe());
        await t.deliver();
        for (const seats of [2, 3, 4]) {
          await t.later();
          for (const each of all) await t.seats(each, seats);
        }
        await t.deliverAtOnce([...t.held()].reverse());
      },
    },
    {
      name: "late-update-of-archived-product",
      what: "A product is renamed and then archived; the renaming arrives last.",
      must: "The product is archived, with its new name.",
      about: ["product"],
      play: async (t) => {
        const product = await t.stripe.products.create({ name: "Basic" });
        await t.deliver();
        await t.later();
        await t.stripe.products.update(product.id, { name: "Starter" });
        await t.later();
        await t.stripe.products.update(product.id, { active: false });
        await t.deliverLastFirst();
      },
    },
    {
      name: "answer-overtaken",
      what: "An event makes the subject ask Stripe; before the answer arrives, the subscription changes again and that event is handled.",
      must: "The last change stands.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        await t.settle();
        await t.later();
        await t.inOneSecond(async () => {
          for (const seats of [2, 3]) await t.seats(subscription, seats);
        });
        const [two, ...three] = t.held(UPDATED);
        await t.deliver(three);
        const answer = t.gate.hold(/^GET \/v1\/subscriptions[/?]/, 4_000);
        const asking = t.deliver(two === undefined ? [] : [two]);
        await answer.caught.catch(() => {}); // a subject that does not ask has nothing to wait for
        await t.later();
        await t.seats(subscription, 9);
        await t.deliver(t.held(UPDATED).slice(-1));
        answer.release();
        await asking;
      },
    },
    {
      name: "refused-then-retried",
      what: "The endpoint is down for one change and up for the next; Stripe delivers the first one again.",
      must: "The later change stands.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        await t.later();
        await t.seats(subscription, 2);
        t.reachable = false;
        const first = t.held(UPDATED);
        await t.deliver(first);
        t.reachable = true;
        await t.later();
        await t.seats(subscription, 3);
        await t.deliver(t.held(UPDATED).filter((each) => !first.includes(each)));
        await t.deliver(first);
      },
    },
  ],
};
