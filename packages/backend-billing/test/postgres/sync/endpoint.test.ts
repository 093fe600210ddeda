// The webhook endpoint and the portal's settings: made once, however often and by however many they
// are asked for, and mended when somebody changed them or the library's pinned version did.
import { inspect } from "node:util";
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { listedAtOnce } from "../../../../../support/listed-at-once.js";
import { enabledEvents } from "../../../src/core/catalogue/catalogue.js";
import { createBilling } from "../../../src/postgres/index.js";
import { type App, billingError, quietApplications } from "./kit.js";

const open = quietApplications();
const WEBHOOK = { data: false, webhook: true } as const;
const PORTAL = { data: false, portal: true } as const;
type Events = Stripe.WebhookEndpointCreateParams.EnabledEvent[];
const endpoints = async ({ stripe }: App) => (await stripe.webhookEndpoints.list()).data;

describe("the endpoint", () => {
  it("is one, with the catalogue's events and the pinned version, whoever calls at once", async () => {
    const app = await open();
    const instances = Array.from({ length: 6 }, () => createBilling(app.config));
    const reports = await Promise.all(instances.map(({ sync }) => sync(WEBHOOK)));
    const [endpoint, ...others] = await endpoints(app);
    expect(others).toEqual([]);
    expect(endpoint).toMatchObject({
      url: `${app.url}/stripe/webhook`,
      status: "enabled",
      api_version: app.stripe.getApiField("version"),
    });
    expect([...(endpoint?.enabled_events ?? [])].sort()).toEqual(enabledEvents(listedAtOnce));
    expect(reports.map(({ webhook }) => webhook?.id)).toEqual(Array(6).fill(endpoint?.id));
    // The secret is shown once, and whoever made the endpoint has it.
    expect(reports.filter(({ webhook }) => webhook?.secret !== undefined)).toHaveLength(1);
  });

  it("is left alone when it is as it should be", async () => {
    const app = await open();
    await app.b.sync(WEBHOOK);
    app.double.requests.clear();
    const { webhook } = await app.b.sync(WEBHOOK);
    expect(Object.keys(webhook ?? {})).toEqual(["id"]);
    expect(app.double.requests.count()).toBe(
      app.double.requests.count("GET /v1/webhook_endpoints"),
    );
  });

  it("is mended when its events drifted, or when it was switched off", async () => {
    const app = await open();
    const { webhook } = await app.b.sync(WEBHOOK);
    const id = webhook?.id ?? "";
    await app.stripe.webhookEndpoints.update(id, { enabled_events: ["product.created"] });
    expect((await app.b.sync(WEBHOOK)).webhook).toEqual({ id, mended: ["events"] });
    await app.stripe.webhookEndpoints.update(id, { disabled: true });
    expect((await app.b.sync(WEBHOOK)).webhook).toEqual({ id, mended: ["status"] });
    expect((await app.b.sync(WEBHOOK)).webhook).toEqual({ id });
  });

  it("follows the resources that the application chose, and keeps what it is sent besides", async () => {
    const app = await open();
    const some = createBilling({ ...app.config, resources: ["products"] });
    const { webhook } = await some.sync(WEBHOOK);
    const id = webhook?.id ?? "";
    const own = ["capability.updated", ...enabledEvents(["products"])] as Events;
    await app.stripe.webhookEndpoints.update(id, { enabled_events: own });
    expect((await some.sync(WEBHOOK)).webhook).toEqual({ id });
    const more = createBilling({ ...app.config, resources: ["products", "prices"] });
    expect((await more.sync(WEBHOOK)).webhook).toEqual({ id, mended: ["events"] });
    // A price less is no reason to take anything away: it may be the application's own.
    expect((await some.sync(WEBHOOK)).webhook).toEqual({ id });
    expect((await endpoints(app))[0]?.enabled_events.toSorted()).toEqual(
      [...enabledEvents(["products", "prices"]), "capability.updated"].sort(),
    );
  });

  it("that is sent everything stays so", async () => {
    const app = await open();
    const { webhook } = await app.b.sync(WEBHOOK);
    const id = webhook?.id ?? "";
    const changes = { enabled_events: ["*"] as Events, disabled: true };
    await app.stripe.webhookEndpoints.update(id, changes);
    expect((await app.b.sync(WEBHOOK)).webhook).toEqual({ id, mended: ["status"] });
    expect((await endpoints(app))[0]).toMatchObject({ enabled_events: ["*"], status: "enabled" });
  });

  it("is sent what handlers take as it comes, those of other processes too", async () => {
    const app = await open();
    const taking = (...types: string[]) =>
      createBilling({
        ...app.config,
        on: { stripe: Object.fromEntries(types.map((type) => [type, async () => {}])) },
      });
    const thin = "v1.billing.meter.error_report_triggered"; // not a webhook endpoint's
    await taking("review.opened", thin).sync(WEBHOOK);
    const { webhook } = await taking("capability.updated").sync(WEBHOOK);
    expect(webhook?.mended).toEqual(["events"]);
    expect(await app.b.sync(WEBHOOK)).not.toHaveProperty("webhook.mended");
    expect((await endpoints(app))[0]?.enabled_events.toSorted()).toEqual(
      [...enabledEvents(listedAtOnce), "capability.updated", "review.opened"].sort(),
    );
  });

  it("of another API version is replaced, and serves on until the new secret is in use", async () => {
    const app = await open();
    const url = `${app.url}/stripe/webhook`;
    const metadata = { "backend-billing": "managed" };
    const old = await app.stripe.webhookEndpoints.create({
      url,
      enabled_events: ["product.created", "capability.updated"],
      api_version: "2024-06-20",
      metadata,
    });
    const { webhook } = await app.b.sync(WEBHOOK);
    expect(webhook).toEqual({
      id: expect.not.stringMatching(old.id),
      secret: expect.stringMatching(/^whsec_/),
      mended: ["api_version"],
      others: [{ id: old.id, url, apiVersion: "2024-06-20" }],
    });
    const states = async () =>
      Object.fromEntries(
        (await endpoints(app)).map(({ id, status }) => [id === old.id ? "old" : "new", status]),
      );
    expect(await states()).toEqual({ old: "enabled", new: "enabled" });
    // Called again before anybody put the secret in place: an event would be lost.
    await app.b.sync(WEBHOOK);
    expect(await states()).toEqual({ old: "enabled", new: "enabled" });
    const both = [webhook?.secret ?? "", old.secret ?? ""];
    const { sync } = createBilling({ ...app.config, webhook_secret: both });
    expect((await sync(WEBHOOK)).webhook).toEqual({ id: webhook?.id, mended: ["events"] });
    expect(await states()).toEqual({ old: "disabled", new: "enabled" });
    // What the application had the old one sent besides, the new one is sent.
    const now = await app.stripe.webhookEndpoints.retrieve(webhook?.id ?? "");
    expect(now.enabled_events).toContain("capability.updated");
  });

  it("of somebody else at the same address is named, and touched only when asked to", async () => {
    const lines: [object, string][] = [];
    const keep = (line: object, message: string) => void lines.push([line, message]);
    const app = await open({
      config: { logger: { info: keep, warn: keep, error: keep } },
    });
    const foreign = await app.stripe.webhookEndpoints.create({
      url: `${app.url}/stripe/webhook`,
      enabled_events: ["charge.succeeded"],
      api_version: "2024-06-20",
    });
    const others = [{ id: foreign.id, url: foreign.url, apiVersion: "2024-06-20" }];
    const { webhook } = await app.b.sync(WEBHOOK);
    expect(webhook).toMatchObject({ secret: expect.stringMatching(/^whsec_/), others });
    const named = lines.find(([line]) => (line as { object?: string }).object === foreign.id);
    expect(named?.[0]).toMatchObject({
      url: foreign.url,
      version: "2024-06-20",
      advice: expect.stringContaining("sync({ webhook: true, replace: true })"),
    });
    const status = async () => (await app.stripe.webhookEndpoints.retrieve(foreign.id)).status;
    // Not before the new secret is in place: events would be lost.
    expect((await app.b.sync({ ...WEBHOOK, replace: true })).webhook?.others).toEqual(others);
    expect(await status()).toBe("enabled");
    const { sync } = createBilling({ ...app.config, webhook_secret: webhook?.secret ?? "" });
    expect((await sync(WEBHOOK)).webhook?.others).toEqual(others);
    expect(await status()).toBe("enabled");
    expect((await sync({ ...WEBHOOK, replace: true })).webhook).toEqual({ id: webhook?.id });
    expect(await status()).toBe("disabled");
    expect(await endpoints(app)).toContainEqual(
      expect.objectContaining({ id: webhook?.id, status: "enabled" }),
    );
  });

  it("is not asked to replace anything without `webhook`", async () => {
    const app = await open();
    const error = await billingError(app.b.sync({ data: false, replace: true }));
    expect(error).toMatchObject({ code: "invalid_argument" });
  });

  it("that was made before the copying failed still tells its secret, but not to a log", async () => {
    const app = await open();
    const secret_key = app.double.restrictedKey({ webhook_endpoints: "write", events: "read" });
    const restricted = createBilling({ ...app.config, secret_key, resources: ["customers"] });
    const error = await billingError(restricted.sync({ webhook: true }));
    expect(error.code).toBe("run_failed");
    const secret = error.report?.webhook?.secret ?? "";
    expect(secret).toMatch(/^whsec_/);
    expect(inspect(error, { depth: 9 })).not.toContain(secret);
    expect(JSON.stringify(error)).not.toContain(secret);
  });

  it("a key that may not is told so in the library's own words", async () => {
    const app = await open();
    const secret_key = app.double.restrictedKey({ products: "read" });
    const error = await billingError(createBilling({ ...app.config, secret_key }).sync(WEBHOOK));
    expect(error.code).toBe("provider_error");
  });
});

describe("the portal's settings", () => {
  it("are made once, whoever calls at once, and remembered", async () => {
    const app = await open();
    const instances = Array.from({ length: 6 }, () => createBilling(app.config));
    const reports = await Promise.all(instances.map(({ sync }) => sync(PORTAL)));
    const { data } = await app.stripe.billingPortal.configurations.list();
    expect(data).toHaveLength(1);
    expect(new Set(reports.map(({ portal }) => portal?.configurationId))).toEqual(
      new Set([data[0]?.id]),
    );
  });

  it("let people change to what is sold, and follow it", async () => {
    const app = await open();
    const recurring = { interval: "month" } as const;
    const sold = async (name: string) => {
      const { id: product } = await app.stripe.products.create({ name });
      const price = { product, currency: "usd", unit_amount: 2000, recurring };
      return { product, price: (await app.stripe.prices.create(price)).id };
    };
    const [basic] = [await sold("Basic"), await sold("Pro")];
    const { portal } = await app.b.sync(PORTAL);
    const configuration = portal?.configurationId ?? "";
    const card = "pm_card_visa";
    const { id: customer } = await app.stripe.customers.create({
      payment_method: card,
      invoice_settings: { default_payment_method: card },
    });
    const items = [{ price: basic.price }];
    const { id: subscription } = await app.stripe.subscriptions.create({ customer, items });
    const offered = async () => {
      const made = await app.stripe.billingPortal.sessions.create({ customer, configuration });
      return (await fetch(`${made.url}/subscriptions/${subscription}/update`)).text();
    };
    expect(await offered()).toContain("Pro");
    await sold("Team");
    expect(await offered()).not.toContain("Team");
    await app.b.sync(PORTAL);
    expect(await offered()).toContain("Team");
    const changed = () =>
      app.double.requests.count("POST /v1/billing_portal/configurations/:configuration");
    expect(changed()).toBe(1);
    // Nothing new, and then more than Stripe takes: what was offered stays.
    await app.b.sync(PORTAL);
    for (let count = 0; count < 9; count++) await sold(`More ${count}`);
    await app.b.sync(PORTAL);
    expect(changed()).toBe(1);
    expect(await offered()).toContain("Team");
  });

  it("let people choose how many, but not where seats follow the members", async () => {
    const app = await open();
    const sold = async (name: string, metadata: { [key: string]: string } = {}) => {
      const { id: product } = await app.stripe.products.create({ name });
      const recurring = { interval: "month" } as const;
      const price = { product, currency: "usd", unit_amount: 2000, recurring, metadata };
      return (await app.stripe.prices.create(price)).id;
    };
    const [plan, seat] = [await sold("Plan"), await sold("Seat", { billing_per_seat: "true" })];
    const { portal } = await app.b.sync(PORTAL);
    const change = async (price: string, quantity: number) => {
      const { id: customer } = await app.stripe.customers.create({
        payment_method: "pm_card_visa",
      });
      const [card] = (await app.stripe.customers.listPaymentMethods(customer)).data;
      const { id: subscription } = await app.stripe.subscriptions.create({
        customer,
        items: [{ price, quantity: 2 }],
        default_payment_method: card?.id ?? "",
      });
      const { url } = await app.stripe.billingPortal.sessions.create({
        customer,
        configuration: portal?.configurationId ?? "",
        flow_data: { type: "subscription_update", subscription_update: { subscription } },
      });
      app.double.dashboard.completePortal(url, { quantity });
      return app.stripe.subscriptions.retrieve(subscription);
    };
    const more = await change(plan, 5);
    expect([more.items.data[0]?.quantity, more.schedule]).toEqual([5, null]);
    const fewer = await change(plan, 1); // what was paid for stays until the period ends
    expect([fewer.items.data[0]?.quantity, fewer.schedule]).toEqual([2, expect.any(String)]);
    await expect(change(seat, 5)).rejects.toThrow("does not let this quantity be chosen");
  });

  it("are the caller's where given, kept in later calls, and mended when changed by hand", async () => {
    const app = await open();
    const own = app.double.dashboard.savePortalSettings();
    const features = { subscription_cancel: { enabled: true, mode: "immediately" } } as const;
    const { portal } = await app.b.sync({ data: false, portal: { name: "Ours", features } });
    const id = portal?.configurationId ?? "";
    expect(id).not.toBe(own);
    const mode = async () => {
      const found = await app.stripe.billingPortal.configurations.retrieve(id);
      return [found.name, found.features.subscription_cancel.mode];
    };
    expect(await mode()).toEqual(["Ours", "immediately"]);
    const changed = () =>
      app.double.requests.count("POST /v1/billing_portal/configurations/:configuration");
    expect((await app.b.sync(PORTAL)).portal).toEqual(portal);
    expect(changed()).toBe(0);
    await app.stripe.billingPortal.configurations.update(id, {
      features: { subscription_cancel: { enabled: true, mode: "at_period_end" } },
    });
    await app.b.sync(PORTAL);
    expect(await mode()).toEqual(["Ours", "immediately"]);
    await app.b.sync({ data: false, portal: {} });
    expect(await mode()).toEqual(["Ours", "at_period_end"]);
  });

  it("offer nothing that `sells` refuses", async () => {
    const app = await open();
    const recurring = { interval: "month" } as const;
    const names = ["Sold here", "Sold elsewhere"];
    for (const name of names) {
      const { id: product } = await app.stripe.products.create({ name });
      await app.stripe.prices.create({ product, currency: "usd", unit_amount: 2000, recurring });
    }
    const here = createBilling({ ...app.config, sells: (_, { name }) => name === "Sold here" });
    const { portal } = await here.sync(PORTAL);
    const { store } = app.b;
    const record = await store.record("setting", "portal");
    expect(portal).toBeDefined();
    expect(String(record?.data.offered).split(",")).toHaveLength(1);
  });

  it("of the account's own are left as they are", async () => {
    const app = await open();
    const id = app.double.dashboard.savePortalSettings();
    const { id: product } = await app.stripe.products.create({ name: "Plan" });
    const recurring = { interval: "month" } as const;
    await app.stripe.prices.create({ product, currency: "usd", unit_amount: 2000, recurring });
    expect((await app.b.sync(PORTAL)).portal).toEqual({ configurationId: id });
    const { features } = await app.stripe.billingPortal.configurations.retrieve(id);
    expect(features.subscription_update.enabled).toBe(false);
  });

  it("are made again when somebody switched them off", async () => {
    const app = await open();
    const { portal } = await app.b.sync(PORTAL);
    const id = portal?.configurationId ?? "";
    await app.stripe.billingPortal.configurations.update(id, { active: false });
    const again = await app.b.sync(PORTAL);
    expect(again.portal?.configurationId).not.toBe(id);
    expect((await app.b.sync(PORTAL)).portal).toEqual(again.portal);
  });
});
