/** Products, prices and customers: what can be changed, archived and deleted. */
import type { Theme } from "../../harness/behaviour.js";
import { at, idOf, refusal, statusOf } from "../../harness/read.js";
import { docs, reference, thread } from "../../harness/sources.js";

export const catalogue: Theme = {
  name: "Products, prices and customers",
  behaviours: [
    {
      name: "a price's amount cannot be changed",
      source: docs("products-prices/manage-prices#edit-price"),
      expected: { status: 400, code: "parameter_unknown" },
      async see({ stripe, price }) {
        const path = `/v1/prices/${await price(1000)}`;
        const sent = stripe.rawRequest("POST", path, { unit_amount: 5 });
        const { status, code } = await refusal(sent);
        return { status, code };
      },
    },
    {
      name: "a coupon's percentage cannot be changed",
      source: reference("coupons/update"),
      expected: 400,
      async see({ stripe }) {
        const { id } = await stripe.coupons.create({ percent_off: 10, duration: "once" });
        return statusOf(stripe.rawRequest("POST", `/v1/coupons/${id}`, { percent_off: 5 }));
      },
    },
    {
      name: "a lookup key in use is refused, and can be transferred",
      source: docs("products-prices/manage-prices#lookup-keys"),
      expected: { again: 400, old: null, new: "pro" },
      async see({ stripe, price }) {
        const old = await price(1000, { lookup_key: "pro" });
        const again = await statusOf(price(2000, { lookup_key: "pro" }));
        const moved = await price(3000, { lookup_key: "pro", transfer_lookup_key: true });
        const keyOf = async (id: string) => (await stripe.prices.retrieve(id)).lookup_key;
        return { again, old: await keyOf(old), new: await keyOf(moved) };
      },
    },
    {
      name: "a product with prices cannot be deleted, one without can",
      source: reference("products/delete"),
      expected: { with: 400, without: true },
      async see({ stripe, price }) {
        const product = idOf((await stripe.prices.retrieve(await price(1000))).product);
        const empty = await stripe.products.create({ name: "Empty" });
        return {
          with: await statusOf(stripe.products.del(product)),
          without: (await stripe.products.del(empty.id)).deleted,
        };
      },
    },
    {
      name: "an archived product's prices stay active",
      source: docs("products-prices/manage-prices#archive-a-product"),
      expected: true,
      async see({ stripe, price }) {
        const id = await price(1000);
        const product = idOf((await stripe.prices.retrieve(id)).product);
        await stripe.products.update(product, { active: false });
        return (await stripe.prices.retrieve(id)).active;
      },
    },
    {
      name: "an id that is taken is refused",
      source: docs("error-codes#resource-already-exists"),
      expected: { product: "resource_already_exists", coupon: "resource_already_exists" },
      async see({ stripe }) {
        const product = { id: "pro", name: "Pro" };
        const coupon = { id: "half", percent_off: 50, duration: "once" } as const;
        await stripe.products.create(product);
        await stripe.coupons.create(coupon);
        return {
          product: (await refusal(stripe.products.create(product))).code,
          coupon: (await refusal(stripe.coupons.create(coupon))).code,
        };
      },
    },
    {
      name: "a product can be made with its first price",
      source: reference("products/create#default_price_data"),
      expected: { amount: 1000, interval: "month" },
      async see({ stripe }) {
        const product = await stripe.products.create({
          name: "Pro",
          default_price_data: {
            currency: "usd",
            unit_amount: 1000,
            recurring: { interval: "month" },
          },
          expand: ["default_price"],
        });
        return {
          amount: Number(at(product, "default_price.unit_amount")),
          interval: String(at(product, "default_price.recurring.interval")),
        };
      },
    },
    {
      name: "a product's default price cannot be archived until it is unset",
      source: thread("stripe/stripe-python#658, remi-stripe: unset default_price first"),
      expected: { default: 400, unset: 200 },
      async see({ stripe, price }) {
        const id = await price(1000);
        const product = idOf((await stripe.prices.retrieve(id)).product);
        await stripe.products.update(product, { default_price: id });
        const archive = () => statusOf(stripe.prices.update(id, { active: false }));
        const before = await archive();
        await stripe.products.update(product, { default_price: "" });
        return { default: before, unset: await archive() };
      },
    },
    {
      name: "metadata is merged, and an empty value takes a name away",
      source: docs("api/metadata"),
      expected: { merged: { a: "1", b: "2" }, taken: { b: "2" }, cleared: {} },
      async see({ stripe, customer }) {
        const id = await customer(null, { metadata: { a: "1" } });
        const merged = await stripe.customers.update(id, { metadata: { b: "2" } });
        const taken = await stripe.customers.update(id, { metadata: { a: "" } });
        const cleared = await stripe.customers.update(id, { metadata: "" });
        return { merged: merged.metadata, taken: taken.metadata, cleared: cleared.metadata };
      },
    },
    {
      name: "two customers may have the same email address",
      source: reference("customers/create#email"),
      expected: 2,
      async see({ stripe, customer }) {
        await customer(null);
        await customer(null);
        return (await stripe.customers.list({ email: "ada@example.com" })).data.length;
      },
    },
    {
      name: "an address that is none is refused",
      source: docs("error-codes#email-invalid"),
      expected: { status: 400, code: "email_invalid", param: "email" },
      async see({ stripe }) {
        const { status, code, param } = await refusal(stripe.customers.create({ email: "none" }));
        return { status, code, param };
      },
    },
    {
      name: "a customer's currency is that of the first invoice",
      source: reference("customers/object#currency"),
      expected: { before: null, after: "usd" },
      async see({ stripe, customer, subscribe }) {
        const id = await customer();
        const currency = async () => {
          const payer = await stripe.customers.retrieve(id);
          return payer.deleted ? "deleted" : (payer.currency ?? null);
        };
        const before = await currency();
        await subscribe(1000, { customer: id });
        return { before, after: await currency() };
      },
    },
    {
      name: "subscriptions and sources of a customer are shown when they are asked for",
      source: docs("expand"),
      expected: { plain: false, expanded: 1 },
      async see({ stripe, subscribe }) {
        const id = idOf((await subscribe(1000)).customer);
        const plain = await stripe.customers.retrieve(id);
        const shown = await stripe.customers.retrieve(id, { expand: ["subscriptions"] });
        if (plain.deleted || shown.deleted) return "deleted";
        return {
          plain: plain.subscriptions !== undefined,
          expanded: shown.subscriptions?.data.length,
        };
      },
    },
  ],
};
