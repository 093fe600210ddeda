// The functions of the guides to moving on Convex, as they are written there, under `convex-test` with
// the tables of the other library: what they list is adopted.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  componentsGeneric,
  defineSchema,
  defineTable,
  type FunctionReference,
  type GenericSchema,
  makeFunctionReference,
  mutationGeneric,
  queryGeneric,
} from "convex/server";
import { v } from "convex/values";
import { convexTest } from "convex-test";
import Stripe from "stripe";
import ts from "typescript";
import { afterAll, expect, it, onTestFinished, vi } from "vitest";
import { PATIENCE } from "../../../../support/patience.js";
import { createPatientDouble } from "../../../../support/patient-double.js";
import { type BillingExports, createBilling } from "../../src/convex/index.js";
import { billingTables } from "../../src/convex/tables/index.js";

const root = resolve(import.meta.dirname, "../../../..");
// Below the repository, where its packages are found.
const folder = mkdtempSync(resolve(root, "node_modules/.moving-"));
afterAll(() => rmSync(folder, { recursive: true }));

type Exports = Record<string, unknown>;

/** The one block of a guide that exports this, as a module. */
async function moduleIn(guide: string, name: string): Promise<Exports> {
  const text = readFileSync(resolve(root, `docs/moving/${guide}.md`), "utf8");
  const blocks = [...text.matchAll(/^ *```ts\n([\s\S]*?)^ *```/gm)].map(([, code = ""]) => code);
  const [block, ...more] = blocks.filter((code) => code.includes(`export const ${name} =`));
  expect([block === undefined, more]).toEqual([false, []]);
  const { outputText } = ts.transpileModule(block ?? "", {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  // `billing` is declared there, and the library's own build is not to be needed here.
  const code = outputText.replace(
    /^import .* from "backend-billing";\n/m,
    "const { billingErrorOf } = globalThis.library;\n",
  );
  const file = resolve(folder, `${guide}.mjs`);
  writeFileSync(file, code);
  return (await import(pathToFileURL(file).href)) as Exports;
}

interface Globals {
  library?: object;
  billing?: BillingExports["billing"];
}

/** A deployment with the guide's files, and this many customers that no entity has. */
async function open(guide: string, tables: GenericSchema, customers: number) {
  const double = await createPatientDouble({ seed: guide, delivery: "held" });
  onTestFinished(() => double.close());
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const billing = createBilling({
    secret_key: double.secretKey,
    webhook_secret: undefined,
    stripe_options: double.stripeConfig,
    app: "shop",
  });
  const globals = globalThis as Globals;
  globals.library = await import("../../src/index.js");
  globals.billing = billing.billing;
  const files: { [name: string]: Exports } = {
    billing: billing as unknown as Exports,
    adopt: await moduleIn("index", "all"),
    pairs: await moduleIn(guide, "page"),
  };
  const modules = Object.fromEntries(
    Object.entries(files).map(([name, file]) => [`./${name}.ts`, async () => file]),
  );
  const backend = convexTest({
    schema: defineSchema({ ...billingTables, ...tables }),
    modules: { ...modules, "./_generated/api.js": async () => ({}) },
  });
  const ids: string[] = [];
  for (let n = 0; n < customers; n++) ids.push((await stripe.customers.create()).id);
  const marks = () =>
    Object.fromEntries(
      double.objects("customer").map(({ id, metadata }) => [id, metadata.entityId ?? null]),
    );
  /** Runs it as the guide says, until Stripe has all that it is to have. */
  const becomes = async (wanted: { [id: string]: string | null }) => {
    await backend.action(makeFunctionReference<"action">("adopt:all"), { cursor: null });
    await vi.waitFor(() => expect(marks()).toEqual(wanted), { timeout: PATIENCE });
    await backend.finishInProgressScheduledFunctions();
  };
  return { backend, ids, becomes };
}

it("@raideno/convex-stripe: its table of customers, page by page", {
  tags: ["slow"],
}, async () => {
  const stripeCustomers = defineTable({
    customerId: v.string(),
    entityId: v.string(),
    stripe: v.any(),
    lastSyncedAt: v.number(),
  })
    .index("byCustomerId", ["customerId"])
    .index("byEntityId", ["entityId"]);
  const { backend, ids, becomes } = await open("raideno-convex-stripe", { stripeCustomers }, 51);
  await backend.run(async (ctx) => {
    for (const [n, customerId] of ["cus_gone", ...ids].entries()) {
      const row = { customerId, entityId: `user_${n}`, stripe: {}, lastSyncedAt: 1 };
      await ctx.db.insert("stripeCustomers" as never, row as never);
    }
  });
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  await becomes(Object.fromEntries(ids.map((id, n) => [id, `user_${n + 1}`])));
  expect(warned.mock.calls).toMatchObject([
    [{ customerId: "cus_gone" }, { code: "customer_not_found" }],
  ]);
  warned.mockRestore();
});

it("@convex-dev/stripe: its customers, by the application's users", async () => {
  const users = defineTable({ name: v.string() });
  const { backend, ids, becomes } = await open("convex-dev-stripe", { users }, 3);
  // As the component has it: an application reaches it by its functions alone.
  const customers = defineTable({
    stripeCustomerId: v.string(),
    email: v.optional(v.string()),
    userId: v.optional(v.string()),
  }).index("by_user_id", ["userId"]);
  const getCustomerByUserId = queryGeneric({
    args: { userId: v.string() },
    handler: async (ctx, { userId }) =>
      ctx.db
        .query("customers")
        .withIndex("by_user_id", (q) => q.eq("userId" as never, userId as never))
        .first(),
  });
  const createOrUpdateCustomer = mutationGeneric({
    args: { stripeCustomerId: v.string(), userId: v.string() },
    handler: async (ctx, customer) => {
      await ctx.db.insert("customers", customer);
    },
  });
  backend.registerComponent("stripe", defineSchema({ customers }), {
    "./public.ts": async () => ({ getCustomerByUserId, createOrUpdateCustomer }),
    "./_generated/api.js": async () => ({}),
  });
  const people = await backend.run(async (ctx) => {
    const add = (name: string) => ctx.db.insert("users" as never, { name } as never);
    return [await add("Ada"), await add("Bob"), await add("Eve")] as string[];
  });
  const [ada = "", bob = ""] = people;
  const [first = "", second = "", third = ""] = ids;
  const component = componentsGeneric().stripe as unknown as {
    public: { createOrUpdateCustomer: FunctionReference<"mutation", "internal"> };
  };
  await backend.action(async (ctx) => {
    for (const [userId, stripeCustomerId] of [
      [ada, first],
      [bob, second],
    ]) {
      await ctx.runMutation(component.public.createOrUpdateCustomer, { userId, stripeCustomerId });
    }
  });
  await becomes({ [first]: ada, [second]: bob, [third]: null });
});
