/** Deletions, and what arrives after them. */
import type { Family } from "../harness/scenario.js";

export const deletes: Family = {
  name: "deletes",
  title: "Deletions",
  why: "A row that comes back to life is worse than a late one: somebody may sell what it names.",
  scenarios: [
    {
      name: "late-update-of-a-customer",
      what: "A customer is deleted; a change from before arrives afterwards.",
      must: "The customer stays gone.",
      about: ["customer"],
      play: async (t) => {
        const customer = await t.customer();
        await t.deliver();
        await t.later();
        await t.stripe.customers.update(customer, { name: "Ada" });
        await t.later();
        await t.stripe.customers.del(customer);
        await t.deliverLastFirst();
      },
    },
    {
      name: "late-update-of-a-product",
      what: "A product is deleted; a change from before arrives afterwards.",
      must: "The product stays gone.",
      about: ["product"],
      play: async (t) => {
        const product = await t.stripe.products.create({ name: "Basic" });
        await t.deliver();
        await t.later();
        await t.stripe.products.update(product.id, { name: "Starter" });
        await t.later();
        await t.stripe.products.del(product.id);
        await t.deliverLastFirst();
      },
    },
    {
      name: "late-update-of-a-price",
      what: "A price is deleted in the dashboard; a change from before arrives afterwards.",
      must: "The price stays gone.",
      about: ["price"],
      play: async (t) => {
        const price = await t.price();
        await t.deliver();
        await t.later();
        await t.stripe.prices.update(price.id, { nickname: "Old" });
        await t.later();
        t.double.dashboard.deletePrice(price.id);
        await t.deliverLastFirst();
      },
    },
    {
      name: "deletion-before-creation",
      what: "A product lives for two seconds; its deletion arrives first, its creation last.",
      must: "There is no such product.",
      about: ["product"],
      play: async (t) => {
        const product = await t.stripe.products.create({ name: "Mistake" });
        await t.later();
        await t.stripe.products.update(product.id, { name: "Mistaken" });
        await t.later();
        await t.stripe.products.del(product.id);
        await t.deliverLastFirst();
      },
    },
    {
      name: "id-comes-back",
      what: "A coupon with an id of its own is deleted and made anew under the same id; all in order.",
      must: "The new coupon is there.",
      about: ["coupon"],
      play: async (t) => {
        await t.stripe.coupons.create({ id: "SPRING", percent_off: 10, name: "Ten" });
        await t.deliver();
        await t.later();
        await t.stripe.coupons.del("SPRING");
        await t.deliver();
        await t.later();
        await t.stripe.coupons.create({ id: "SPRING", percent_off: 20, name: "Twenty" });
        await t.deliver();
      },
    },
    {
      name: "id-comes-back-in-another-order",
      what: "A product with an id of its own is deleted and made anew; the deletion arrives last.",
      must: "The new product is there.",
      about: ["product"],
      play: async (t) => {
        await t.stripe.products.create({ id: "basic", name: "Basic" });
        await t.deliver();
        await t.later();
        await t.stripe.products.del("basic");
        await t.later();
        await t.stripe.products.create({ id: "basic", name: "Basic, again" });
        await t.deliverLastFirst();
      },
    },
    {
      name: "customer-with-subscriptions",
      what: "A customer with two subscriptions is deleted, which cancels them; the events arrive last one first.",
      must: "Both subscriptions are canceled.",
      about: ["subscription"],
      needs: ["several subscriptions"],
      play: async (t) => {
        const customer = await t.customer();
        await t.subscribe({ customer });
        await t.subscribe({ customer });
        await t.deliver();
        await t.later();
        await t.stripe.customers.del(customer);
        await t.deliverLastFirst();
      },
    },
  ],
};
