/** Section 1: what the service does. */
import { expect } from "vitest";
import type { Checks, SpecApp, VariantName } from "../harness.js";
import {
  existing,
  expectMirror,
  linkNamed,
  onlyRow,
  openShop,
  populate,
  refusal,
  sessionAt,
  subscriber,
  visit,
} from "../kit.js";
import { fillsTables } from "./cron.js";

/** Nothing that either variant exports, and no link of variant A's client, is reached from outside. */
export async function expectInternal(app: SpecApp): Promise<void> {
  const { A, B } = app.exports;
  const names = new Set([...A.names, ...B.names, "subscribe", "pay"]);
  await app.settle(); // so that no request of the background is counted
  const before = app.double.requests.count();
  for (const name of names) {
    expect(await app.callFromOutside(name, { entityId: "user_1" }), name).toBe("refused");
  }
  expect(app.double.requests.count()).toBe(before);
}

export const overview: Checks<"1."> = {
  "1.1": async (open) => {
    const app = await open();
    await app.stripe.products.create({ name: "Engine" });
    await app.settle();
    expect(await app.b.setup({ entityId: "user_1" })).toBeDefined();
    await expectMirror(app, "products");

    await app.deploy({ STRIPE_SECRET_KEY: undefined });
    expect((await refusal(app.b.setup({ entityId: "user_2" }))).code).toBe("invalid_config");
    await app.deploy({ STRIPE_SECRET_KEY: app.double.secretKey, STRIPE_WEBHOOK_SECRET: undefined });
    await app.stripe.products.create({ name: "Another" });
    await app.double.settle();
    expect(app.double.deliveries.all().at(-1)).toMatchObject({ attempts: [{ status: 500 }] });
    expect(await app.rows("products")).toHaveLength(1);
  },

  "1.2": async (open) => {
    const app = await open();
    const product = await app.stripe.products.create({ name: "Engine" });
    await app.settle();
    expect(app.double.deliveries.all()).toMatchObject([
      { type: "product.created", state: "delivered", attempts: [{ status: 200 }] },
    ]);
    expect(await onlyRow(app, "products")).toMatchObject({
      productId: product.id,
      stripe: { name: "Engine" },
    });
  },

  "1.3#sync": async (open) => {
    const app = await open({ delivery: "held" });
    await populate(app);
    expect(await app.rows("products")).toEqual([]);
    await app.a.sync();
    for (const resource of ["products", "prices", "customers", "subscriptions"] as const) {
      await expectMirror(app, resource);
    }
  },

  "1.3#cron": fillsTables,

  "1.4": async (open) => {
    const app = await open();
    const { customerId } = await app.b.setup({ entityId: "org_1" });
    expect(await app.stripe.customers.retrieve(customerId)).toMatchObject({
      metadata: { entityId: "org_1" },
    });
    expect(await onlyRow(app, "customers")).toMatchObject({ entityId: "org_1", customerId });
    expect(await app.b.setup({ entityId: "org_1" })).toEqual({ customerId });
  },

  "1.5#subscribe": async (open) => {
    const app = await open();
    const { monthly } = await openShop(app);
    const { url } = await app.a.subscribe({
      entityId: "user_1",
      priceId: monthly.id,
      mode: "subscription",
      success_url: `${app.baseUrl}/welcome`,
      cancel_url: `${app.baseUrl}/pricing`,
    });
    expect(await sessionAt(app, url)).toMatchObject({ mode: "subscription", status: "open" });
    expect((await visit(url)).status).toBe(200);
  },

  "1.5#checkout": async (open) => {
    const app = await open();
    const { monthly } = await openShop(app);
    const { url } = await app.b.checkout({
      entityId: "user_1",
      priceId: monthly.id,
      successUrl: `${app.baseUrl}/welcome`,
      cancelUrl: `${app.baseUrl}/pricing`,
    });
    expect(await sessionAt(app, url)).toMatchObject({ mode: "subscription", status: "open" });
    expect((await visit(url)).status).toBe(200);
  },

  "1.5#pay": async (open) => {
    const app = await open();
    const { once } = await openShop(app);
    const { url } = await app.a.pay({
      entityId: "user_1",
      referenceId: "order_1",
      mode: "payment",
      line_items: [{ price: once.id, quantity: 1 }],
      success_url: `${app.baseUrl}/welcome`,
      cancel_url: `${app.baseUrl}/pricing`,
    });
    expect(await sessionAt(app, url)).toMatchObject({ mode: "payment", status: "open" });
    expect((await visit(url)).status).toBe(200);
  },

  "1.5#portal": async (open) => {
    const app = await open();
    app.double.dashboard.savePortalSettings();
    const { subscription } = await subscriber(app, "user_1");
    const { url } = await app.b.portal({ entityId: "user_1", returnUrl: `${app.baseUrl}/account` });
    const cancel = linkNamed(await visit(url), "Cancel plan");
    expect(cancel).toContain(subscription.id);
  },

  "1.6#internal": async (open) => {
    for (const variant of ["A", "B"] as const satisfies VariantName[]) {
      const app = await open({ variant });
      await expectInternal(app);
      expect(await existing(app, "customers")).toEqual(new Map());
    }
  },

  "1.6#wrapped": async (open) => {
    const app = await open();
    const { monthly } = await openShop(app);
    expect(await app.buy("user_2", "user_1", monthly.id)).toBe("forbidden");
    expect(await existing(app, "customers")).toEqual(new Map());
    expect(await app.buy("user_1", "user_1", monthly.id)).toMatchObject({
      url: expect.stringContaining("http"),
    });
  },

  "1.7#plans": async (open) => {
    const app = await open();
    const { product, monthly, yearly, once } = await openShop(app);
    await app.stripe.products.create({ name: "Retired", active: false });
    await app.settle();
    const before = app.double.requests.count();
    expect((await app.rows("products")).map(({ stripe }) => stripe.name).sort()).toEqual([
      "Difference Engine",
      "Retired",
    ]);
    expect((await app.rows("prices")).map(({ priceId }) => priceId).sort()).toEqual(
      [monthly.id, yearly.id, once.id].sort(),
    );
    const plans = await app.reads.plans();
    expect(plans.map((plan) => [plan.product.id, plan.prices.map(({ id }) => id)])).toEqual([
      [product.id, [once.id, monthly.id, yearly.id]],
    ]);
    expect(app.double.requests.count()).toBe(before); // at any time: Stripe is not asked
  },

  "1.7#customers": async (open) => {
    const app = await open();
    const { customerId } = await app.b.setup({ entityId: "org_1", email: "ada@example.com" });
    await app.b.setup({ entityId: "org_2" });
    const before = app.double.requests.count();
    const rows = await app.rows("customers");
    expect(rows.find(({ entityId }) => entityId === "org_1")?.customerId).toBe(customerId);
    expect(await app.reads.customerOf("org_1")).toMatchObject({
      customerId,
      stripe: { email: "ada@example.com" },
    });
    expect(await app.reads.customerOf("org_3")).toBeUndefined();
    expect(app.double.requests.count()).toBe(before);
  },

  "1.7#subscriptions": async (open) => {
    const app = await open();
    const { subscription } = await subscriber(app, "user_1");
    await app.b.setup({ entityId: "user_2" });
    await app.settle();
    const active = await app.reads.activeSubscriptionsOf("user_1");
    expect(active.map(({ subscriptionId }) => subscriptionId)).toEqual([subscription.id]);
    expect(await app.reads.activeSubscriptionsOf("user_2")).toEqual([]);
    await app.stripe.subscriptions.cancel(subscription.id);
    await app.settle();
    expect(await app.reads.activeSubscriptionsOf("user_1")).toEqual([]);
  },
};
