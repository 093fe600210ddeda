// A Convex deployment that listens to products, under `convex-test`: its handler writes down what it
// is told in a table of the application's own, and then does what a test wants.
import {
  defineSchema,
  defineTable,
  internalActionGeneric,
  internalMutationGeneric,
  makeFunctionReference,
} from "convex/server";
import { v } from "convex/values";
import { convexTest, type TestConvex } from "convex-test";
import { runOperation } from "../../packages/backend-billing/src/convex/calls/mutation.js";
import {
  anyResult,
  type Operation,
  operation,
} from "../../packages/backend-billing/src/convex/calls/operations.js";
import { createConvexStore } from "../../packages/backend-billing/src/convex/calls/store.js";
import type { HandlerReference } from "../../packages/backend-billing/src/convex/reactions/reactions.js";
import type { WorkReference } from "../../packages/backend-billing/src/convex/schedule.js";
import { createTables } from "../../packages/backend-billing/src/convex/tables/tables.js";
import type { Store } from "../../packages/backend-billing/src/core/mirror/store.js";
import type { Change } from "../../packages/backend-billing/src/core/reactions/change.js";
import type {
  Delivery,
  DeliveryTiming,
} from "../../packages/backend-billing/src/core/reactions/delivery.js";
import { batch, created, event } from "../conformance/fixtures.js";
import { registered } from "./registered.js";
import { storeReference } from "./store.js";

const resources = ["products"] as const;
const schema = defineSchema({
  ...createTables(resources),
  mails: defineTable({ object: v.string(), name: v.string(), key: v.string() }),
});

type Told = Change<{ readonly name?: string }>;

export interface ConvexListener {
  readonly test: TestConvex<typeof schema>;
  readonly store: Store;
  /** Makes a product or renames it, one commit for each name. */
  change(id: string, ...names: readonly string[]): Promise<void>;
  /** What handlers wrote, in its order: an object and a name each. */
  mails(): Promise<string[]>;
  /** The changes that are not told yet. */
  left(): Promise<Delivery[]>;
}

export interface ListenerOptions {
  /** Is called after the handler has written its mail; what it throws, the handler throws. */
  handle(change: Told): void;
  /** Is called at the end of each transaction of the store; where it throws, all of that is taken back. */
  ended?(operation: Operation): void;
  readonly timing?: DeliveryTiming;
}

export function deployListener({ handle, ended, timing }: ListenerOptions): ConvexListener {
  const sync: WorkReference = makeFunctionReference<"action">("billing:sync");
  const handler = makeFunctionReference<"mutation">("app:mail") as unknown as HandlerReference;
  const handlers = new Map([["change products", handler]]);
  const delivery = {
    handlers,
    ...(timing === undefined ? {} : { timing }),
  };
  const listening = { products: "changes" } as const;
  const options = { resources, listening, delivery, store: storeReference, sync };
  const billing = registered({
    store: internalMutationGeneric({
      args: { operation },
      returns: anyResult,
      handler: async (ctx, args) => {
        const result = await runOperation(ctx, options, args.operation);
        ended?.(args.operation);
        return result;
      },
    }),
    sync: internalActionGeneric({ args: { step: v.string() }, handler: async () => {} }),
  });
  const app = registered({
    mail: internalMutationGeneric({
      args: { change: v.any() },
      handler: async (ctx, { change }: { change: Told }) => {
        const name = change.after?.name ?? "";
        await ctx.db.insert("mails", { object: change.id, name, key: change.key });
        handle(change);
      },
    }),
  });
  const modules = {
    "./_generated/api.js": async () => ({}),
    "./billing.ts": async () => billing,
    "./app.ts": async () => app,
  };
  const test = convexTest({ schema, modules });
  const store = createConvexStore((each) => test.mutation(storeReference, { operation: each }), {
    resources,
  });
  let draws = 0;
  const seconds = new Map<string, number>();
  return {
    test,
    store,
    async change(id, ...names) {
      for (const name of names) {
        const second = (seconds.get(id) ?? 100) + 10;
        const snapshot = (seconds.has(id) ? event : created)("products", id, second, { name });
        seconds.set(id, second);
        await store.commit({ ...batch(snapshot), now: Date.now(), draw: `draw_${++draws}` });
      }
    },
    mails: () =>
      test.run(async ({ db }) =>
        (await db.query("mails").collect()).map(({ object, name }) => `${object} ${name}`),
      ),
    left: async () =>
      (await store.records("change", "", 1000)).map(({ data }) => data as unknown as Delivery),
  };
}
