// Usage on Convex, under `convex-test`: each call is a mutation or a query of its own.
import type { Reads } from "../../packages/backend-billing/src/convex/reads/local.js";
import type { Usage } from "../../packages/backend-billing/src/convex/usage/usage.js";
import type { Store } from "../../packages/backend-billing/src/core/mirror/store.js";
import type { CreditsOutcome } from "../../packages/backend-billing/src/core/runtime/records/credits.js";
import type { UsageSubject } from "../usage/cases.js";
import type { CreditsSubject } from "../usage/credits.js";
import type { SharesSubject } from "../usage/shares.js";
import { catalogue, subscriber } from "../usage/world.js";
import { deployStore, type StoreDeployment, storeReference } from "./store.js";

/** What `createLocal` gives of usage. */
export type LocalUsage = Usage & Pick<Reads, "can">;

export interface UsageDeployment extends CreditsSubject, SharesSubject {
  readonly store: Store;
  readonly app: StoreDeployment;
}

/** `clock` is what the calls go by. */
export function deployUsage(local: LocalUsage, clock: UsageSubject["clock"]): UsageDeployment {
  const app = deployStore({ transactionLimits: true, catalogue });
  const { test, store } = app;
  return {
    app,
    clock,
    usage: {
      consume: (use) => test.mutation((ctx) => local.consume(ctx, use)),
      track: (use) => test.mutation((ctx) => local.track(ctx, use)),
      reserve: (use) => test.mutation((ctx) => local.reserve(ctx, use)),
      finish: (args) => test.mutation((ctx) => local.finish(ctx, args)),
      release: (args) => test.mutation((ctx) => local.release(ctx, args)),
      grant: (args) => test.mutation((ctx) => local.grant(ctx, args)),
      usageOf: (entityId) => test.query((ctx) => local.usageOf(ctx, entityId)),
      can: (entityId, feature) => test.query((ctx) => local.can(ctx, entityId, feature)),
    },
    subscribe: subscriber(store),
    store,
    settle: async (sessionId) => {
      const operation = { type: "credit", sessionId, now: clock.now };
      return (await test.mutation(storeReference, { operation })) as CreditsOutcome;
    },
    shares: {
      async settle({ entityId, before, at }, now) {
        const operation = { type: "share", former: { entityId, before, at }, now };
        await test.mutation(storeReference, { operation });
      },
    },
    records: (entityId) =>
      test.query(async ({ db }) => {
        const found = await db
          .query("backend_billing_usage_records")
          .withIndex("byKey", (range) => range.eq("entityId", entityId))
          .collect();
        return found.map(({ key, amount, over, billed }) => ({ key, amount, over, billed }));
      }),
    async undone(work) {
      const end = new Error("It is taken back.");
      const run = test.mutation(async (ctx) => {
        await work({
          consume: (use) => local.consume(ctx, use),
          grant: (use) => local.grant(ctx, use),
        });
        throw end;
      });
      await run.catch((error) => {
        if (error !== end) throw error;
      });
    },
  };
}
