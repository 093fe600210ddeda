// What an event and a page cost on Convex, as `convex-test` counts it: mutations, documents and
// bytes. The line that begins with CONVEX_COST is read by the benchmark.
import { defineSchema, internalMutationGeneric, type TransactionMetrics } from "convex/server";
import { convexTest } from "convex-test";
import Stripe from "stripe";
import { expect, it } from "vitest";
import { customer, deliveries, SECRET_KEY } from "../../../../proof/bench/data.js";
import { page } from "../../../../support/conformance/fixtures.js";
import { runOperation } from "../../src/convex/calls/mutation.js";
import { anyResult, operation } from "../../src/convex/calls/operations.js";
import { referencesTo } from "../../src/convex/calls/references.js";
import { createConvexStore } from "../../src/convex/calls/store.js";
import { billingTables } from "../../src/convex/tables/tables.js";
import { defaultResources } from "../../src/core/catalogue/catalogue.js";
import { receiveEvent } from "../../src/core/events/receive.js";
import { readEvent } from "../../src/core/mirror/snapshot.js";
import { createRuntime } from "../../src/core/runtime/runtime.js";

const EVENTS = 20;
const PAGE = 100;
type Figures = { [name in keyof TransactionMetrics]?: { used: number } };

function deploy() {
  const { store: reference, work } = referencesTo("billing");
  const used: Figures[] = [];
  const metered = internalMutationGeneric({
    args: { operation },
    returns: anyResult,
    handler: async (ctx, args) => {
      const context = { resources: defaultResources, store: reference, sync: work };
      const result = await runOperation(ctx, context, args.operation);
      used.push((await ctx.meta.getTransactionMetrics()) as Figures);
      return result;
    },
  });
  const backend = convexTest({
    schema: defineSchema({ ...billingTables }),
    modules: {
      "./_generated/api.js": async () => ({}),
      "./billing.ts": async () => ({ store: metered }),
    },
    transactionLimits: true,
  });
  const store = createConvexStore((each) => backend.mutation(reference, { operation: each }), {
    resources: defaultResources,
  });
  return { store, used };
}

/** What the transactions took together, for each of so many. */
function perEach(used: readonly Figures[], count: number) {
  const sum = (name: keyof TransactionMetrics) =>
    used.reduce((total, figures) => total + (figures[name]?.used ?? 0), 0) / count;
  return {
    mutations: used.length / count,
    documentsRead: sum("documentsRead"),
    documentsWritten: sum("documentsWritten"),
    bytesRead: Math.round(sum("bytesRead")),
    bytesWritten: Math.round(sum("bytesWritten")),
  };
}

it("an event is one mutation, and a page few", async () => {
  const { store, used } = deploy();
  const config = { secret_key: SECRET_KEY, webhook_secret: undefined, stripe_options: {} };
  const runtime = createRuntime(config, { store, baseUrl: () => "http://localhost", wake() {} });
  const apiVersion = new Stripe(SECRET_KEY).getApiField("version") as string;
  const receive = async (round: number) => {
    const all = deliveries({ kind: "customers", stored: EVENTS, count: EVENTS, round, apiVersion });
    for (const { body } of all) {
      const event = readEvent(JSON.parse(body));
      if (event === undefined) throw new Error("Not an event");
      expect(await receiveEvent(runtime, event)).toBe("handled");
    }
  };
  await receive(1); // they are new
  used.length = 0;
  await receive(2);
  const event = perEach(used, EVENTS);
  used.length = 0;
  const contents = Array.from({ length: PAGE }, (_, index) => customer(1_000 + index, 100));
  await store.commit({
    source: "event",
    now: 1,
    units: [
      { snapshots: contents.map((content) => page("customers", content.id, 100, 100, content)) },
    ],
  });
  console.info(`CONVEX_COST ${JSON.stringify({ event, page: perEach(used, 1) })}`);
  expect(event.mutations).toBe(1);
  expect(used.length).toBeLessThanOrEqual(2);
});
