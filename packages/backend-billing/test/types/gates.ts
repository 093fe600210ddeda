// Compiled by `npm run typecheck`, by every compiler that it has; never run. A catalogue's names are
// the types of gates and plans, on both platforms: what is misspelt, or of another kind, does not
// compile.
import { queryGeneric } from "convex/server";
import type pg from "pg";
import { expectTypeOf } from "vitest";
import {
  type AnyCatalogue,
  defineCatalogue,
  type NamesOf,
  usd,
} from "../../src/catalogue/index.js";
import { can as canBare, createLocal, type Local } from "../../src/convex/local.js";
import type { UsageBalance } from "../../src/index.js";
import {
  type BillingClient,
  type BillingExports,
  type BillingStore,
  createBilling,
  createStripe,
  type Queryable,
  type Reactions,
} from "../../src/postgres/index.js";

declare const db: pg.Pool;
declare const tx: pg.PoolClient;
const config = { secret_key: "sk_test_1", webhook_secret: "whsec_1", db, base_url: "https://a.b" };

const catalogue = defineCatalogue({
  app: "acme",
  features: { sso: "boolean", projects: "limit", calls: { meter: "calls" } },
  plans: {
    free: { name: "Free", default: true, features: { projects: 3 } },
    pro: { name: "Pro", prices: { monthly: usd("20").monthly() }, features: { sso: true } },
  },
});
type PlanName = "free" | "pro";

// Variant B, and variant A.
const { store, billing } = createBilling({
  ...config,
  catalogue,
  on: {
    "subscription.changed": async ({ after, subscription }, { store: inside }) => {
      expectTypeOf(after.plan).toEqualTypeOf<PlanName>();
      expectTypeOf(subscription.plan).toEqualTypeOf<PlanName>();
      expectTypeOf(inside.planOf("user_1")).resolves.toEqualTypeOf<PlanName>();
      // @ts-expect-error it is misspelt
      await inside.can("user_1", "ssso");
    },
  },
});
const { store: other } = createStripe({ ...config, catalogue });
for (const local of [store, other, store.in(tx)]) {
  expectTypeOf(local.planOf("user_1", { group: "main" })).resolves.toEqualTypeOf<PlanName>();
  expectTypeOf(local.can("user_1", "sso")).resolves.toBeBoolean();
  expectTypeOf(local.can("user_1", "calls")).resolves.toBeBoolean();
  expectTypeOf(local.limit("user_1", "projects")).resolves.toBeNumber();
  // @ts-expect-error it is misspelt
  local.can("user_1", "ssso");
  // @ts-expect-error it is a limit
  local.can("user_1", "projects");
  // @ts-expect-error it is no limit
  local.limit("user_1", "sso");
  expectTypeOf(local.usageOf("user_1")).resolves.toEqualTypeOf<{ readonly calls: UsageBalance }>();
  const taken = await local.consume({ entityId: "user_1", feature: "calls", key: "request_1" });
  if (!taken.allowed) expectTypeOf(taken.reason).toEqualTypeOf<"limit_reached" | "not_included">();
  // @ts-expect-error it has no balance
  local.consume({ entityId: "user_1", feature: "sso", key: "request_1" });
  // @ts-expect-error it has no key
  local.track({ entityId: "user_1", feature: "calls" });
  // @ts-expect-error it says no amount
  local.grant({ entityId: "user_1", feature: "calls", key: "gift_1" });
  const held = await local.reserve({ entityId: "user_1", feature: "calls", key: "chat_1" });
  // @ts-expect-error it may have been refused
  local.release(held);
  if (held.allowed) await local.finish({ reservationId: held.reservationId, amount: 3 });
  expectTypeOf((await local.subscriptionOf("user_1")).plan).toEqualTypeOf<PlanName>();
  const { next } = await local.subscriptionOf("user_1");
  expectTypeOf(next).toExtend<{ plan: PlanName } | null>();
}
expectTypeOf((await billing.cancel({ entityId: "user_1" })).plan).toEqualTypeOf<PlanName>();

// Without a catalogue any text will do, and a store of any catalogue is a store.
const bare = createBilling(config);
expectTypeOf(bare).toEqualTypeOf<BillingExports>();
expectTypeOf(bare.store.planOf("user_1")).resolves.toEqualTypeOf<string | null>();
bare.store.can("user_1", "anything");
store satisfies BillingStore;
createLocal({ catalogue }) satisfies Local;
billing satisfies BillingClient;
declare const any: AnyCatalogue;
createBilling({ ...config, catalogue: any }).store.limit("user_1", "anything");
const handlers: Reactions<Queryable> = { "access.lost": async ({ after }) => after.plan };
const { store: still } = createBilling({ ...config, catalogue, on: handlers });
expectTypeOf(still).toEqualTypeOf<BillingStore<NamesOf<typeof catalogue>>>();

// Convex.
const { can, limit, planOf, subscriptionOf, onEvent } = createLocal({ catalogue });
expectTypeOf(onEvent("subscription.started").event.type.after.plan).toEqualTypeOf<PlanName>();
queryGeneric({
  args: {},
  handler: async (ctx) => {
    expectTypeOf(planOf(ctx, "user_1")).resolves.toEqualTypeOf<PlanName>();
    expectTypeOf(can(ctx, "user_1", "sso")).resolves.toBeBoolean();
    expectTypeOf(limit(ctx, "user_1", "projects")).resolves.toBeNumber();
    expectTypeOf((await subscriptionOf(ctx, "user_1")).plan).toEqualTypeOf<PlanName>();
    // @ts-expect-error it is misspelt
    await can(ctx, "user_1", "ssso");
    // @ts-expect-error it is a limit
    await can(ctx, "user_1", "projects");
    // @ts-expect-error it is no limit
    await limit(ctx, "user_1", "calls");
    await canBare(ctx, "user_1", "anything");
  },
});
