// Gates in queries and mutations on Convex: the same access as a state has, and what they read.
import type { TransactionMetrics } from "convex/server";
import { beforeEach, describe, expect, it } from "vitest";
import { batch, event } from "../../../../support/conformance/fixtures.js";
import { deployStore, type StoreDeployment } from "../../../../support/convex/store.js";
import {
  catalogue,
  GROUPS,
  productSnapshots,
  subscriberOf,
} from "../../../../support/gates/subscribers.js";
import {
  can as canBy,
  createLocal,
  limit as limitBy,
  planOf as planBy,
} from "../../src/convex/local.js";
import { defaultResources } from "../../src/core/catalogue/catalogue.js";
import type { Snapshot } from "../../src/core/mirror/store.js";

const resources = [...defaultResources, "product_features"] as const;
const { can, limit, planOf, subscriptionOf, subscriptionsOf } = createLocal({ catalogue });

let app: StoreDeployment;
beforeEach(() => {
  app = deployStore({ resources, transactionLimits: true });
});

/** Stores what an entity has. */
async function store(entity: string, customer: string, ...snapshots: Snapshot[]): Promise<void> {
  const claim = {
    kind: "claim",
    id: entity,
    expect: 0,
    next: { ref: customer, due: null, data: {} },
  };
  await app.store.commit({
    ...batch(event("customers", customer, 100), ...snapshots),
    records: [claim as never],
  });
}

const subscription = (id: string, customer: string, product: string, status: string) =>
  event("subscriptions", id, 100, {
    customer,
    created: 1,
    status,
    items: { data: [{ id: `si_${id}`, price: { id: "price_1", product } }] },
  });

describe("gates and states", () => {
  it("agree on access and on the plan, whatever became of the subscriptions", async () => {
    await app.store.commit(batch(...productSnapshots()));
    for (let number = 1; number <= 60; number++) {
      const { entityId, snapshots, records } = subscriberOf(2, number);
      await app.store.commit({ ...batch(...snapshots), records });
      await app.test.query(async (ctx) => {
        const states = (await subscriptionsOf(ctx, entityId)).filter(({ access }) => access);
        const has = states.flatMap(({ items }) => items.map(({ productId }) => productId));
        expect(await can(ctx, entityId, "sso"), entityId).toBe(has.includes("acme_pro"));
        for (const group of GROUPS) {
          const { plan } = await subscriptionOf(ctx, entityId, { group });
          expect(await planOf(ctx, entityId, { group }), `${entityId} ${group}`).toBe(plan);
        }
      });
    }
  });
  it("have the default plan for those that were never seen, and refuse another kind", async () => {
    await app.test.query(async (ctx) => {
      expect(await planOf(ctx, "none")).toBe("free");
      expect(await limit(ctx, "none", "projects")).toBe(3);
      await expect(can(ctx, "none", "projects" as never)).rejects.toMatchObject({
        data: { code: "invalid_argument" },
      });
    });
  });
});

it("without plans in code, metadata and Stripe's features are read", async () => {
  const metadata = { feature_sso: "true", feature_projects: "20", billing_plan: "gold", clé: "1" };
  const chat = { entitlement_feature: { id: "f_1", lookup_key: "chat" } };
  await store(
    "user_1",
    "cus_1",
    event("products", "prod_1", 100, { metadata }),
    event("product_features", "pf_1", 100, chat, { owner: "prod_1" } as never),
    subscription("sub_1", "cus_1", "prod_1", "active"),
  );
  const all = createLocal({ catalogue: { ...catalogue, plans: {}, features: {} }, resources });
  await app.test.query(async (ctx) => {
    expect(await planBy(ctx, "user_1")).toBe("gold");
    expect(await canBy(ctx, "user_1", "sso")).toBe(true);
    expect(await limitBy(ctx, "user_1", "projects")).toBe(20);
    expect(await canBy(ctx, "user_1", "chat")).toBe(false); // they are not among the default resources
    expect(await all.can(ctx, "user_1", "chat")).toBe(true);
  });
});

describe("what a gate reads", () => {
  interface Metered {
    readonly meta: { getTransactionMetrics(): Promise<TransactionMetrics> };
  }
  const documents = (gate: (ctx: never) => Promise<unknown>): Promise<number> =>
    app.test.query(async (ctx) => {
      await gate(ctx as never);
      const { documentsRead } = await (ctx as unknown as Metered).meta.getTransactionMetrics();
      return documentsRead.used;
    });
  it.each([
    ["an entity that was never seen", "none", 0],
    ["one subscription", "user_1", 2],
    ["one that is past due, in its grace", "user_2", 3],
    ["one that is past due, whose grace is over", "user_3", 4],
  ])("of %s", async (_, entity, count) => {
    await store("user_1", "cus_1", subscription("sub_1", "cus_1", "acme_pro", "active"));
    for (const [number, over] of [
      [2, false],
      [3, true],
    ] as const) {
      const [customer, id] = [`cus_${number}`, `sub_${number}`];
      const invoice = event("invoices", `in_${number}`, 100, {
        customer,
        created: 5,
        status: "open",
        status_transitions: { finalized_at: 5 },
        parent: { subscription_details: { subscription: id } },
      });
      await store(
        `user_${number}`,
        customer,
        subscription(id, customer, "acme_pro", "past_due"),
        invoice,
      );
      const next = { ref: null, due: null, data: { since: 5_000, over } };
      await app.store.commit({ ...batch(), records: [{ kind: "lapse", id, expect: 0, next }] });
    }
    expect(await documents((ctx) => can(ctx, entity, "sso"))).toBe(count);
    expect(await documents((ctx) => limit(ctx, entity, "projects"))).toBe(count);
    expect(await documents((ctx) => planOf(ctx, entity))).toBe(count);
  });
});
