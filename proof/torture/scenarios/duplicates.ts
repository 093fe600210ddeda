/** The same event more than once. Stripe says that this happens; people press "Resend" as well. */
import type { Family } from "../harness/scenario.js";
import { CREATED, UPDATED } from "./ordering.js";

export const duplicates: Family = {
  name: "duplicates",
  title: "Duplicates",
  why: "Stripe delivers at least once, and more often when an answer was slow.",
  scenarios: [
    {
      name: "everything-twice",
      what: "A subscription is created, changed and canceled; each event arrives twice in a row.",
      must: "There is one row, and it is right.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.later();
        await t.seats(subscription, 3);
        await t.later();
        await t.stripe.subscriptions.cancel(subscription.id);
        await t.deliver(t.held().flatMap((each) => [each, each]));
      },
    },
    {
      name: "creation-at-once",
      what: "The creations of five subscriptions arrive four times each, all at the same moment.",
      must: "There is one row for each.",
      about: ["subscription"],
      play: async (t) => {
        for (let i = 0; i < 10; i++) await t.subscribe();
        const creations = t.held(CREATED);
        await t.deliver(t.held().filter((each) => !creations.includes(each)));
        await t.deliverAtOnce(creations.slice(0, 5)); // everybody is awake
        const five = creations.slice(5);
        await t.deliverAtOnce([...five, ...five, ...five, ...five]);
      },
    },
    {
      name: "old-event-again",
      what: "An old change is sent again from the dashboard after a newer one was stored.",
      must: "The newer one stands.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        await t.later();
        await t.seats(subscription, 2);
        const [old] = t.held(UPDATED);
        await t.deliver();
        await t.later();
        await t.seats(subscription, 3);
        await t.deliver();
        t.double.deliveries.resend(old?.event ?? "");
        await t.deliver();
      },
    },
    {
      name: "history-again",
      what: "A whole history, a deletion included, arrives in order, and then all of it once more.",
      must: "What is gone stays gone, and the rest is as it was.",
      about: ["customer", "product"],
      play: async (t) => {
        const [kept, gone] = [await t.customer(), await t.customer()];
        const product = await t.stripe.products.create({ name: "Basic" });
        const retired = await t.stripe.products.create({ name: "Retired" });
        await t.later();
        await t.stripe.customers.update(kept, { name: "Ada" });
        await t.stripe.customers.update(gone, { name: "Bob" });
        await t.stripe.products.update(product.id, { name: "Starter" });
        await t.later();
        await t.stripe.customers.del(gone);
        await t.stripe.products.del(retired.id);
        const history = t.held();
        await t.deliver(history);
        await t.deliver(history);
      },
    },
    {
      name: "checkout-backwards",
      what: "Somebody subscribes by checkout; the events of session, invoice, payment and subscription arrive twice, last one first.",
      must: "The subscription is active.",
      about: ["subscription"],
      play: async (t) => {
        const [customer, price] = [await t.customer(), await t.price()];
        await t.deliver();
        const session = await t.stripe.checkout.sessions.create({
          mode: "subscription",
          customer,
          line_items: [{ price: price.id, quantity: 1 }],
          success_url: "https://app.example/welcome",
        });
        t.payCheckout(session.id);
        await t.deliver([...t.held()].reverse().flatMap((each) => [each, each]));
      },
    },
  ],
};
