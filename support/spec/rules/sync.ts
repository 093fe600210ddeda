/** Section 4.2: `sync`. */
import { expect } from "vitest";
import { defaultResources } from "../../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { specEvents } from "../event-rules.js";
import type { Checks } from "../harness.js";
import { existing, expectMirror, populate } from "../kit.js";
import { keepsCurrent } from "./cron.js";

export const sync: Checks<"4.2#sync-"> = {
  "4.2#sync-data-default": async (open) => {
    for (const args of [undefined, {}, { data: true }]) {
      const app = await open({ variant: "A", installed: false });
      await app.stripe.products.create({ name: "Engine" });
      await app.a.sync(args);
      expect(await app.rows("products")).toHaveLength(1);
    }
  },

  "4.2#sync-data-all": async (open) => {
    const app = await open({ variant: "A", installed: false });
    app.double.populate({ object: "customer", count: 250 }); // three pages
    await populate(app);
    const report = await app.a.sync();
    expect(report.state).toBe("done");
    for (const resource of defaultResources) {
      await expectMirror(app, resource);
      expect(report.resources[resource]).toMatchObject({
        state: "done",
        rows: (await existing(app, resource)).size,
      });
    }
    expect(await existing(app, "customers")).toHaveProperty("size", 251);
    const inactive = (await app.rows("prices")).filter(({ stripe }) => !stripe.active);
    const canceled = (await app.rows("subscriptions")).filter(
      ({ stripe }) => stripe?.status === "canceled",
    );
    expect([inactive.length, canceled.length]).toEqual([1, 1]);
  },

  "4.2#sync-data-false": async (open) => {
    const app = await open({ variant: "A", installed: false });
    await populate(app);
    await app.a.sync({ data: false });
    for (const resource of defaultResources) expect(await app.rows(resource), resource).toEqual([]);
  },

  "4.2#sync-webhook-default": async (open) => {
    const app = await open({ variant: "A", installed: false });
    expect(await app.a.sync()).not.toHaveProperty("webhook");
    await app.a.sync({ webhook: false });
    expect((await app.stripe.webhookEndpoints.list()).data).toEqual([]);
  },

  "4.2#sync-webhook-creates": async (open) => {
    const app = await open({ variant: "A", installed: false });
    const { webhook } = await app.a.sync({ data: false, webhook: true });
    expect(webhook?.secret).toMatch(/^whsec_/);
    expect((await app.stripe.webhookEndpoints.list()).data).toMatchObject([
      { id: webhook?.id, url: `${app.baseUrl}/stripe/webhook`, status: "enabled" },
    ]);
  },

  "4.2#sync-webhook-secret": async (open) => {
    const app = await open({ variant: "A", installed: false });
    const { webhook } = await app.a.sync({ webhook: true });
    await app.deploy({ STRIPE_WEBHOOK_SECRET: webhook?.secret });
    await app.stripe.products.create({ name: "Engine" });
    await app.settle();
    expect(app.double.deliveries.all()).toMatchObject([{ state: "delivered" }]);
    expect(await app.rows("products")).toHaveLength(1);
  },

  "4.2#sync-webhook-updates": async (open) => {
    const app = await open({ variant: "A" });
    const [before] = (await app.stripe.webhookEndpoints.list()).data;
    await app.stripe.webhookEndpoints.update(before?.id ?? "", {
      enabled_events: ["product.created"],
      disabled: true,
    });
    const { webhook } = await app.a.sync({ data: false, webhook: true });
    expect(webhook).toEqual({ id: before?.id, mended: ["status", "events"] });
    const { data } = await app.stripe.webhookEndpoints.list();
    expect(data).toHaveLength(1);
    expect(data[0]?.status).toBe("enabled");
    expect(data[0]?.enabled_events).toEqual(expect.arrayContaining([...specEvents]));
  },

  "4.2#sync-portal-default": async (open) => {
    const app = await open({ variant: "A", installed: false });
    expect(await app.a.sync()).not.toHaveProperty("portal");
    await app.a.sync({ portal: false });
    expect((await app.stripe.billingPortal.configurations.list()).data).toEqual([]);
  },

  "4.2#sync-portal-creates": async (open) => {
    const app = await open({ variant: "A" });
    const { portal } = await app.a.sync({ data: false, portal: true });
    const { data } = await app.stripe.billingPortal.configurations.list();
    expect(data.map(({ id }) => id)).toEqual([portal?.configurationId]);
    await app.a.setup({ entityId: "user_1" });
    await app.a.portal({ entityId: "user_1", returnUrl: `${app.baseUrl}/account` });
    const [session] = app.double.objects("billing_portal.session");
    expect(session?.configuration).toBe(portal?.configurationId);
  },

  "4.2#sync-portal-existing": async (open) => {
    const app = await open({ variant: "A" });
    const saved = app.double.dashboard.savePortalSettings();
    const { portal } = await app.a.sync({ data: false, portal: true });
    expect(portal?.configurationId).toBe(saved);
    await app.a.sync({ data: false, portal: true });
    expect((await app.stripe.billingPortal.configurations.list()).data).toHaveLength(1);
  },

  "4.2#sync-all": async (open) => {
    const app = await open({ variant: "A", installed: false });
    await populate(app);
    const report = await app.a.sync({ data: true, webhook: true, portal: true });
    expect(report).toMatchObject({
      state: "done",
      webhook: { secret: expect.stringMatching(/^whsec_/) },
      portal: { configurationId: expect.any(String) },
    });
    for (const resource of defaultResources) await expectMirror(app, resource);
  },

  "4.2#sync-b": async (open) => {
    const app = await open({ variant: "B", delivery: "held" });
    expect(app.exports.B.names).toContain("sync");
    await populate(app);
    expect((await app.b.sync()).state).toBe("done");
    for (const resource of defaultResources) await expectMirror(app, resource);
  },

  "4.2#sync-b-cron": keepsCurrent,
};
