/** Changes within one second. Stripe's `created` has whole seconds and cannot tell them apart. */
import type Stripe from "stripe";
import type { Family } from "../harness/scenario.js";
import { DELETED, ORDERS, UPDATED } from "./ordering.js";

export const sameSecond: Family = {
  name: "same-second",
  title: "The same second",
  why: "An application that creates something and changes it at once does this every time.",
  scenarios: [
    {
      name: "created-then-updated",
      what: "A subscription is created and changed within one second; the events arrive in order.",
      must: "The change is there.",
      about: ["subscription"],
      play: async (t) => {
        const [customer, price] = [await t.customer(), await t.price()];
        await t.deliver();
        await t.inOneSecond(async () => {
          await t.seats(await t.subscribe({ customer, prices: [price] }), 7);
        });
        await t.deliver();
      },
    },
    {
      name: "shuffled-updates",
      what: "Three changes within one second arrive in each of the six possible orders.",
      must: "Each subscription has the seats of its last change.",
      about: ["subscription"],
      play: async (t) => {
        const all: Stripe.Subscription[] = [];
        for (const _ of ORDERS) all.push(await t.subscribe());
        await t.deliver();
        await t.later();
        await t.inOneSecond(async () => {
          for (const seats of [2, 3, 4]) for (const each of all) await t.seats(each, seats);
        });
        const updates = t.held(UPDATED);
        for (const [index, order] of ORDERS.entries()) {
          const own = updates.filter((_, at) => at % ORDERS.length === index);
          await t.deliver(order.flatMap((at) => own[at] ?? []));
        }
      },
    },
    {
      name: "updated-then-canceled",
      what: "A subscription is changed and canceled within one second; the events arrive in order.",
      must: "It is canceled.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        await t.later();
        await t.inOneSecond(async () => {
          await t.seats(subscription, 2);
          await t.stripe.subscriptions.cancel(subscription.id);
        });
        await t.deliver();
      },
    },
    {
      name: "canceled-then-updated-in-delivery",
      what: "A subscription is changed and canceled within one second; the cancellation arrives first.",
      must: "It is canceled.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        await t.later();
        await t.inOneSecond(async () => {
          await t.seats(subscription, 2);
          await t.stripe.subscriptions.cancel(subscription.id);
        });
        const late = t.held(UPDATED);
        await t.deliver(t.held(DELETED));
        await t.deliver(late);
      },
    },
    {
      name: "updated-then-deleted",
      what: "A customer is changed and deleted within one second; the events arrive in order.",
      must: "The customer is gone.",
      about: ["customer"],
      play: async (t) => {
        const customer = await t.customer();
        await t.deliver();
        await t.later();
        await t.inOneSecond(async () => {
          await t.stripe.customers.update(customer, { name: "Ada" });
          await t.stripe.customers.del(customer);
        });
        await t.deliver();
      },
    },
    {
      name: "there-and-back",
      what: "Seats go from 1 to 2 and back within one second; the events arrive in either order.",
      must: "Both subscriptions have 1 seat.",
      about: ["subscription"],
      play: async (t) => {
        const [one, two] = [await t.subscribe(), await t.subscribe()];
        await t.deliver();
        await t.later();
        await t.inOneSecond(async () => {
          for (const seats of [2, 1]) for (const each of [one, two]) await t.seats(each, seats);
        });
        const [there1, there2, back1, back2] = t.held(UPDATED);
        if (!there1 || !there2 || !back1 || !back2) throw new Error("Four events were expected");
        await t.deliver([there1, back1, back2, there2]);
      },
    },
    {
      name: "times-off-by-a-second",
      what: "Three subscriptions change eight times in quick succession; the events carry times that are off by up to a second, and arrive in order.",
      must: "Each is as after its last change.",
      about: ["subscription"],
      play: async (t) => {
        const all = [await t.subscribe(), await t.subscribe(), await t.subscribe()];
        await t.deliver();
        t.fault({ fault: "skewed_created" });
        for (let seats = 2; seats <= 9; seats++) {
          for (const each of all) await t.seats(each, seats);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        await t.deliver();
      },
    },
    {
      name: "last-name-first",
      what: "A product gets five names within one second; the last one arrives first.",
      must: "It has its last name.",
      about: ["product"],
      play: async (t) => {
        const product = await t.stripe.products.create({ name: "Name 0" });
        await t.deliver();
        await t.later();
        await t.inOneSecond(async () => {
          for (let i = 1; i <= 5; i++) {
            await t.stripe.products.update(product.id, { name: `Name ${i}` });
          }
        });
        await t.deliverLastFirst();
      },
    },
  ],
};
