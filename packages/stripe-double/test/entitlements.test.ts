/** Entitlements: what a subscription entitles to, from when, until when, and how it is told. */
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { errorOf, eventsOf, objectOf, openShop, payer, raisedBy, rig } from "./kit.js";

const SUMMARY = "entitlements.active_entitlement_summary.updated";

async function shop(keys: readonly string[] = ["export", "sso"]) {
  const { double, stripe } = await rig();
  const { product, monthly, yearly } = await openShop(stripe);
  const attach = async (key: string, to = product.id) => {
    const feature = await stripe.entitlements.features.create({ name: key, lookup_key: key });
    await stripe.products.createFeature(to, { entitlement_feature: feature.id });
    return feature;
  };
  const features: Stripe.Entitlements.Feature[] = [];
  for (const key of keys) features.push(await attach(key));
  const { id: customer } = await payer(stripe);
  const subscribe = (more: Partial<Stripe.SubscriptionCreateParams> = {}) =>
    stripe.subscriptions.create({ customer, items: [{ price: monthly.id }], ...more });
  const held = async () => {
    const { data } = await stripe.entitlements.activeEntitlements.list({ customer, limit: 100 });
    return data.map(({ lookup_key: key }) => key);
  };
  return { double, stripe, product, monthly, yearly, attach, features, customer, subscribe, held };
}

describe("features", () => {
  it("are listed while they are active, and archived for good", async () => {
    const { stripe, features } = await shop();
    const [first] = features;
    const id = first?.id ?? "";
    await stripe.entitlements.features.update(id, { active: false, metadata: { a: "b" } });
    const keys = async (params: Stripe.Entitlements.FeatureListParams = {}) =>
      (await stripe.entitlements.features.list(params)).data.map(({ lookup_key: key }) => key);
    expect(await keys()).toEqual(["sso"]);
    expect(await keys({ archived: true })).toEqual(["export"]);
    expect(await keys({ lookup_key: "sso" })).toEqual(["sso"]);
    expect(await stripe.entitlements.features.retrieve(id)).toMatchObject({
      active: false,
      metadata: { a: "b" },
      name: "export",
    });
    // docs: billing/entitlements: an archived feature cannot be made active again.
    const again = stripe.entitlements.features.update(id, { active: true });
    expect((await errorOf(again)).statusCode).toBe(400);
  });

  it("have a lookup key of their own, of at most 80 characters", async () => {
    const { stripe, features } = await shop();
    const create = (lookup_key: string) =>
      stripe.entitlements.features.create({ name: "Again", lookup_key });
    expect((await errorOf(create("export"))).statusCode).toBe(400);
    expect((await errorOf(create("x".repeat(81)))).statusCode).toBe(400);
    await stripe.entitlements.features.update(features[0]?.id ?? "", { active: false });
    await create("export");
  });

  it("are attached to products, once, and taken off without an event", async () => {
    const { stripe, product, features } = await shop();
    const attach = () =>
      stripe.products.createFeature(product.id, { entitlement_feature: features[0]?.id ?? "" });
    expect((await errorOf(attach())).statusCode).toBe(400);
    const { data } = await stripe.products.listFeatures(product.id);
    expect(data.map(({ entitlement_feature: feature }) => feature.lookup_key)).toEqual([
      "sso",
      "export",
    ]);
    const [sso] = data;
    const raised = await raisedBy(stripe, () =>
      stripe.products.deleteFeature(product.id, sso?.id ?? ""),
    );
    expect(raised).toEqual([]);
    expect((await stripe.products.listFeatures(product.id)).data).toHaveLength(1);
    const gone = stripe.products.retrieveFeature(product.id, sso?.id ?? "");
    expect((await errorOf(gone)).statusCode).toBe(404);
  });
});

describe("entitlements", () => {
  // docs: billing/entitlements; thread: formbricks #7456 (trials)
  it.each([
    ["that is paid", {}, ["sso", "export"]],
    ["on trial", { trial_period_days: 7 }, ["sso", "export"]],
    ["that is not paid yet", { payment_behavior: "default_incomplete" as const }, []],
  ])("come with a subscription %s", async (_, params, keys) => {
    const { subscribe, held } = await shop();
    await subscribe(params);
    expect(await held()).toEqual(keys);
  });

  it("go when it is canceled, and when it is paused", async () => {
    const { stripe, subscribe, held } = await shop();
    const first = await subscribe();
    const second = await subscribe();
    await stripe.subscriptions.cancel(first.id);
    expect(await held()).toHaveLength(2);
    await stripe.subscriptions.cancel(second.id);
    expect(await held()).toEqual([]);
    const third = await subscribe();
    expect(await held()).toHaveLength(2);
    await stripe.subscriptions.pause(third.id, { type: "subscription" });
    expect(await held()).toEqual([]);
  });

  it("follow a change to another product", async () => {
    const { stripe, subscribe, attach, held } = await shop(["export"]);
    const { id: product } = await stripe.products.create({ name: "Analytical Engine" });
    await attach("loops", product);
    const { id: price } = await stripe.prices.create({
      product,
      currency: "usd",
      unit_amount: 9000,
      recurring: { interval: "month" },
    });
    const subscription = await subscribe();
    const item = subscription.items.data[0]?.id ?? "";
    await stripe.subscriptions.update(subscription.id, { items: [{ id: item, price }] });
    expect(await held()).toEqual(["loops"]);
  });

  it("are told by a summary without an id, after the event that caused it", async () => {
    const { stripe, subscribe, customer } = await shop();
    const raised = await raisedBy(stripe, () => subscribe());
    expect(raised.slice(-2)).toEqual(["customer.subscription.created", SUMMARY]);
    const event = (await eventsOf(stripe)).findLast(({ type }) => type === SUMMARY);
    const summary = objectOf<Stripe.Entitlements.ActiveEntitlementSummary>(event);
    expect(summary).not.toHaveProperty("id");
    expect(summary).toMatchObject({
      object: "entitlements.active_entitlement_summary",
      customer,
      entitlements: { has_more: false, data: [{ lookup_key: "sso" }, { lookup_key: "export" }] },
    });
    expect(event?.data.previous_attributes).toEqual({ entitlements: { data: [] } });
  });

  // thread: stripe/sync-engine#280
  it("beyond ten are only in the list", async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `feature_${index}`);
    const { stripe, subscribe, held, customer } = await shop(keys);
    await subscribe();
    const event = (await eventsOf(stripe)).findLast(({ type }) => type === SUMMARY);
    const { entitlements } = objectOf<Stripe.Entitlements.ActiveEntitlementSummary>(event);
    expect(entitlements.data).toHaveLength(10);
    expect(entitlements.has_more).toBe(true);
    expect(await held()).toHaveLength(12);
    const page = await stripe.entitlements.activeEntitlements.list({
      customer,
      limit: 1,
      expand: ["data.feature"],
    });
    expect(page.data[0]?.feature).toMatchObject({ object: "entitlements.feature", active: true });
    const id = page.data[0]?.id ?? "";
    expect((await stripe.entitlements.activeEntitlements.retrieve(id)).lookup_key).toBe(
      "feature_11",
    );
  });

  // docs: billing/entitlements, "at the start of the next billing period"; thread: formbricks #8141
  it("to a feature that is attached later come with the next period or change", async () => {
    const { double, stripe, subscribe, attach, held } = await shop(["export"]);
    await subscribe();
    const raised = await raisedBy(stripe, () => attach("late"));
    expect(raised).toEqual([]);
    expect(await held()).toEqual(["export"]);
    await double.clock.advance({ days: 31 });
    expect(await held()).toEqual(["late", "export"]);
  });

  it("stay with an archived feature", async () => {
    const { stripe, subscribe, features, held } = await shop(["export"]);
    await stripe.entitlements.features.update(features[0]?.id ?? "", { active: false });
    await subscribe();
    expect(await held()).toEqual(["export"]);
  });

  it("are those of a customer, who must be named", async () => {
    const { stripe } = await shop();
    const list = stripe.entitlements.activeEntitlements.list({} as never);
    expect((await errorOf(list)).code).toBe("parameter_missing");
  });
});
