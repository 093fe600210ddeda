/**
 * backend-billing on Convex, variant B, with its defaults, under `convex-test`. The data is in
 * memory, so its process cannot be killed; crons do not run there, so nothing repairs by itself.
 */

import type { FunctionReference } from "convex/server";
import { registered } from "../../../support/convex/registered.js";
import { type ConvexTest, forget, push, routed } from "../harness/convex.js";
import { allFactsOf, type Json, type Kind } from "../harness/facts.js";
import { hearing, type News } from "../harness/hooks.js";
import { sleep } from "../harness/patience.js";
import type { Answer, Instance, Owners, Subject, Surroundings } from "../harness/subject.js";
import {
  answered,
  callsOf,
  caughtUp,
  checkoutArgs,
  installedBy,
  newsIn,
  OURS,
  PATIENCE,
  payArgs,
  type Reacted,
  subscribeArgs,
  unitsOf,
  usageCatalogue,
} from "./ours.js";

const TABLES = {
  customer: "backend_billing_customers",
  product: "backend_billing_products",
  price: "backend_billing_prices",
  subscription: "backend_billing_subscriptions",
  coupon: "backend_billing_coupons",
  promotion_code: "backend_billing_promotion_codes",
  payout: "backend_billing_payouts",
  refund: "backend_billing_refunds",
} as const satisfies { readonly [K in Kind]: string };

const silent = { info() {}, warn() {}, error() {} };

/** The application's handlers: internal mutations of its own, and the table that they write to. */
async function application(inbox: string | undefined) {
  const [{ defineTable, internalMutationGeneric, makeFunctionReference }, { v }] =
    await Promise.all([import("convex/server"), import("convex/values")]);
  const hear = hearing(inbox);
  const handler = (name: News["name"]) =>
    internalMutationGeneric({
      args: { event: v.any() },
      handler: async ({ db }, { event }: { event: Reacted }) => {
        const news = newsIn(name, event);
        await db.insert("told", { ...news });
        await hear?.(news);
      },
    });
  const on = (name: string) =>
    makeFunctionReference<"mutation">(`application:${name}`) as unknown as FunctionReference<
      "mutation",
      "internal"
    >;
  return {
    tables: { told: defineTable(v.any()) },
    functions: {
      started: handler("started"),
      changed: handler("changed"),
      ended: handler("ended"),
    },
    settings:
      hear === undefined
        ? {}
        : {
            on: {
              "subscription.started": on("started"),
              "subscription.changed": on("changed"),
              "subscription.ended": on("ended"),
            },
          },
  };
}

/** Loaded when it is used, so that the other subjects do not depend on it. */
async function open(
  { url, secretKey, stripe, app, inbox, shop }: Surroundings,
  secrets: readonly string[],
) {
  const [library, { convexTest }, server, { tables, functions: handlers, settings }] =
    await Promise.all([
      import("../../../packages/backend-billing/src/convex/index.js"),
      import("convex-test"),
      import("convex/server"),
      application(inbox),
    ]);
  const catalogue = await usageCatalogue();
  const config = {
    secret_key: secretKey,
    webhook_secret: secrets,
    base_url: url,
    ...(app === undefined ? {} : { app }),
    stripe_options: stripe,
    logger: silent,
    ...settings,
    ...(shop === undefined ? {} : { catalogue }),
  };
  const local = library.createLocal({ catalogue });
  const { billing, ...functions } = library.createBilling(config);
  const variantA = library.createStripe(config); // on the same tables
  const http = server.httpRouter();
  billing.addHttpRoutes(http);
  const schema = server.defineSchema({ ...library.billingTables, ...tables });
  const files = {
    billing: { billing, ...registered(functions) },
    stripe: registered(variantA),
    http: { default: http },
    application: handlers,
  };
  const test = push(url, files, (modules) => {
    const made = convexTest({ schema, modules });
    return made as unknown as ConvexTest & typeof made;
  });
  const call = <Result>(name: string, args: object): Promise<Result> =>
    test.action(server.makeFunctionReference<"action">(`billing:${name}`), args);
  return { library, billing, local, stripe: variantA.stripe, test, call };
}

/** Ends a mutation without its effects. */
const IN_VAIN = new Error("The application rolls back");

interface Run {
  readonly runId: string | null;
  readonly state: string;
}

export const oursConvex: Subject = {
  name: "ours-convex",
  title: "backend-billing, Convex",
  how: "variant B with its defaults, under convex-test",
  version: () => "this repository",
  ours: true,
  concurrency: 3, // convex-test computes more than it waits
  mirrors: Object.keys(TABLES) as Kind[],
  abilities: [...OURS, "hooks", "hooks by name", "hooks in a transaction"],
  install: async (around) => {
    const { call } = await open(around, []);
    const { webhook } = await call<{ webhook?: { id: string; secret?: string } }>("sync", {
      data: false,
      webhook: true,
    });
    return installedBy(webhook);
  },
  start: async (around, { secrets }): Promise<Instance> => {
    const { library, billing, local, stripe, test, call } = await open(around, secrets);
    const within = (work: (ctx: never) => Promise<Answer>) =>
      test.action((context) => work(context as never));
    const latestRuns = () => test.action((context) => billing.runs(context as never, 20));
    const ended = async ({ runId }: Run): Promise<boolean> => {
      for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(250)) {
        const run = (await latestRuns()).find((each) => each.runId === runId);
        if (run !== undefined && run.state !== "running") return run.state === "done";
      }
      return false;
    };
    return {
      fetch: (request) => routed(test, request),
      rows: async (kind) => {
        const rows = await test.run(({ db }) => db.query(TABLES[kind]).collect());
        return rows
          .map((row) => (row as { stripe: object | null }).stripe)
          .filter((object) => object !== null)
          .map((object) => allFactsOf(kind, library.decode(object as never) as unknown as Json));
      },
      settle: () => settled(test),
      written: async () => (await test.run(({ db }) => db.query("told").collect())) as News[],
      setAside: async () => {
        const records = await test.run(({ db }) => db.query("backend_billing_records").collect());
        return records
          .map((record) => record as unknown as { kind: string; data: { id?: string } })
          .flatMap(({ kind, data }) => (kind === "aside" && data.id ? [data.id] : []));
      },
      backfill: async () => ended(await call<Run>("sync", {})),
      repair: async () =>
        ended(await test.action((context) => billing.reconcile(context as never))),
      catchUp: () => caughtUp(latestRuns, () => call("sync", { step: "catch-up" })),
      owners: async () => {
        const rows = await test.run(({ db }) => db.query(TABLES.customer).collect());
        const owned = (rows as { customerId: string; entityId?: string | null }[]).flatMap(
          ({ customerId, entityId }) => (entityId ? [[customerId, entityId]] : []),
        );
        return Object.fromEntries(owned) as Owners;
      },
      setup: async (entity) => (await call<{ customerId: string }>("setup", entity)).customerId,
      subscribe: (order) =>
        order.idempotencyKey === undefined
          ? call<Answer>("checkout", checkoutArgs(order))
          : test.action((context) => stripe.subscribe(context as never, ...subscribeArgs(order))),
      changePlan: ({ entityId, price }) =>
        within(async (ctx) => answered(await billing.change(ctx, { entityId, priceId: price.id }))),
      cancel: ({ entityId }) =>
        within(async (ctx) => {
          await billing.cancel(ctx, { entityId });
          return {};
        }),
      setSeats: ({ entityId }, quantity) =>
        within(async (ctx) => answered(await billing.change(ctx, { entityId, quantity }))),
      comeBack: async (link) => {
        await routed(test, new Request(link));
      },
      take: async (units) =>
        (await test.mutation((ctx) => local.consume(ctx as never, unitsOf(units)))).allowed,
      takeInVain: async (units) => {
        const taken = test.mutation(async (ctx) => {
          await local.consume(ctx as never, unitsOf(units));
          throw IN_VAIN;
        });
        await taken.catch((error: unknown) => {
          if (error !== IN_VAIN) throw error;
        });
      },
      left: (entityId) =>
        test.query(async (ctx) => (await local.usageOf(ctx as never, entityId)).units.remaining),
      give: async (units, lasting) => {
        const given = { ...unitsOf(units), expiresAt: Date.now() + lasting };
        await test.mutation((ctx) => local.grant(ctx as never, given));
      },
      buyPack: (order) => within((ctx) => billing.pay(ctx, payArgs(order))),
      use: async (units) => {
        await test.mutation((ctx) => local.consume(ctx as never, callsOf(units)));
      },
      endpoint: async () => {
        await call("sync", { data: false, webhook: true });
      },
      close: async () => {
        forget(around.url);
      },
    };
  },
};

/** Records that are worked at when they are due. */
const WORKED: ReadonlySet<string> = new Set(["change", "batch", "credits", "share"]);

/** Until nothing is left to ask, to refresh, to tell, to credit or to bill. */
async function settled(test: ConvexTest): Promise<void> {
  for (const end = Date.now() + PATIENCE; ; await sleep(250)) {
    const left = await test.run(async ({ db }) => {
      const versions = await db.query("backend_billing_versions").collect();
      const records = await db.query("backend_billing_records").collect();
      const used = await db.query("backend_billing_usage_records").collect();
      return (
        versions.some((version) => (version as { askAt: number | null }).askAt !== null) ||
        (records as { kind: string; due?: number | null }[]).some(
          ({ kind, due }) => kind === "refresh" || (WORKED.has(kind) && due != null),
        ) ||
        (used as { billed: boolean; batch?: string | null }[]).some(
          ({ billed, batch }) => billed && batch == null,
        )
      );
    });
    if (!left) return;
    if (Date.now() > end) throw new Error(`It is still busy after ${PATIENCE / 1000} s`);
  }
}
