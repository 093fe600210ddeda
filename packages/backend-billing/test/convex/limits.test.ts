// @module-tag slow
// A backfill under the platform's limits per transaction, which `convex-test` enforces on request.
// It ends well only if every page and every step stays inside all of them. What counts is the size
// of a page, so a tenth of the account shows the same; `npm run limits:convex` takes all of it, which
// is slow because `convex-test` has no indexes and looks through every document for every query.
import {
  defineSchema,
  internalMutationGeneric,
  makeFunctionReference,
  type TransactionMetrics,
} from "convex/server";
import { convexTest } from "convex-test";
import Stripe from "stripe";
import { expect, it } from "vitest";
import { registered } from "../../../../support/convex/registered.js";
import { listedAtOnce } from "../../../../support/listed-at-once.js";
import { createPatientDouble } from "../../../../support/patient-double.js";
import { runOperation } from "../../src/convex/calls/mutation.js";
import { anyResult, operation } from "../../src/convex/calls/operations.js";
import { referencesTo } from "../../src/convex/calls/references.js";
import { createBilling } from "../../src/convex/index.js";
import { billingTables } from "../../src/convex/tables/tables.js";
import type { StripeDouble } from "../../src/testing/index.js";

const FULL = process.env.CONVEX_LIMITS === "full";
const CUSTOMERS = FULL ? 5_000 : 500;
const SUBSCRIPTIONS = CUSTOMERS / 10;
const ITEMS = 20;

/** A subscription as Stripe makes them, from an account of its own. */
async function likeness(): Promise<ReturnType<typeof subscriptionsOf>[number]> {
  const double = await createPatientDouble({ embeddedLimit: ITEMS });
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const product = await stripe.products.create({ name: "Seats" });
  const items: { price: string }[] = [];
  for (let index = 0; index < ITEMS; index++) {
    const price = await stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount: 100 + index,
      recurring: { interval: "month" },
    });
    items.push({ price: price.id });
  }
  const customer = await stripe.customers.create({});
  await stripe.subscriptions.create({
    customer: customer.id,
    collection_method: "send_invoice",
    days_until_due: 30,
    items,
  });
  const [made] = subscriptionsOf(double);
  await double.close();
  if (made === undefined) throw new Error("No subscription was made");
  return made;
}

const subscriptionsOf = (double: StripeDouble) => double.objects("subscription");

async function populateAccount(double: StripeDouble): Promise<void> {
  const template = await likeness();
  double.populate({ object: "customer", count: CUSTOMERS });
  const owners = double.objects("customer");
  double.populate({
    object: "subscription",
    count: SUBSCRIPTIONS,
    make: (index, seed) => ({ ...template, ...seed, customer: owners[index]?.id ?? "" }),
  });
}

type Figures = { [name in keyof TransactionMetrics]?: { used: number; remaining: number } };

it(`backfills ${CUSTOMERS} customers and ${SUBSCRIPTIONS} subscriptions of 20 items within every limit`, async () => {
  const double = await createPatientDouble({ embeddedLimit: ITEMS });
  await populateAccount(double);
  const largest: Figures = {};
  const transactions: { [operation: string]: number } = {};
  const billing = createBilling({
    secret_key: double.secretKey,
    webhook_secret: undefined,
    stripe_options: double.stripeConfig,
    resources: listedAtOnce,
  });
  const { store, work } = referencesTo("billing");
  const metered = internalMutationGeneric({
    args: { operation },
    returns: anyResult,
    handler: async (ctx, args) => {
      const result = await runOperation(
        ctx,
        { resources: listedAtOnce, store, sync: work },
        args.operation,
      );
      const { type } = args.operation;
      transactions[type] = (transactions[type] ?? 0) + 1;
      const figures = (await ctx.meta.getTransactionMetrics()) as Figures;
      for (const [name, figure] of Object.entries(figures)) {
        const before = largest[name as keyof Figures];
        if (before === undefined || figure.used > before.used)
          largest[name as keyof Figures] = figure;
      }
      return result;
    },
  });
  const files = registered({ ...billing, store: metered });
  const backend = convexTest({
    schema: defineSchema({ ...billingTables }),
    modules: {
      "./_generated/api.js": async () => ({}),
      "./billing.ts": async () => files,
    },
    transactionLimits: true,
  });
  const started = Date.now();
  await backend.action(makeFunctionReference<"action">("billing:sync"), {});
  const count = (table: "backend_billing_customers" | "backend_billing_subscriptions") =>
    backend.run(async (ctx) => (await ctx.db.query(table).collect()).length);
  await expect
    .poll(
      async () => [
        await count("backend_billing_customers"),
        await count("backend_billing_subscriptions"),
      ],
      { timeout: FULL ? 500_000 : 60_000, interval: 1_000 },
    )
    .toEqual([CUSTOMERS, CUSTOMERS]);
  const failed = await backend.run(async (ctx) =>
    (await ctx.db.system.query("_scheduled_functions").collect()).filter(
      ({ state }) => state.kind === "failed",
    ),
  );
  expect(failed).toEqual([]);
  console.info(
    `Largest of each, of the platform's limit (${Math.round((Date.now() - started) / 1000)} s):`,
    Object.entries(largest)
      .map(([name, { used, remaining }]) => `${name} ${used} of ${used + remaining}`)
      .join(", "),
    "\nTransactions:",
    transactions,
  );
  await double.close();
}, 600_000);
