/** Data that is unusual and allowed. */
import type { Family } from "../harness/scenario.js";
import { UPDATED } from "./ordering.js";

export const oddData: Family = {
  name: "odd-data",
  title: "Odd data",
  why: "Stripe takes any metadata key, long texts and fractions of cents, and cuts lists inside objects.",
  scenarios: [
    {
      name: "metadata-keys",
      what: "A subscription's metadata has keys such as `clé`, `$x`, `a.b`, `_id`, `constructor` and one of 40 characters.",
      must: "The row is there, with this metadata.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        await t.later();
        await t.stripe.subscriptions.update(subscription.id, {
          items: [{ id: subscription.items.data[0]?.id ?? "", quantity: 2 }],
          proration_behavior: "none",
          metadata: {
            clé: "é",
            $x: "dollar",
            "a.b": "dot",
            _id: "underscore",
            constructor: "prototype",
            "with space": " ",
            "🦄": "unicorn",
            ["k".repeat(40)]: "v".repeat(500),
          },
        });
        await t.deliver();
      },
    },
    {
      name: "texts",
      what: "A customer's name has quotes, a null word, an emoji, right-to-left letters and 200 characters.",
      must: "The name is there, letter by letter.",
      about: ["customer"],
      play: async (t) => {
        const customer = await t.customer();
        await t.deliver();
        await t.later();
        const name = `'; DROP TABLE customers; -- "null" \\u0000 😀 עברית ${"x".repeat(150)}`;
        await t.stripe.customers.update(customer, { name });
        await t.deliver();
      },
    },
    {
      name: "emptied-fields",
      what: "A customer's name, email and metadata are filled and then emptied.",
      must: "They are empty.",
      about: ["customer"],
      play: async (t) => {
        const customer = await t.customer();
        await t.stripe.customers.update(customer, { name: "Ada", metadata: { note: "x" } });
        await t.deliver();
        await t.later();
        await t.stripe.customers.update(customer, { name: "", email: "", metadata: { note: "" } });
        await t.deliver();
      },
    },
    {
      name: "large-object",
      what: "A subscription has 50 metadata keys with 500 characters each.",
      must: "All of them are there.",
      about: ["subscription"],
      play: async (t) => {
        const keys = Array.from({ length: 50 }, (_, i) => [`key_${i}`, `${i}`.padEnd(500, "x")]);
        await t.subscribe({ metadata: Object.fromEntries(keys) as Record<string, string> });
        await t.deliver();
      },
    },
    {
      name: "cut-list",
      what: "A subscription has fifteen items, and Stripe shows the first ten inside it.",
      must: "All fifteen are there.",
      about: ["subscription"],
      play: async (t) => {
        const prices = [];
        for (let i = 0; i < 15; i++) prices.push(await t.price());
        const subscription = await t.subscribe({ prices });
        await t.deliver();
        await t.later();
        await t.seats(subscription, 2);
        await t.deliver(t.held(UPDATED));
      },
    },
    {
      name: "cut-list-in-a-backfill",
      what: "The same subscription is copied by a backfill.",
      must: "All fifteen are there.",
      about: ["subscription"],
      needs: ["backfill"],
      play: async (t) => {
        const prices = [];
        for (let i = 0; i < 15; i++) prices.push(await t.price());
        await t.subscribe({ prices });
        t.lose(t.held());
        await t.backfill();
      },
    },
    {
      name: "fractions-of-a-cent",
      what: "A price of 0.05 cents is made, told of by webhook, and then copied by a backfill.",
      must: "It is the same price.",
      about: ["price"],
      needs: ["backfill"],
      play: async (t) => {
        const product = await t.stripe.products.create({ name: "Requests" });
        await t.stripe.prices.create({
          product: product.id,
          currency: "usd",
          unit_amount_decimal: t.decimal("0.05"),
          recurring: { interval: "month" },
        });
        await t.deliver();
        await t.later();
        await t.backfill();
      },
    },
    {
      name: "payouts-codes-refunds",
      what: "Payouts, coupons, promotion codes and refunds are made and changed; the events arrive last one first.",
      must: "All of them are right.",
      about: ["payout", "coupon", "promotion_code", "refund"],
      play: async (t) => {
        const coupon = await t.stripe.coupons.create({ percent_off: 10, name: "Ten" });
        const code = await t.stripe.promotionCodes.create({
          promotion: { type: "coupon", coupon: coupon.id },
          code: "TEN",
        });
        const payout = t.double.dashboard.payOut(5000, "usd");
        const intent = await t.stripe.paymentIntents.create({
          amount: 2000,
          currency: "usd",
          payment_method: "pm_card_visa",
          confirm: true,
          automatic_payment_methods: { enabled: true, allow_redirects: "never" },
        });
        await t.stripe.refunds.create({ payment_intent: intent.id, amount: 500 });
        await t.later();
        await t.stripe.coupons.update(coupon.id, { name: "Ten per cent" });
        await t.stripe.promotionCodes.update(code.id, { active: false });
        t.double.dashboard.failPayout(payout.id);
        await t.deliverLastFirst();
      },
    },
  ],
};
