/** Requests and answers before 2025-03-31.basil (changelog: Basil; stripe-node 18.0.0). */
import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { client, errorOf, type Json, openShop, payer, type Rig, rig, type Shop } from "./kit.js";

const OLD = "2024-06-20" as Stripe.LatestApiVersion;

let it_: Rig;
let old: Stripe;
let shop: Shop;
let customer: string;

beforeEach(async () => {
  it_ = await rig();
  old = client(it_.double, it_.double.secretKey, { apiVersion: OLD });
  shop = await openShop(it_.stripe);
  customer = (await payer(it_.stripe)).id;
  await it_.stripe.coupons.create({ id: "TEN", percent_off: 10, duration: "forever" });
});

/** What the types of the newest version do not know. */
const subscribe = async (params: object = {}) =>
  (await old.subscriptions.create({
    customer,
    items: [{ price: shop.monthly.id, quantity: 2 }],
    ...params,
  })) as unknown as Json;

describe("expansions", () => {
  it("reach the plan of a customer's subscriptions, which is there without them too", async () => {
    const made = await subscribe();
    const whole = await old.customers.retrieve(customer, { expand: ["subscriptions.data.plan"] });
    expect(whole).toMatchObject({ subscriptions: { data: [{ plan: made.plan }] } });
    expect(made.plan).toMatchObject({ object: "plan", id: shop.monthly.id });
  });

  it("reach the payment intent of the latest invoice, before it is paid", async () => {
    const made = await subscribe({
      payment_behavior: "default_incomplete",
      expand: ["latest_invoice.payment_intent"],
    });
    expect(made.latest_invoice).toMatchObject({
      payment_intent: { object: "payment_intent", client_secret: expect.stringMatching(/^pi_/) },
      charge: null,
    });
  });

  it("reach the charge, the subscription and the invoice, each from the other", async () => {
    const { id } = await subscribe();
    const [invoice] = (
      await old.invoices.list({
        expand: ["data.charge", "data.subscription", "data.payment_intent.invoice"],
      })
    ).data;
    expect(invoice).toMatchObject({
      charge: { object: "charge", invoice: invoice?.id },
      subscription: { id },
      payment_intent: { invoice: { id: invoice?.id } },
    });
  });

  it("reach the coupon of a discount, which is shown whole all the same", async () => {
    const { id } = await subscribe({ coupon: "TEN" });
    const expand = ["discounts.coupon.applies_to", "discount.coupon"];
    const shown = await old.subscriptions.retrieve(String(id), { expand });
    const coupon = { id: "TEN", percent_off: 10 };
    expect(shown).toMatchObject({ discounts: [{ coupon }], discount: { coupon } });
  });

  it("are refused in the newest version, and reach the plan before", async () => {
    await subscribe();
    for (const name of ["payment_intent", "charge", "subscription", "discount"]) {
      const expand = [`data.${name}`];
      expect(await errorOf(it_.stripe.invoices.list({ expand }))).toMatchObject({
        statusCode: 400,
        message: `This property cannot be expanded (data.${name}).`,
      });
    }
    const expand = ["subscriptions.data.plan"];
    const shown = await old.customers.retrieve(customer, { expand });
    expect(shown).toMatchObject({ subscriptions: { data: [{ plan: { id: shop.monthly.id } }] } });
  });
});

describe("the upcoming invoice", () => {
  // Source: changelog 2025-03-31.basil, upcoming invoices are replaced by previews.
  const upcoming = async (path: string, stripe = old) =>
    (await stripe.rawRequest("GET", `/v1/invoices/upcoming${path}`)) as unknown as Json;

  it("is the preview of the newer versions, without an id", async () => {
    const { id, items } = await subscribe();
    const [item] = (items as { data: Json[] }).data;
    const change = `subscription=${id}&subscription_items[0][id]=${item?.id}&subscription_items[0][quantity]=5`;
    await it_.double.clock.advance({ days: 10 });
    for (const [query, params] of [
      [`subscription=${id}`, {}],
      [`customer=${customer}`, {}],
      [`${change}&subscription_proration_behavior=none`, { quantity: 5, behavior: "none" }],
      [
        `${change}&subscription_proration_behavior=always_invoice`,
        { quantity: 5, behavior: "always_invoice" },
      ],
    ] as const) {
      const preview = await it_.stripe.invoices.createPreview({
        subscription: String(id),
        ...("quantity" in params
          ? {
              subscription_details: {
                items: [{ id: String(item?.id), quantity: params.quantity }],
                proration_behavior: params.behavior,
              },
            }
          : {}),
      });
      const shown = await upcoming(`?${query}`);
      expect(shown).not.toHaveProperty("id");
      expect([shown.total, shown.subscription]).toEqual([preview.total, id]);
      const lines = (await upcoming(`/lines?${query}`)) as { data?: Json[] };
      expect(lines.data?.map(({ amount }) => amount)).toEqual(
        preview.lines.data.map(({ amount }) => amount),
      );
    }
  });

  it("is no address of the newest version", async () => {
    const { id } = await subscribe();
    const asked = upcoming(`?subscription=${id}`, it_.stripe);
    expect((await errorOf(asked)).statusCode).toBe(404);
  });
});

describe("the subscription and its invoice", () => {
  it("show one discount, one plan and its quantity", async () => {
    const made = await subscribe({ coupon: "TEN", expand: ["latest_invoice"] });
    expect(made).toMatchObject({
      discount: { object: "discount", coupon: { id: "TEN", object: "coupon" } },
      plan: { id: shop.monthly.id, amount: 2000, interval: "month" },
      quantity: 2,
      latest_invoice: { total: 3600, discount: { coupon: { id: "TEN" } } },
    });
    expect(await subscribe()).toMatchObject({ discount: null });
    const two = { items: [{ price: shop.monthly.id }, { price: await another() }] };
    expect(await subscribe(two)).toMatchObject({ plan: null, quantity: null });
  });

  it("show the price on each line, and what the line is for", async () => {
    const made = await subscribe({ expand: ["latest_invoice"] });
    const [item] = (made.items as { data: Json[] }).data;
    const [line] = (made.latest_invoice as { lines: { data: Json[] } }).lines.data;
    expect(line).toMatchObject({
      price: { id: shop.monthly.id, unit_amount: 2000 },
      plan: { id: shop.monthly.id },
      proration: false,
      subscription_item: item?.id,
      type: "subscription",
    });
    expect(line).not.toHaveProperty("pricing");
  });
});

async function another(): Promise<string> {
  const { id } = await it_.stripe.prices.create({
    product: shop.product.id,
    currency: "usd",
    unit_amount: 500,
    recurring: { interval: "month" },
  });
  return id;
}

describe("the parameters `coupon` and `promotion_code`", () => {
  it("discount a subscription, and an empty one takes the discount away", async () => {
    const { id } = await subscribe();
    const change = async (params: object) =>
      (await old.subscriptions.update(String(id), params)) as unknown as Json;
    expect(await change({ coupon: "TEN" })).toMatchObject({ discount: { coupon: { id: "TEN" } } });
    expect(await change({ coupon: "" })).toMatchObject({ discount: null, discounts: [] });
    const promotion = { type: "coupon", coupon: "TEN" } as const;
    const code = await it_.stripe.promotionCodes.create({ promotion });
    expect(await change({ promotion_code: code.id })).toMatchObject({
      discount: { promotion_code: code.id },
    });
  });

  it("discount a customer, and what has no discount of its own", async () => {
    const change = async (params: object) =>
      (await old.customers.update(customer, params)) as unknown as Json;
    expect(await change({ coupon: "TEN" })).toMatchObject({ discount: { coupon: { id: "TEN" } } });
    const total = (params: object = {}) =>
      subscribe({ expand: ["latest_invoice"], ...params }).then(
        ({ latest_invoice: invoice }) => (invoice as Json).total,
      );
    await it_.stripe.coupons.create({ id: "HALF", percent_off: 50, duration: "forever" });
    expect([await total(), await total({ coupon: "HALF" })]).toEqual([3600, 2000]);
    expect(await it_.stripe.customers.deleteDiscount(customer)).toMatchObject({ deleted: true });
    expect(await total()).toBe(4000);
    const again = it_.stripe.customers.deleteDiscount(customer);
    expect((await errorOf(again)).statusCode).toBe(404);
  });

  it("are unknown since 2025-03-31", async () => {
    const params = { customer, items: [{ price: shop.monthly.id }], coupon: "TEN" } as object;
    const made = it_.stripe.subscriptions.create(params as Stripe.SubscriptionCreateParams);
    expect(await errorOf(made)).toMatchObject({ statusCode: 400, code: "parameter_unknown" });
  });
});
