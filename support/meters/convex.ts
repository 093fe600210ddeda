/**
 * Usage on its way to a meter, on Convex under `convex-test`. As Convex does where a mutation meets a
 * conflict, some are taken back at their end and run again.
 */
import { internalMutationGeneric, type Scheduler } from "convex/server";
import { convexTest } from "convex-test";
import { runOperation } from "../../packages/backend-billing/src/convex/calls/mutation.js";
import {
  anyResult,
  type Operation,
  operation,
} from "../../packages/backend-billing/src/convex/calls/operations.js";
import { createConvexOutbox } from "../../packages/backend-billing/src/convex/calls/outbox.js";
import { referencesTo } from "../../packages/backend-billing/src/convex/calls/references.js";
import { createConvexStore } from "../../packages/backend-billing/src/convex/calls/store.js";
import { usageBy } from "../../packages/backend-billing/src/convex/usage/usage.js";
import { defaultResources } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { MeterBatch } from "../../packages/backend-billing/src/core/runtime/records/batches.js";
import { registered } from "../convex/registered.js";
import { schema } from "../convex/store.js";
import { catalogue, FEATURE, type Keep } from "./keep.js";

const CONFLICT = "Another mutation has changed what this one read.";
/** Of the mutations of the store one in so many meets a conflict. */
const CONFLICTS = 5;

/** Nothing is called by itself: the harness says who works, and when. */
const scheduler = {
  runAfter: async () => "none",
  runAt: async () => "none",
  cancel: async () => {},
} as unknown as Scheduler;

export async function keepOnConvex(): Promise<Keep> {
  const { store: reference, work: sync } = referencesTo("billing");
  const options = { resources: defaultResources, store: reference, sync };
  let runs = 0;
  const billing = registered({
    store: internalMutationGeneric({
      args: { operation },
      returns: anyResult,
      handler: async (ctx, args) => {
        const result = await runOperation({ ...ctx, scheduler }, options, args.operation);
        if (++runs % CONFLICTS === 0) throw new Error(CONFLICT);
        return result;
      },
    }),
  });
  const modules = {
    "./_generated/api.js": async () => ({}),
    "./billing.ts": async () => billing,
  };
  const test = convexTest({ schema, modules, transactionLimits: true });
  const call = async (each: Operation): Promise<unknown> => {
    for (;;) {
      try {
        return await test.mutation(reference, { operation: each });
      } catch (error) {
        if (!(error instanceof Error && error.message.includes(CONFLICT))) throw error;
      }
    }
  };
  return {
    store: createConvexStore(call, { resources: defaultResources }),
    outbox: createConvexOutbox(call),
    usage: (now) => {
      const { consume } = usageBy(catalogue, { now });
      return { consume: (use) => test.mutation((ctx) => consume({ ...ctx, scheduler }, use)) };
    },
    used: () => test.query(({ db }) => db.query("backend_billing_usage_records").collect()),
    insert: ({ over, ...record }) =>
      test.mutation(({ db }) =>
        db.insert("backend_billing_usage_records", {
          ...record,
          feature: FEATURE,
          amount: over,
          over,
          billed: true,
          batch: null,
        }),
      ),
    batches: () =>
      test.query(async ({ db }) => {
        const all = await db.query("backend_billing_records").collect();
        return all.flatMap(({ kind, recordId: id, due, data }) =>
          kind === "batch" ? [{ id, due, data: data as MeterBatch }] : [],
        );
      }),
  };
}
