// What queries read of subscriptions, and how access ends by a row that makes them run again.
import type Stripe from "stripe";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { batch, event } from "../../../../support/conformance/fixtures.js";
import { deployStore, type StoreDeployment } from "../../../../support/convex/store.js";
import { defineCatalogue } from "../../src/catalogue/index.js";
import {
  createLocal,
  invoicesOf,
  paymentMethodsOf,
  priceBy,
  subscriptionOf,
  subscriptionsBy,
  subscriptionsOf,
} from "../../src/convex/local.js";
import { workOnce } from "../../src/core/background.js";
import type { Snapshot } from "../../src/core/mirror/store.js";
import { commit } from "../../src/core/runtime/commit/commit.js";
import { createRuntime, type Runtime } from "../../src/core/runtime/runtime.js";

const SECOND = 1_780_000_000;
const DAY = 86_400_000;
const period = { current_period_start: SECOND, current_period_end: SECOND + 30 * 86_400 };

let app: StoreDeployment;
let runtime: Runtime;
let now = SECOND * 1000;
beforeEach(() => {
  vi.useFakeTimers();
  now = SECOND * 1000;
  app = deployStore();
  const accounts = { retrieveCurrent: async () => ({ id: "acct_1", created: 0 }) };
  runtime = {
    ...createRuntime(
      { secret_key: "sk_test_1", webhook_secret: undefined },
      { store: app.store, baseUrl: () => "https://app.example", wake: () => {}, now: () => now },
    ),
    stripe: () => ({ accounts }) as unknown as Stripe,
  };
});
afterEach(() => {
  vi.useRealTimers();
});

const subscription = (user: number, at: number, status: string): Snapshot =>
  event("subscriptions", `sub_${user}`, at, {
    customer: `cus_${user}`,
    created: SECOND,
    status,
    cancel_at: null,
    cancel_at_period_end: false,
    ended_at: null,
    trial_end: null,
    schedule: null,
    items: {
      data: [
        {
          id: `si_${user}`,
          quantity: 2,
          ...period,
          price: {
            id: "price_1",
            product: "prod_1",
            lookup_key: "monthly",
            recurring: { usage_type: "licensed" },
          },
        },
      ],
    },
  });

const invoice = (at: number, status: string): Snapshot =>
  event("invoices", "in_1", at, {
    customer: "cus_1",
    created: SECOND,
    status,
    status_transitions: { finalized_at: SECOND + 60 },
    parent: { subscription_details: { subscription: "sub_1" } },
  });

async function store(...snapshots: readonly Snapshot[]): Promise<void> {
  await commit(runtime, { source: "event", units: [{ snapshots }] });
}

async function subscribers(count: number): Promise<void> {
  await store(event("products", "prod_1", 100, { metadata: { billing_group: "main", clé: "1" } }));
  await store(event("prices", "price_1", 100, { lookup_key: "monthly", active: true }));
  for (let user = 1; user <= count; user++) {
    const next = { ref: `cus_${user}`, due: null, data: {} };
    await app.store.commit({
      ...batch(event("customers", `cus_${user}`, 100), subscription(user, 100, "active")),
      records: [{ kind: "claim", id: `user_${user}`, expect: 0, next }],
    });
  }
}

it("queries read the state, the invoices and the price of an entity", async () => {
  await subscribers(1);
  await store(invoice(100, "paid"));
  const state = await app.test.query((ctx) => subscriptionOf(ctx, "user_1"));
  expect(state).toMatchObject({
    access: true,
    status: "active",
    priceId: "price_1",
    lookupKey: "monthly",
    quantity: 2,
    renewsAt: period.current_period_end * 1000,
  });
  expect(await app.test.query((ctx) => subscriptionsOf(ctx, "user_1"))).toEqual([state]);
  expect(await app.test.query((ctx) => subscriptionOf(ctx, "nobody"))).toMatchObject({
    status: "none",
  });
  const found = await app.test.query((ctx) => invoicesOf(ctx, "user_1", { limit: 1 }));
  expect(found).toMatchObject([{ invoiceId: "in_1", stripe: { status: "paid" } }]);
  const card = (id: string, created: number, customer: string | null) =>
    event("payment_methods", id, 100, { customer, created, card: { last4: "4242" } });
  await store(card("pm_1", 1, "cus_1"), card("pm_2", 2, "cus_1"), card("pm_3", 3, null));
  const cards = await app.test.query((ctx) => paymentMethodsOf(ctx, "user_1"));
  expect(cards.map(({ paymentMethodId }) => paymentMethodId)).toEqual(["pm_2", "pm_1"]);
  const price = await app.test.query((ctx) => priceBy(ctx, { lookupKey: "monthly" }));
  expect(price?.priceId).toBe("price_1");
});

it("queries find the newest of more than they read, in whatever order they were stored", async () => {
  await subscribers(1);
  const made = (n: number): Snapshot =>
    event("invoices", `in_${n}`, 100, {
      customer: "cus_1",
      created: SECOND + n,
      status: "paid",
      parent: { subscription_details: { subscription: "sub_1" } },
    });
  // As a list of Stripe's comes: the newest first.
  for (let newest = 260; newest > 0; newest -= 65) {
    await store(...Array.from({ length: 65 }, (_, n) => made(newest - n)));
  }
  const found = await app.test.query((ctx) => invoicesOf(ctx, "user_1", { limit: 3 }));
  expect(found.map(({ invoiceId }) => invoiceId)).toEqual(["in_260", "in_259", "in_258"]);
});

it("queries list the subscriptions of a status, a page at a time", async () => {
  await subscribers(3);
  await store(event("customers", "cus_9", 100), subscription(9, 100, "active"));
  const first = await app.test.query((ctx) => subscriptionsBy(ctx, { status: "active", limit: 2 }));
  const { cursor } = first;
  const rest = await app.test.query((ctx) =>
    subscriptionsBy(ctx, { status: "active", limit: 3, cursor }),
  );
  const users = [...first.page, ...rest.page].map(({ entityId }) => entityId);
  expect(users.sort()).toEqual(["user_1", "user_2", "user_3"]);
  expect(rest.cursor).toBeNull();
  const foreign = { status: "active", cursor: "0f8fad5b-d9cb-469f-a165-70867728950e" } as const;
  await expect(app.test.query((ctx) => subscriptionsBy(ctx, foreign))).rejects.toMatchObject({
    data: { code: "invalid_argument" },
  });
});

it("access ends by a row once the grace is over, and comes back with the payment", async () => {
  await subscribers(1);
  await store(subscription(1, 200, "past_due"), invoice(200, "open"));
  const look = async () => {
    now += 5_000;
    while ((await workOnce(runtime)) > 0);
    return app.test.query((ctx) => subscriptionOf(ctx, "user_1"));
  };
  const since = (SECOND + 60) * 1000;
  expect(await look()).toMatchObject({ access: true, pastDueSince: since });
  now = since + 14 * DAY - 60_000;
  expect(await look()).toMatchObject({ access: true });
  now = since + 14 * DAY;
  expect(await look()).toMatchObject({ status: "past_due", access: false, pastDueSince: since });
  const local = createLocal({ catalogue: defineCatalogue({ access: { past_due: true } }) });
  expect((await app.test.query((ctx) => local.subscriptionOf(ctx, "user_1"))).access).toBe(true);
  await store(subscription(1, 300, "past_due")); // an edit: what is over stays over
  expect(await app.test.query((ctx) => subscriptionOf(ctx, "user_1"))).toMatchObject({
    access: false,
  });
  await store(subscription(1, 400, "active"), invoice(400, "paid"));
  expect(await look()).toMatchObject({ status: "active", access: true });
});
