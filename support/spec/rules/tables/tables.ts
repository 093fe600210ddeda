/** Section 2: what all tables have in common, and what the ids in them mean. */
import { expect } from "vitest";
import { defaultResources } from "../../../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { Checks } from "../../harness.js";
import {
  existing,
  expectMirror,
  later,
  mirrored,
  onlyRow,
  openShop,
  populate,
  refusal,
  retrieved,
  subscriber,
} from "../../kit.js";
import { fillsTables } from "../cron.js";

type TableRules = Omit<Checks<"2#">, keyof Checks<"2#table-">>;

/** The tables of the application itself. */
const APPLICATIONS: ReadonlySet<string> = new Set(["users", "told"]);

export const tables: TableRules = {
  "2#id": async (open) => {
    const app = await open();
    const product = await app.stripe.products.create({ name: "Engine" });
    await app.stripe.products.create({ name: "Other" });
    await app.settle();
    const before = await app.rows("products");
    expect(new Set(before.map(({ _id }) => _id)).size).toBe(2);
    const idOf = (rows: typeof before) =>
      rows.find(({ productId }) => productId === product.id)?._id;
    expect(idOf(before)).toEqual(expect.any(String));
    await later(app);
    await app.stripe.products.update(product.id, { name: "Renamed" });
    await app.settle();
    const after = await app.rows("products");
    expect(after.map(({ stripe }) => stripe.name).sort()).toEqual(["Other", "Renamed"]);
    expect(idOf(after)).toBe(idOf(before));
  },

  "2#last-synced-at": async (open) => {
    const app = await open();
    const start = Date.now();
    const product = await app.stripe.products.create({ name: "Engine" });
    await app.settle();
    const first = (await onlyRow(app, "products")).last_synced_at;
    expect(first).toBeGreaterThanOrEqual(start - 1000);
    expect(first).toBeLessThanOrEqual(Date.now() + 1000);
    await later(app);
    await app.stripe.products.update(product.id, { name: "Renamed" });
    await app.settle();
    const second = (await onlyRow(app, "products")).last_synced_at;
    expect(second).toBeGreaterThan(first);
    await later(app);
    expect((await app.b.sync()).resources.products).toMatchObject({ state: "done", rows: 1 });
    expect((await onlyRow(app, "products")).last_synced_at).toBe(second);
  },

  "2#stripe": async (open) => {
    const app = await open({ delivery: "held" });
    await populate(app);
    await app.b.sync();
    for (const resource of defaultResources) {
      const rows = await mirrored(app, resource);
      expect(rows.size, resource).toBeGreaterThan(0);
      for (const [id, object] of rows) {
        expect(object, id).toEqual(await retrieved(app, resource, id));
      }
    }
  },

  "2#webhooks": async (open) => {
    const app = await open();
    await populate(app);
    await app.settle();
    expect(app.double.deliveries.all().every(({ state }) => state === "delivered")).toBe(true);
    for (const resource of defaultResources) {
      expect((await app.rows(resource)).length, resource).toBeGreaterThan(0);
      await expectMirror(app, resource);
    }
  },

  "2#cron": fillsTables,

  "2#prefix": async (open) => {
    const app = await open({ installed: false });
    const own = (await app.schemaTables()).filter((name) => !APPLICATIONS.has(name));
    expect(own.length).toBeGreaterThanOrEqual(8);
    for (const name of own) expect(name).toMatch(/^backend_billing_[a-z_]+$/);
  },

  "2#customers": async (open) => {
    const app = await open();
    const user = await app.b.setup({ entityId: "user_1" });
    const organization = await app.b.setup({ entityId: "org_1" });
    await app.settle();
    const rows = await app.rows("customers");
    const links = Object.fromEntries(rows.map((row) => [row.entityId, row.customerId]));
    expect(links).toEqual({ user_1: user.customerId, org_1: organization.customerId });
  },

  "2#subscriptions-none": async (open) => {
    const app = await open();
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    await app.settle();
    expect(await onlyRow(app, "subscriptions")).toEqual({
      _id: expect.any(String),
      customerId,
      subscriptionId: null,
      stripe: null,
      last_synced_at: expect.any(Number),
    });
  },

  "2#subscriptions-some": async (open) => {
    const app = await open();
    const { customerId, subscription } = await subscriber(app, "user_1");
    await app.settle();
    const first = await onlyRow(app, "subscriptions");
    expect(first).toMatchObject({ customerId, subscriptionId: subscription.id });
    const price = subscription.items.data[0]?.price.id ?? "";
    const second = await app.stripe.subscriptions.create({
      customer: customerId,
      items: [{ price }],
    });
    await app.settle();
    const rows = await app.rows("subscriptions");
    expect(rows.map(({ subscriptionId }) => subscriptionId).sort()).toEqual(
      [subscription.id, second.id].sort(),
    );
    expect(rows.every((row) => row.customerId === customerId)).toBe(true);
    await expectMirror(app, "subscriptions");
  },

  "2#variant-a-tables": async (open) => {
    const app = await open({ variant: "A", installed: false });
    await populate(app);
    await app.a.sync();
    for (const resource of defaultResources) {
      expect((await app.rows(resource)).length, resource).toBeGreaterThan(0);
      await expectMirror(app, resource);
    }
  },

  "2#variant-a-uses": async (open) => {
    const app = await open({ variant: "A" });
    const { customerId, subscription } = await subscriber(app, "user_1");
    await app.settle();
    const [plan] = await app.reads.plans();
    expect(plan?.product.name).toBe("Difference Engine");
    expect(plan?.prices).toHaveLength(3);
    expect((await app.reads.customerOf("user_1"))?.customerId).toBe(customerId);
    expect(await app.reads.activeSubscriptionsOf("user_1")).toMatchObject([
      { subscriptionId: subscription.id, stripe: { status: "active" } },
    ]);
  },

  "2#one-customer": async (open) => {
    const app = await open();
    const calls = Array.from({ length: 12 }, (_, index) =>
      (index % 2 === 0 ? app.a : app.b).setup({
        entityId: "user_1",
        email: `ada+${index}@example.com`,
      }),
    );
    const ids = new Set((await Promise.all(calls)).map(({ customerId }) => customerId));
    expect(ids.size).toBe(1);
    expect([...(await existing(app, "customers")).keys()]).toEqual([...ids]);
    await app.settle();
    expect(await onlyRow(app, "customers")).toMatchObject({ entityId: "user_1" });
  },

  "2#no-duplicate": async (open) => {
    const app = await open();
    const first = await app.b.setup({ entityId: "user_1" });
    await app.settle();
    expect(await app.b.setup({ entityId: "user_1" })).toEqual(first);
    expect(await app.a.setup({ entityId: "user_1", email: "ada@example.com" })).toEqual(first);
    expect([...(await existing(app, "customers")).keys()]).toEqual([first.customerId]);
  },

  "2#customer-id": async (open) => {
    const app = await open();
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    const customer = await app.stripe.customers.retrieve(customerId);
    expect(customer.id).toBe(customerId);
    const row = await onlyRow(app, "customers");
    expect(row.customerId).toBe(customerId);
    expect(row.stripe.id).toBe(customerId);
  },

  "2#metadata": async (open) => {
    const app = await open();
    const metadata = { plan: "gold", "any key": "any value" };
    const { customerId } = await app.b.setup({ entityId: "user_1", metadata });
    expect(await app.stripe.customers.retrieve(customerId)).toMatchObject({ metadata });
    expect((await onlyRow(app, "customers")).stripe.metadata).toMatchObject(metadata);
  },

  "2#metadata-reserved": async (open) => {
    const app = await open();
    const metadata = { entityId: "user_2" };
    const call = app.b.setup({ entityId: "user_1", metadata });
    expect((await refusal(call)).code).toBe("reserved_metadata_key");
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    expect(await app.stripe.customers.retrieve(customerId)).toMatchObject({
      metadata: { entityId: "user_1" },
    });
  },

  "2#features": async (open) => {
    const app = await open();
    const { product } = await openShop(app);
    await later(app);
    await app.stripe.products.update(product.id, {
      metadata: { seats: "5" },
      marketing_features: [{ name: "Unlimited cogs" }],
    });
    await app.settle();
    expect((await onlyRow(app, "products")).stripe).toMatchObject({
      metadata: { seats: "5" },
      marketing_features: [{ name: "Unlimited cogs" }],
    });
    const [plan] = await app.reads.plans();
    expect(plan?.product.metadata.seats).toBe("5");
  },
};
