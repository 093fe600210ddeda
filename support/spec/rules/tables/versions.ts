/** Section 9: the variants, what they support, and what an update asks for. */
import { expect } from "vitest";
import { defaultResources } from "../../../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { Checks } from "../../harness.js";
import {
  existing,
  expectMirror,
  later,
  openShop,
  payAt,
  populate,
  refusal,
  sessionAt,
  subscriber,
} from "../../kit.js";
import { fillsTables } from "../cron.js";

/**
 * All that variant B has: none of it counts usage or keeps credits. `pay` of its client, which came
 * since, takes a payment once.
 */
const SUPPORTED: readonly string[] = [
  ...[
    "billing",
    "store",
    "sync",
    "setup",
    "checkout",
    "portal",
    "pay",
    "savePaymentMethod",
    "revenue",
  ],
  ...[
    "addHttpRoutes",
    "fetch",
    "adopt",
    "ingest",
    "nodeHandler",
    "addCronJobs",
    "reconcile",
    "verify",
    "runs",
    "tick",
    "close",
  ],
  ...["preview", "change", "cancel", "resume", "refresh", "seatsChanged"],
];

export const versions: Checks<"9."> = {
  "9.1": async (open) => {
    const app = await open();
    const { monthly } = await openShop(app);
    expect(app.exports.A.names).not.toEqual(app.exports.B.names);
    const target = { entityId: "user_1", priceId: monthly.id };
    const a = { success_url: `${app.baseUrl}/welcome`, cancel_url: `${app.baseUrl}/pricing` };
    const b = { successUrl: a.success_url, cancelUrl: a.cancel_url };
    expect(await app.a.subscribe({ ...target, ...a, mode: "subscription" })).toBeDefined();
    expect(await app.b.checkout({ ...target, ...b })).toBeDefined();
    const swapped = app.a.subscribe({ ...target, ...b, mode: "subscription" } as never);
    expect((await refusal(swapped)).code).toBe("invalid_argument");
    expect((await refusal(app.b.checkout({ ...target, ...a } as never))).code).toBe(
      "invalid_argument",
    );
  },

  "9.2#supported": async (open) => {
    const app = await open();
    app.double.dashboard.savePortalSettings();
    const { monthly } = await openShop(app);
    const { url } = await app.b.checkout({
      entityId: "user_1",
      priceId: monthly.id,
      successUrl: `${app.baseUrl}/welcome`,
      cancelUrl: `${app.baseUrl}/pricing`,
    });
    await payAt(url);
    await app.settle();
    expect(await app.reads.activeSubscriptionsOf("user_1")).toHaveLength(1);
    for (const resource of defaultResources) await expectMirror(app, resource);
    const { url: page } = await app.b.portal({
      entityId: "user_1",
      returnUrl: `${app.baseUrl}/account`,
    });
    expect(page).toMatch(/^http/);
  },

  "9.2#cron": fillsTables,

  "9.2#tenants": async (open) => {
    const app = await open();
    const user = await subscriber(app, "user_1");
    const organization = await subscriber(app, "org_1");
    const guest = await app.b.setup({ entityId: "org_2" });
    await app.settle();
    const ids = [user.customerId, organization.customerId, guest.customerId];
    expect(new Set(ids).size).toBe(3);
    const activeOf = async (entityId: string) =>
      (await app.reads.activeSubscriptionsOf(entityId)).map(({ subscriptionId }) => subscriptionId);
    expect(await activeOf("user_1")).toEqual([user.subscription.id]);
    expect(await activeOf("org_1")).toEqual([organization.subscription.id]);
    expect(await activeOf("org_2")).toEqual([]);
    await app.stripe.subscriptions.cancel(user.subscription.id);
    await app.settle();
    expect(await activeOf("user_1")).toEqual([]);
    expect(await activeOf("org_1")).toEqual([organization.subscription.id]);
  },

  "9.2#planned": async (open) => {
    const app = await open();
    const { names, client } = app.exports.B;
    const others = [...names, ...client].filter((name) => !SUPPORTED.includes(name));
    expect(others, "what is new in variant B and sells nothing planned goes into the list").toEqual(
      [],
    );
    const { once, monthly } = await openShop(app);
    const urls = { successUrl: `${app.baseUrl}/welcome`, cancelUrl: `${app.baseUrl}/pricing` };
    await expect(
      app.b.checkout({ entityId: "user_1", priceId: once.id, ...urls }),
    ).rejects.toThrow();
    expect(app.double.objects("checkout.session")).toEqual([]);
    const { url } = await app.b.checkout({ entityId: "user_1", priceId: monthly.id, ...urls });
    expect((await sessionAt(app, url)).mode).toBe("subscription");
  },

  "9.3": async (open) => {
    const app = await open({ variant: "A", delivery: "held" });
    await populate(app);
    await app.a.sync();
    // While the old version is taken down, things change and nobody hears of it.
    await later(app);
    const [product] = (await existing(app, "products")).keys();
    const active = await app.stripe.subscriptions.list({ status: "active" });
    await app.stripe.products.update(product ?? "", { name: "Renamed" });
    await app.stripe.subscriptions.cancel(active.data[0]?.id ?? "");
    await app.stripe.coupons.create({ percent_off: 50, duration: "forever" });
    await app.deploy({});
    await app.a.sync();
    await app.settle();
    for (const resource of defaultResources) await expectMirror(app, resource);
  },
};
