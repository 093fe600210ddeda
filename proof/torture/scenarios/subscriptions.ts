/** Several subscriptions of one customer, and what people read from them. */
import type { Family } from "../harness/scenario.js";
import { shopper } from "../harness/shopper.js";
import { UPDATED } from "./ordering.js";

export const subscriptions: Family = {
  name: "subscriptions",
  title: "Several subscriptions",
  why: "Whether somebody may use what they paid for is decided by these rows.",
  scenarios: [
    {
      name: "two-of-one-customer",
      what: "A customer has two subscriptions; one changes, the other one is canceled.",
      must: "Both rows are there, each with its own state.",
      about: ["subscription"],
      needs: ["several subscriptions"],
      play: async (t) => {
        const customer = await t.customer();
        const one = await t.subscribe({ customer });
        const two = await t.subscribe({ customer });
        await t.deliver();
        await t.later();
        await t.seats(one, 3);
        await t.stripe.subscriptions.cancel(two.id);
        await t.deliver();
      },
    },
    {
      name: "news-of-the-second-first",
      what: "A customer with one subscription takes a second one; its change arrives before its creation.",
      must: "The first one is untouched, and the second one is there.",
      about: ["subscription"],
      needs: ["several subscriptions"],
      play: async (t) => {
        const customer = await t.customer();
        await t.subscribe({ customer });
        await t.deliver();
        await t.later();
        const second = await t.subscribe({ customer });
        await t.later();
        await t.seats(second, 8);
        await t.deliver(t.held(UPDATED));
        await t.deliver();
      },
    },
    {
      name: "twenty",
      what: "A customer takes twenty subscriptions, and every second one is canceled; all events arrive at once.",
      must: "All twenty are there, each with its own state.",
      about: ["subscription"],
      needs: ["several subscriptions"],
      play: async (t) => {
        const [customer, price] = [await t.customer(), await t.price()];
        const all = [];
        for (let i = 0; i < 20; i++) all.push(await t.subscribe({ customer, prices: [price] }));
        await t.deliver();
        await t.later();
        for (const [index, { id }] of all.entries()) {
          if (index % 2 === 0) await t.stripe.subscriptions.cancel(id);
        }
        await t.deliverAtOnce(t.held());
      },
    },
    {
      name: "changed-plan",
      what: "A subscription is moved to another price, with another quantity, and back.",
      must: "It has the price and the quantity that it has at Stripe.",
      about: ["subscription"],
      play: async (t) => {
        const [basic, pro] = [await t.price(), await t.price()];
        const { id, items } = await t.subscribe({ prices: [basic] });
        await t.deliver();
        const item = items.data[0]?.id ?? "";
        for (const [price, quantity] of [
          [pro.id, 5],
          [basic.id, 2],
        ] as const) {
          await t.later();
          const change = { items: [{ id: item, price, quantity }] };
          await t.stripe.subscriptions.update(id, { ...change, proration_behavior: "none" });
        }
        await t.deliverLastFirst();
      },
    },
    {
      name: "ways-to-cancel",
      what: "One subscription will end with its period, another one at a date, and a third was to end and is kept.",
      must: "Each says when it ends, as at Stripe.",
      about: ["subscription"],
      play: async (t) => {
        const [period, date, kept] = [
          await t.subscribe(),
          await t.subscribe(),
          await t.subscribe(),
        ];
        await t.deliver();
        await t.later();
        const soon = Math.floor(Date.now() / 1000) + 10 * 86_400;
        await t.stripe.subscriptions.update(period.id, { cancel_at_period_end: true });
        await t.stripe.subscriptions.update(date.id, { cancel_at: soon });
        await t.stripe.subscriptions.update(kept.id, { cancel_at_period_end: true });
        await t.deliver();
        await t.later();
        await t.stripe.subscriptions.update(kept.id, { cancel_at_period_end: false });
        await t.deliver();
      },
    },
    {
      name: "ever-had-a-trial",
      what: "A trial is canceled, and the person comes back later and pays.",
      must: "Both subscriptions are there, and the first one says when its trial was.",
      about: ["subscription"],
      needs: ["several subscriptions"],
      play: async (t) => {
        const customer = await t.customer();
        const { id } = await t.subscribe({ customer, trial_period_days: 14 });
        await t.deliver();
        await t.later();
        await t.stripe.subscriptions.cancel(id);
        await t.deliver();
        await t.later();
        await t.subscribe({ customer });
        await t.deliver();
      },
    },
    {
      name: "back-before-the-webhook",
      what: "Somebody pays in checkout and is sent back; no webhook has arrived yet.",
      must: "The page they land on already knows of their subscription.",
      about: ["subscription"],
      needs: ["return route"],
      play: async (t) => {
        const ada = await shopper(t);
        const page = await ada.click(await t.price());
        await ada.pay(page);
        await ada.comeBack(page);
        t.check(
          (await t.instance().rows("subscription")).some(({ status }) => status === "active"),
          "there was no active subscription when the person was back",
        );
      },
    },
  ],
};
