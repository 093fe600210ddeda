/** Usage as API versions before 2025-03-31 report it: records of an item, without a meter. */
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { ask, errorOf, type Json, payer, rig } from "./kit.js";

const OLD = "2024-06-20";

async function shop(aggregate_usage?: string) {
  const { double } = await rig();
  const stripe = new Stripe(double.secretKey, {
    ...double.stripeConfig,
    maxNetworkRetries: 0,
    apiVersion: OLD as never,
  });
  const price = await stripe.prices.create({
    currency: "usd",
    unit_amount: 100,
    product_data: { name: "API" },
    recurring: {
      interval: "month",
      usage_type: "metered",
      ...(aggregate_usage ? { aggregate_usage } : {}),
    } as never,
  });
  const { id: customer } = await payer(stripe);
  const items = [{ price: price.id }];
  const subscription = await stripe.subscriptions.create({ customer, items });
  const item = subscription.items.data[0]?.id ?? "";
  const report = (form: { [name: string]: string }, version = OLD) =>
    ask(double, `/v1/subscription_items/${item}/usage_records`, {
      method: "POST",
      headers: { "Stripe-Version": version },
      body: new URLSearchParams(form),
    });
  const total = async () => {
    const [invoice] = (await stripe.invoices.list({ customer })).data;
    return invoice?.total;
  };
  return { double, stripe, price, item, report, total };
}

describe("usage records", () => {
  // API reference of 2024-06-20: prices/create#recurring.aggregate_usage
  it.each([
    [undefined, 60],
    ["sum", 60],
    ["max", 30],
    ["last_during_period", 10],
    ["last_ever", 10],
  ] as const)("make up the usage of a period: %s", async (aggregate, quantity) => {
    const { double, price, report, total } = await shop(aggregate);
    expect((price as unknown as Json).recurring).toMatchObject({
      aggregate_usage: aggregate ?? "sum",
      meter: null,
    });
    for (const used of ["20", "30", "10"]) {
      expect((await report({ quantity: used })).status).toBe(200);
      await double.clock.advance({ days: 1 });
    }
    await double.clock.advance({ days: 29 });
    expect(await total()).toBe(quantity * 100);
    await double.clock.advance({ days: 31 });
    expect(await total()).toBe(aggregate === "last_ever" ? 1000 : 0);
  });

  it("are set or added to", async () => {
    const { double, item, report, total } = await shop();
    await report({ quantity: "5" });
    const { body } = await report({ quantity: "3", action: "set" });
    expect(body).toMatchObject({ object: "usage_record", quantity: 3, subscription_item: item });
    await report({ quantity: "1", action: "increment" });
    await double.clock.advance({ days: 32 });
    expect(await total()).toBe(400);
  });

  // thread: stripe/stripe-node#725, the message
  it("are not taken for a period that is over", async () => {
    const { report } = await shop();
    const { status, body } = await report({ quantity: "5", timestamp: "1000000000" });
    expect(status).toBe(400);
    expect((body.error as Json).message).toContain("must be after the subscription's last invoice");
  });

  // changelog 2025-03-31: usage records and prices without a meter are removed
  it("are gone since 2025-03-31, with the prices that need them", async () => {
    const { stripe, report } = await shop();
    expect((await report({ quantity: "5" }, "2025-03-31.basil")).status).toBe(404);
    const create = (recurring: object) =>
      stripe.prices.create(
        {
          currency: "usd",
          unit_amount: 100,
          product_data: { name: "API" },
          recurring: recurring as never,
        },
        { apiVersion: "2025-03-31.basil" },
      );
    const metered = { interval: "month", usage_type: "metered" };
    expect((await errorOf(create(metered))).param).toBe("recurring[meter]");
    const named = create({ ...metered, aggregate_usage: "sum" });
    expect((await errorOf(named)).code).toBe("parameter_unknown");
  });

  // docs: billing/subscriptions/billing-mode, "Limitations"
  it("are not for flexible billing mode", async () => {
    const { stripe, price } = await shop();
    const { id: customer } = await payer(stripe);
    const error = await errorOf(
      stripe.subscriptions.create({
        customer,
        items: [{ price: price.id }],
        billing_mode: { type: "flexible" },
      }),
    );
    expect(error.statusCode).toBe(400);
  });
});
