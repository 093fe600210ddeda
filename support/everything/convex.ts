/** On Convex, under `convex-test`. */
import { makeFunctionReference } from "convex/server";
import type StripeSdk from "stripe";
import { decode } from "../../packages/backend-billing/src/convex/index.js";
import { resources } from "../../packages/backend-billing/src/core/catalogue/resources.js";
import type {
  RunReport,
  SyncReport,
} from "../../packages/backend-billing/src/core/runtime/reports.js";
import { PATIENCE } from "../patience.js";
import { createPatientDouble } from "../patient-double.js";
import { type ActionCtx, type Deployment, deploy } from "../spec/platforms/convex-deployment.js";
import { shownIn } from "./equality.js";
import { CONFIG, type MirrorApp, type MirrorPlatform, NOW, SPOILED } from "./platform.js";

/** The merchant's own SDK is the one for Node; what the application imports is the one for workers. */
const NODE_BUILD = new URL("../../node_modules/stripe/esm/stripe.esm.node.js", import.meta.url);

/** Milliseconds between looks at a run, each of which reads through many documents. */
const LOOK = 500;

export async function openConvex(): Promise<MirrorPlatform> {
  const { default: Stripe } = (await import(NODE_BUILD.href)) as { default: typeof StripeSdk };
  return {
    open: async ({ endpoint, seed }): Promise<MirrorApp> => {
      const double = await createPatientDouble({ seed, now: NOW });
      const config = {
        ...CONFIG,
        secret_key: double.secretKey,
        webhook_secret: undefined,
        stripe_options: double.stripeConfig,
      };
      const deployment = await deploy({ variant: "B", config });
      const { backend } = deployment;
      const action = (args: { [name: string]: unknown }) =>
        backend.action(
          makeFunctionReference<"action", typeof args, SyncReport>("billing:sync"),
          args,
        );
      const client = () => deployment.B.billing;
      const within = <R>(call: (ctx: ActionCtx) => Promise<R>): Promise<R> =>
        backend.action(async (ctx) => call(ctx as unknown as ActionCtx));
      if (endpoint) {
        const { webhook } = await action({ data: false, webhook: true });
        deployment.push({ webhook_secret: webhook?.secret });
      }
      return {
        double,
        stripe: new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 }),
        sync: async () => ended(deployment, await action({})),
        reconcile: async () => ended(deployment, await within((ctx) => client().reconcile(ctx))),
        verify: async () => ended(deployment, await within((ctx) => client().verify(ctx))),
        scheduled: async (job) => {
          await action({ step: job });
          await deployment.idle();
        },
        settle: () => double.settle(backend),
        contents: async (resource) => {
          const { table, idField } = resources[resource];
          const documents = await backend.query(async (ctx) =>
            ctx.db.query(table as "backend_billing_products").collect(),
          );
          const rows = documents as readonly { readonly [field: string]: unknown }[];
          return new Map(
            rows
              .filter((row) => row[idField] !== null)
              .map((row) => [
                String(row[idField]),
                shownIn(resource, row, decode(row.stripe) as object),
              ]),
          );
        },
        spoil: (some) =>
          backend.run(async ({ db }) => {
            for (const name of some) {
              const table = resources[name].table as "backend_billing_products";
              for (const { _id, stripe } of await db.query(table).collect()) {
                if (stripe !== null) await db.patch(_id, { stripe: { ...stripe, ...SPOILED } });
              }
            }
          }),
        close: async () => {
          await deployment.close();
          await double.close();
        },
      };
    },
  };
}

/** A call answers while pages are still being read, by actions that schedule each other. */
async function ended({ backend, B }: Deployment, report: SyncReport): Promise<RunReport> {
  for (const end = Date.now() + PATIENCE; ; ) {
    const runs = await backend.action(async (ctx) => [
      ...(await B.billing.runs(ctx as unknown as ActionCtx)),
    ]);
    const run = runs.find(({ runId }) => runId === report.runId);
    if (run?.state === "done") return run;
    if (run?.state === "failed" || Date.now() > end) {
      throw new Error(`The run is ${JSON.stringify(run)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}
