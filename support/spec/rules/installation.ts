/** Section 1: the steps that a deployment takes. */
import { expect } from "vitest";
import { defaultResources } from "../../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { usual } from "../../../packages/backend-billing/src/core/catalogue/resources.js";
import { specEvents } from "../event-rules.js";
import type { Check, Checks, VariantName } from "../harness.js";
import {
  advised,
  existing,
  expectMirror,
  linkNamed,
  onlyRow,
  openShop,
  payAt,
  populate,
  refusal,
  visit,
} from "../kit.js";
import { keepsCurrent } from "./cron.js";

const registers =
  (variant: VariantName): Check =>
  async (open) => {
    const app = await open({ variant });
    const router = app.router(variant);
    expect(router.routes).toContain("POST /stripe/webhook");
    expect(router.routes).toContain("GET /stripe/return/*");
    const unsigned = { method: "POST", body: "{}" };
    const through = async (path: string, init?: RequestInit) =>
      (await router.fetch(new Request(`${app.baseUrl}${path}`, init))).status;
    expect(await through("/stripe/webhook", unsigned)).toBe(400);
    expect(await through("/stripe/return/checkout")).toBe(400);
    expect(await through("/welcome")).toBe(404);
  };

/** No other setting is needed for a site that is not where the backend is. */
const servesAnotherOrigin: Check = async (open) => {
  const site = "https://shop.example";
  for (const variant of ["A", "B"] as const) {
    const app = await open({ variant, delivery: "held" });
    app.double.dashboard.savePortalSettings();
    const { monthly } = await openShop(app);
    const shared = { entityId: "user_1", priceId: monthly.id };
    const [success, cancel] = [`${site}/welcome`, `${site}/pricing`];
    const bought = await (variant === "A"
      ? app.a.subscribe({
          ...shared,
          mode: "subscription",
          success_url: success,
          cancel_url: cancel,
        })
      : app.b.checkout({ ...shared, successUrl: success, cancelUrl: cancel }));
    expect(await payAt(bought.url)).toBe(success);
    expect(await app.reads.activeSubscriptionsOf("user_1")).toHaveLength(1);
    const returning = { entityId: "user_1", returnUrl: `${site}/account` };
    const { url } = await (variant === "A" ? app.a : app.b).portal(returning);
    const back = await visit(linkNamed(await visit(url), "Return to the website"));
    expect(back).toMatchObject({ status: 303, location: returning.returnUrl });
    const delivered = app.double.deliveries.all().filter(({ state }) => state === "delivered");
    expect(delivered).toEqual([]);
  }
};

export const installation: Checks<"1 step"> = {
  "1 step 1": async (open) => {
    const app = await open();
    expect((await app.b.sync()).state).toBe("done");
    await app.deploy({ STRIPE_SECRET_KEY: "sk_test_ofNoAccount" });
    expect((await refusal(app.b.setup({ entityId: "user_1" }))).code).toBe("provider_error");
    const { code, advice } = await advised(app, app.b.sync());
    expect(code).toBe("provider_error");
    expect(advice).toContain("Check STRIPE_SECRET_KEY");
  },

  "1 step 2#address": async (open) => {
    const app = await open();
    const { data } = await app.stripe.webhookEndpoints.list();
    expect(data).toMatchObject([{ url: `${app.baseUrl}/stripe/webhook`, status: "enabled" }]);
  },

  "1 step 2#events": async (open) => {
    const app = await open();
    const [endpoint] = (await app.stripe.webhookEndpoints.list()).data;
    expect(endpoint?.enabled_events).toEqual(expect.arrayContaining([...specEvents]));
  },

  "1 step 3": async (open) => {
    const app = await open();
    await app.b.setup({ entityId: "user_1" });
    const args = { entityId: "user_1", returnUrl: `${app.baseUrl}/account` };
    expect((await refusal(app.b.portal(args))).code).toBe("provider_error");
    await app.a.sync({ data: false, portal: true });
    expect((await app.b.portal(args)).url).toMatch(/^http/);
  },

  "1 step 4": async (open) => {
    const app = await open();
    await app.deploy({ STRIPE_SECRET_KEY: undefined });
    for (const call of [() => app.a.setup({ entityId: "user_1" }), () => app.b.sync()]) {
      const { code, advice } = await advised(app, call());
      expect(code).toBe("invalid_config");
      expect(advice).toContain("STRIPE_SECRET_KEY");
    }
    await app.deploy({ STRIPE_SECRET_KEY: app.double.secretKey, STRIPE_WEBHOOK_SECRET: "" });
    const answer = await fetch(`${app.baseUrl}/stripe/webhook`, { method: "POST", body: "{}" });
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ error: { code: "invalid_config" } });
  },

  "1 step 5": async (open) => {
    const app = await open();
    const names = await app.schemaTables();
    for (const { table } of Object.values(usual)) expect(names).toContain(table);
    expect(names).toContain("users");
    for (const resource of defaultResources) expect(await app.rows(resource)).toEqual([]);
  },

  "1 step 6": async (open) => {
    for (const variant of ["A", "B"] as const) {
      const app = await open({ variant });
      const run = variant === "A" ? app.a : app.b;
      const { customerId } = await run.setup({ entityId: "user_1" });
      await app.settle();
      expect(await existing(app, "customers")).toHaveProperty("size", 1);
      expect(await onlyRow(app, "customers")).toMatchObject({ customerId });
      expect(app.double.deliveries.all()).toMatchObject([{ state: "delivered" }]);
    }
    await servesAnotherOrigin(open);
  },

  "1 step 7#a": async (open) => {
    const { exports } = await open({ installed: false });
    expect(exports.A.names).toEqual(["setup", "store", "stripe", "sync"]);
    expect(exports.A.client).toEqual(
      expect.arrayContaining(["addHttpRoutes", "pay", "portal", "subscribe"]),
    );
  },

  "1 step 7#b": async (open) => {
    const { exports } = await open({ installed: false });
    expect(exports.B.names).toEqual(["billing", "checkout", "portal", "setup", "store", "sync"]);
    expect(exports.B.client).toContain("addHttpRoutes");
  },

  "1 step 7#always": async (open) => {
    const { exports } = await open({ installed: false });
    expect(exports.A.names).toEqual(expect.arrayContaining(["stripe", "store", "sync"]));
    expect(exports.B.names).toEqual(expect.arrayContaining(["billing", "store", "sync"]));
  },

  "1 step 7#missing": async (open) => {
    for (const variant of ["A", "B"] as const) {
      for (const name of ["store", "sync"]) {
        const app = await open({ variant, installed: false, missing: [name] });
        // It writes through `store`, and schedules `sync`.
        const call = (variant === "A" ? app.a : app.b).reconcile();
        const { code, advice } = await advised(app, call);
        expect(code, name).toBe("missing_export");
        expect(advice).toContain(`\`${name}\` in convex/`);
        expect(advice).toContain(variant === "A" ? "createStripe" : "createBilling");
      }
    }
  },

  "1 step 8#a": registers("A"),
  "1 step 8#b": registers("B"),

  "1 step 9#cron": keepsCurrent,

  "1 step 9#manual": async (open) => {
    const app = await open({ delivery: "held" });
    await populate(app);
    await app.b.sync();
    for (const resource of defaultResources) await expectMirror(app, resource);
  },

  "1 step 10#scheduled": async (open) => {
    for (const variant of ["A", "B"] as const) {
      const app = await open({ variant });
      await app.createUser({ id: "user_1", email: "ada@example.com" });
      await app.settle();
      const row = await onlyRow(app, "customers");
      expect(row).toMatchObject({ entityId: "user_1", stripe: { email: "ada@example.com" } });
      expect([...(await existing(app, "customers")).keys()]).toEqual([row.customerId]);
    }
  },

  "1 step 10#email": async (open) => {
    const app = await open();
    await app.createUser({ id: "user_1" });
    await app.createUser({ id: "user_2", email: "ada@example.com" });
    await app.settle();
    expect((await app.reads.customerOf("user_1"))?.stripe.email).toBeNull();
    expect((await app.reads.customerOf("user_2"))?.stripe.email).toBe("ada@example.com");
  },

  "1 step 11#import": async (open) => {
    const app = await open({ variant: "A", installed: false });
    await populate(app);
    const report = await app.a.sync();
    expect(report.state).toBe("done");
    for (const resource of defaultResources) {
      expect((await app.rows(resource)).length, resource).toBeGreaterThan(0);
      await expectMirror(app, resource);
    }
  },

  "1 step 11#again": async (open) => {
    const app = await open({ variant: "A", installed: false });
    await populate(app);
    await app.a.sync();
    const before = await app.rows("subscriptions");
    await app.stripe.products.create({ name: "Newer" });
    expect((await app.a.sync()).state).toBe("done");
    await app.settle();
    for (const resource of defaultResources) await expectMirror(app, resource);
    const ids = (rows: typeof before) => rows.map(({ _id }) => _id).sort();
    expect(ids(await app.rows("subscriptions"))).toEqual(ids(before));
  },

  "1 step 11#empty": async (open) => {
    const app = await open({ variant: "A" });
    await populate(app);
    await app.settle();
    for (const resource of defaultResources) await expectMirror(app, resource);
  },
};
