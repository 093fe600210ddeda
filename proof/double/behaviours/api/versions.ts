/** API versions that applications pin: shapes, parameters and expansions of their time. */
import type { Theme } from "../../harness/behaviour.js";
import { at, idOf, statusOf } from "../../harness/read.js";
import { changelog, docs } from "../../harness/sources.js";
import type { World } from "../../harness/world.js";

const OLD = { apiVersion: "2024-06-20" };

/** Subscribes by a request of that version, with parameters that today's types do not have. */
async function subscribeOld(
  { stripe, price, customer }: World,
  params: { [name: string]: unknown } = {},
): Promise<unknown> {
  const items = [{ price: await price(1000) }];
  const base = { customer: await customer(), items };
  return stripe.rawRequest("POST", "/v1/subscriptions", { ...base, ...params }, OLD);
}

export const versions: Theme = {
  name: "API versions",
  behaviours: [
    {
      name: "a version that was never released is refused",
      source: docs("api/versioning"),
      expected: { never: 400, old: 200 },
      async see({ stripe }) {
        const list = (apiVersion: string) => statusOf(stripe.customers.list({}, { apiVersion }));
        return { never: await list("2024-01-01"), old: await list("2024-06-20") };
      },
    },
    {
      name: "2024-06-20: the invoice's payment intent can be expanded",
      source: changelog("2025-03-31.basil: invoice.payment_intent is removed"),
      expected: true,
      async see(world) {
        const subscription = await subscribeOld(world, {
          payment_behavior: "default_incomplete",
          expand: ["latest_invoice.payment_intent"],
        });
        const secret = at(subscription, "latest_invoice.payment_intent.client_secret");
        return typeof secret === "string";
      },
    },
    {
      name: "2024-06-20: the parameter coupon, and discount on the subscription",
      source: changelog("2025-03-31.basil: coupon is replaced by discounts"),
      expected: { percent: 10, legacy: true },
      async see(world) {
        const coupon = await world.stripe.coupons.create({ percent_off: 10, duration: "forever" });
        const subscription = await subscribeOld(world, { coupon: coupon.id });
        return {
          percent: Number(at(subscription, "discount.coupon.percent_off")),
          legacy: at(subscription, "discount.coupon.id") === coupon.id,
        };
      },
    },
    {
      name: "2024-06-20: plan, period and quantity on the subscription",
      source: changelog("2025-03-31.basil: periods moved to the items"),
      expected: { plan: 1000, end: "number", quantity: 1 },
      async see(world) {
        const subscription = await subscribeOld(world);
        return {
          plan: Number(at(subscription, "plan.amount")),
          end: typeof at(subscription, "current_period_end"),
          quantity: Number(at(subscription, "quantity")),
        };
      },
    },
    {
      name: "2024-06-20: the invoice names subscription, charge and whether it is paid",
      source: changelog("2025-03-31.basil: invoice.subscription moved to parent"),
      expected: { subscription: true, charge: "string", paid: true, discount: null },
      async see(world) {
        const subscription = await subscribeOld(world, { expand: ["latest_invoice"] });
        const invoice = at(subscription, "latest_invoice");
        return {
          subscription: at(invoice, "subscription") === at(subscription, "id"),
          charge: typeof at(invoice, "charge"),
          paid: at(invoice, "paid") === true,
          discount: at(invoice, "discount") === null ? null : "something else",
        };
      },
    },
    {
      name: "2024-06-20: the upcoming invoice has an address of its own",
      source: changelog("2025-03-31.basil: upcoming invoices are replaced by previews"),
      expected: 1000,
      async see({ stripe, subscribe }) {
        const { id } = await subscribe(1000);
        const path = `/v1/invoices/upcoming?subscription=${id}`;
        return Number(at(await stripe.rawRequest("GET", path, {}, OLD), "total"));
      },
    },
    {
      name: "before 2025-09-30 a promotion code has its coupon",
      source: changelog("2025-09-30.clover: promotion_code.coupon moved to promotion"),
      expected: { old: true, now: false },
      async see({ stripe }) {
        const coupon = await stripe.coupons.create({ percent_off: 10, duration: "once" });
        const { id } = await stripe.promotionCodes.create({
          promotion: { type: "coupon", coupon: coupon.id },
        });
        const old = await stripe.promotionCodes.retrieve(
          id,
          {},
          { apiVersion: "2025-08-27.basil" },
        );
        const now = await stripe.promotionCodes.retrieve(id);
        return { old: at(old, "coupon.id") === coupon.id, now: "coupon" in now };
      },
    },
    {
      name: "an answer says its version",
      source: docs("api/versioning"),
      expected: "2024-06-20",
      async see({ stripe }) {
        return (await stripe.customers.create({}, OLD)).lastResponse.headers["stripe-version"];
      },
    },
    {
      name: "an event of the list has the account's version, not the request's",
      source: docs("webhooks/versioning"),
      expected: true,
      async see({ double, stripe, events }) {
        await stripe.customers.create({}, OLD);
        const [event] = await events("customer.created");
        return idOf(event).startsWith("evt_") && event?.api_version === double.apiVersion;
      },
    },
  ],
};
