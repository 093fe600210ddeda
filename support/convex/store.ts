// A Convex deployment of one application under `convex-test`, which keeps its tables in memory,
// checks arguments, documents and results by their validators, and runs one mutation at a time.

import { defineSchema, internalActionGeneric, makeFunctionReference } from "convex/server";
import { v } from "convex/values";
import { convexTest, type TestConvex } from "convex-test";
import { createStoreMutation } from "../../packages/backend-billing/src/convex/calls/mutation.js";
import type { Operation } from "../../packages/backend-billing/src/convex/calls/operations.js";
import { createConvexStore } from "../../packages/backend-billing/src/convex/calls/store.js";
import type {
  StoreReference,
  WorkReference,
} from "../../packages/backend-billing/src/convex/schedule.js";
import {
  billingTables,
  createTables,
} from "../../packages/backend-billing/src/convex/tables/tables.js";
import {
  defaultResources,
  type ResourceName,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { Listening } from "../../packages/backend-billing/src/core/mirror/listening.js";
import type { Store } from "../../packages/backend-billing/src/core/mirror/store.js";
import type { AnyCatalogue } from "../../packages/backend-billing/src/core/plans/catalogue.js";
import { registered } from "./registered.js";

export const schema = defineSchema({ ...billingTables });

export const storeReference: StoreReference = makeFunctionReference<"mutation">("billing:store");
const sync: WorkReference = makeFunctionReference<"action">("billing:sync");

export interface StoreDeployment {
  readonly test: TestConvex<typeof schema>;
  readonly store: Store;
  /** The same store, for a process whose calls go through here. */
  through(gate: (call: () => Promise<unknown>) => Promise<unknown>): Store;
  /** The steps that workers were called for. */
  readonly steps: readonly string[];
}

/** A deployment of the store alone: workers are counted and do nothing. */
export function deployStore({
  resources = defaultResources,
  listening = {},
  catalogue,
  ...options
}: {
  readonly transactionLimits?: boolean;
  readonly resources?: readonly ResourceName[];
  readonly listening?: Listening;
  readonly catalogue?: AnyCatalogue;
} = {}): StoreDeployment {
  const tables = defineSchema({ ...createTables(resources) }) as unknown as typeof schema;
  const steps: string[] = [];
  const billing = registered({
    store: createStoreMutation({ resources, listening, catalogue, store: storeReference, sync }),
    sync: internalActionGeneric({
      args: { step: v.string() },
      handler: async (_, { step }) => {
        steps.push(step);
      },
    }),
  });
  const modules = {
    "./_generated/api.js": async () => ({}),
    "./billing.ts": async () => billing,
  };
  const test = convexTest({ schema: tables, modules, ...options });
  const call = (operation: Operation): Promise<unknown> =>
    test.mutation(storeReference, { operation });
  const through: StoreDeployment["through"] = (gate) =>
    createConvexStore((operation) => gate(() => call(operation)), { resources });
  return { test, store: through((run) => run()), through, steps };
}
