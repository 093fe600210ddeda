/** Copying what exists while the world goes on. */
import type { Family } from "../harness/scenario.js";

export const backfill: Family = {
  name: "backfill",
  title: "Backfill",
  why: "A list page is old by the time it is stored, and Stripe's lists hide things unless asked.",
  scenarios: [
    {
      name: "complete",
      what: "An account with 230 customers is copied.",
      must: "All of them are there, each with its name and email.",
      about: ["customer"],
      needs: ["backfill"],
      play: async (t) => {
        t.customers(230);
        await t.backfill();
      },
    },
    {
      name: "canceled-subscriptions",
      what: "Subscriptions that are active, in trial and canceled are copied.",
      must: "All of them are there, the canceled one too.",
      about: ["subscription"],
      needs: ["backfill"],
      play: async (t) => {
        await t.subscribe();
        await t.subscribe({ trial_period_days: 14 });
        const { id } = await t.subscribe();
        await t.stripe.subscriptions.cancel(id);
        t.lose(t.held());
        await t.backfill();
      },
    },
    {
      name: "archived-products-and-prices",
      what: "Archived products and prices are copied, with active ones.",
      must: "All of them are there.",
      about: ["product", "price"],
      needs: ["backfill"],
      play: async (t) => {
        const [, archived] = [await t.price(), await t.price()];
        await t.stripe.prices.update(archived.id, { active: false });
        await t.stripe.products.update(String(archived.product), { active: false });
        t.lose(t.held());
        await t.backfill();
      },
    },
    {
      name: "page-in-flight",
      what: "A customer changes while the page that shows them as they were is on its way; the webhook overtakes the page.",
      must: "The change stands.",
      about: ["customer"],
      needs: ["backfill"],
      play: async (t) => {
        const customer = await t.customer();
        await t.deliver();
        await t.later();
        await t.duringBackfill("customers", async () => {
          await t.stripe.customers.update(customer, { name: "Ada" });
          await t.deliver();
          await t.later();
        });
      },
    },
    {
      name: "deleted-while-in-flight",
      what: "A product is deleted while the page that shows it is on its way; the webhook overtakes the page.",
      must: "The product is gone.",
      about: ["product"],
      needs: ["backfill"],
      play: async (t) => {
        const product = await t.stripe.products.create({ name: "Basic" });
        await t.deliver();
        await t.later();
        await t.duringBackfill("products", async () => {
          await t.stripe.products.del(product.id);
          await t.deliver();
          await t.later();
        });
      },
    },
    {
      name: "lagging-list",
      what: "Stripe's lists lag by eight seconds: a backfill right after a change shows what was before.",
      must: "The change stands.",
      about: ["customer"],
      needs: ["backfill"],
      play: async (t) => {
        const customer = await t.customer();
        await t.deliver();
        for (let second = 0; second < 10; second++) await t.later();
        await t.stripe.customers.update(customer, { name: "Ada" });
        await t.deliver();
        t.fault({ fault: "list_lag", milliseconds: 8000 });
        await t.backfill();
      },
    },
    {
      name: "change-right-after",
      what: "A customer changes in the very second in which a backfill stored them, and the webhook arrives.",
      must: "The change is there.",
      about: ["customer"],
      needs: ["backfill"],
      play: async (t) => {
        const customer = await t.customer();
        await t.deliver();
        await t.later();
        await t.duringBackfill("customers", () => t.later());
        await t.stripe.customers.update(customer, { name: "Ada" });
        await t.deliver();
      },
    },
    {
      name: "cursor-is-deleted",
      what: "Between two pages, the customer on which the first page ended is deleted.",
      must: "Everybody else is there.",
      about: ["customer"],
      needs: ["backfill"],
      play: async (t) => {
        t.customers(150);
        await t.duringBackfill("customers", async () => {
          const list = await t.stripe.customers.list({ limit: 100 });
          await t.stripe.customers.del(list.data.at(-1)?.id ?? "");
        });
        await t.deliver();
      },
    },
    {
      name: "twice-at-once",
      what: "Two instances start the backfill at the same moment.",
      must: "Everything is there once, and both say that they are done.",
      about: ["customer"],
      needs: ["backfill", "kill"],
      play: async (t) => {
        t.customers(120);
        const other = await t.another();
        const [, second] = await Promise.all([t.backfill(), other.backfill?.(["customer"])]);
        t.check(second === true, "the second backfill was not complete");
      },
    },
  ],
};
