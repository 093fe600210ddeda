/**
 * The specification's application on Convex: the library's tables in a schema beside the
 * application's own, its functions under `convex-test` in the edge runtime, and its routes reached
 * over real HTTP.
 */
import { type Crons, cronJobs, httpRouter, makeFunctionReference } from "convex/server";
import { ConvexError } from "convex/values";
import type StripeSdk from "stripe";
import {
  activeSubscriptionsOf,
  type ConvexConfig,
  customerOf,
  decode,
  plans,
} from "../../../packages/backend-billing/src/convex/index.js";
import type {
  ResourceName,
  Row,
} from "../../../packages/backend-billing/src/core/catalogue/catalogue.js";
import {
  resources,
  usual,
} from "../../../packages/backend-billing/src/core/catalogue/resources.js";
import type { SetupArgs } from "../../../packages/backend-billing/src/core/customers/setup.js";
import type { Link } from "../../../packages/backend-billing/src/core/links/page.js";
import type { CheckoutArgs } from "../../../packages/backend-billing/src/core/links/params.js";
import type { PortalParams } from "../../../packages/backend-billing/src/core/links/portal.js";
import type { SyncReport } from "../../../packages/backend-billing/src/core/runtime/reports.js";
import type { SyncArgs } from "../../../packages/backend-billing/src/core/sync/sync.js";
import { PATIENCE } from "../../patience.js";
import { createPatientDouble } from "../../patient-double.js";
import type {
  Environment,
  FieldShape,
  OpenOptions,
  SpecApp,
  SpecPlatform,
  TableShape,
  VariantName,
} from "../harness.js";
import { errorLog } from "../kit.js";
import { MINUTE, type Schedule } from "../schedule.js";
import {
  type ActionCtx,
  type Deployment,
  deploy,
  NotPublicError,
  schema,
} from "./convex-deployment.js";

/** A Thursday. The double's time stands still until a test moves it. */
const NOW = "2026-01-15T10:00:00Z";

/** The merchant's own SDK is the one for Node; what the application imports is the one for workers. */
const NODE_BUILD = new URL("../../../node_modules/stripe/esm/stripe.esm.node.js", import.meta.url);

export async function openConvex(): Promise<SpecPlatform> {
  const { default: Stripe } = (await import(NODE_BUILD.href)) as { default: typeof StripeSdk };
  let opened = 0;
  return { name: "Convex", open: (options) => openApp(Stripe, `App ${opened++}`, options) };
}

async function openApp(Stripe: typeof StripeSdk, seed: string, options: OpenOptions = {}) {
  const { variant = "B", installed = true, delivery = "auto", missing = [] } = options;
  const double = await createPatientDouble({ seed, now: NOW, delivery });
  let env: Environment = {
    STRIPE_SECRET_KEY: double.secretKey,
    STRIPE_WEBHOOK_SECRET: undefined,
  };
  const secrets = (): Pick<ConvexConfig, "secret_key" | "webhook_secret"> => ({
    secret_key: env.STRIPE_SECRET_KEY,
    webhook_secret: env.STRIPE_WEBHOOK_SECRET,
  });
  const log = errorLog();
  const deployment = await deploy({
    variant,
    missing,
    config: {
      ...secrets(),
      logger: log.logger,
      stripe_options: double.stripeConfig,
      timing: { refreshDelay: 100, returnPatience: PATIENCE, claimPatience: PATIENCE },
    },
  });
  const { backend, url } = deployment;
  const crons = cronJobs();

  /** Calls an internal action, as a function of the backend does. */
  const action = <Args extends object, Result>(path: string) => {
    const reference = makeFunctionReference<"action", { [name: string]: unknown }, Result>(path);
    return (args: Args) =>
      validated(backend.action(reference, args as { [name: string]: unknown }));
  };
  /** Calls the client inside an action of the application's own. */
  const within = <R>(call: (ctx: ActionCtx) => Promise<R>): Promise<R> =>
    backend.action(async (ctx) => call(ctx as unknown as ActionCtx));

  const common = (file: "stripe" | "billing") => ({
    setup: action<SetupArgs, { customerId: string }>(`${file}:setup`),
    sync: (args: SyncArgs = {}) => syncToTheEnd(deployment, file, args),
    reconcile: () => within((ctx) => clientOf(deployment, variantOf(file)).reconcile(ctx)),
  });

  const app: SpecApp & { close(): Promise<void> } = {
    double,
    stripe: new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 }),
    baseUrl: url,
    get env() {
      return env;
    },
    log: log.lines,
    a: {
      ...common("stripe"),
      subscribe: (...rest) => within((ctx) => deployment.A.stripe.subscribe(ctx, ...rest)),
      pay: (...rest) => within((ctx) => deployment.A.stripe.pay(ctx, ...rest)),
      portal: (...rest) => within((ctx) => deployment.A.stripe.portal(ctx, ...rest)),
    },
    b: {
      ...common("billing"),
      checkout: action<CheckoutArgs, Link>("billing:checkout"),
      portal: (args, ...more) => portalOf(deployment, within, args, more),
    },
    exports: {
      A: namesOf(deployment.A, deployment.A.stripe),
      B: namesOf(deployment.B, deployment.B.billing),
    },
    reads: {
      plans: () => backend.query(async (ctx) => plans(ctx)),
      customerOf: async (entityId) =>
        (await backend.query(async (ctx) => (await customerOf(ctx, entityId)) ?? null)) ??
        undefined,
      activeSubscriptionsOf: (entityId) =>
        backend.query(async (ctx) => activeSubscriptionsOf(ctx, entityId)),
    },
    deploy: async (changes) => {
      env = { ...env, ...changes };
      deployment.push(secrets());
    },
    rows: (resource) => readRows(deployment, resource),
    tables: async () => tableShapes(),
    schemaTables: async () => Object.keys(schema.tables),
    router: (which) => {
      const router = httpRouter();
      clientOf(deployment, which).addHttpRoutes(router);
      return {
        routes: router.getRoutes().map(([path, method]) => `${method} ${path}`),
        fetch: (request) => deployment.fetchThrough(router, request),
      };
    },
    createUser: async ({ id, email }) => {
      const args = { userId: id, ...(email === undefined ? {} : { email }) };
      await backend.mutation(makeFunctionReference<"mutation">("app:createUser"), args);
    },
    buy: async (caller, entityId, priceId) => {
      const link = await deployment.callPublic("app:buy", { entityId, priceId }, caller);
      return link === null ? "forbidden" : (link as { url: string });
    },
    callFromOutside: async (name, args) => {
      for (const path of [`/stripe/${name}`, `/${name}`, `/api/${name}`]) {
        for (const method of ["POST", "GET"]) {
          const body = method === "POST" ? JSON.stringify(args) : null;
          const answer = await fetch(`${url}${path}`, { method, body, redirect: "manual" });
          if (answer.status !== 404) return "answered";
        }
      }
      for (const file of ["stripe", "billing"]) {
        const call = deployment.callPublic(`${file}:${name}`, args, "user_1");
        const wasRefused = await call.then(
          () => false,
          (error: unknown) => error instanceof NotPublicError,
        );
        if (!wasRefused) return "answered";
      }
      return "refused";
    },
    startCrons: async () => {
      deployment.B.billing.addCronJobs(crons);
      // Convex runs an interval for the first time when it is deployed, and the others in their time.
      for (const [name, { schedule }] of Object.entries(crons.crons)) {
        if (schedule.type === "interval") await runCron(deployment, crons, name);
      }
    },
    schedule: async (job) => scheduleOf(crons, `backend-billing ${job}`),
    nextCron: (job) => runCron(deployment, crons, `backend-billing ${job}`),
    settle: async () => {
      await deployment.idle();
      await double.settle();
      await deployment.idle();
    },
    close: async () => {
      await deployment.close();
      await double.close();
    },
  };

  if (installed) {
    const { webhook } = await app[variant === "A" ? "a" : "b"].sync({ data: false, webhook: true });
    await app.deploy({ STRIPE_WEBHOOK_SECRET: webhook?.secret });
  }
  return app;
}

/** An action takes one argument object; only the client's function can be given more. */
function portalOf(
  { B, backend }: Deployment,
  within: <R>(call: (ctx: ActionCtx) => Promise<R>) => Promise<R>,
  args: Pick<PortalParams, "entityId" | "returnUrl">,
  more: readonly unknown[],
): Promise<Link> {
  if (more.length === 0) {
    const reference = makeFunctionReference<"action", typeof args, Link>("billing:portal");
    return validated(backend.action(reference, args));
  }
  const call: (ctx: ActionCtx, ...all: readonly unknown[]) => Promise<Link> = B.billing
    .portal as never;
  return within((ctx) => call(ctx, args, ...more));
}

function jobOf({ crons }: Crons, name: string): Crons["crons"][string] {
  const job = crons[name];
  if (job === undefined) throw new Error(`There is no job "${name}"`);
  return job;
}

function scheduleOf(crons: Crons, name: string): Schedule {
  const { schedule } = jobOf(crons, name);
  if (schedule.type === "cron") return { cron: schedule.cron };
  if (schedule.type !== "interval") throw new Error(`No interval: ${JSON.stringify(schedule)}`);
  const {
    seconds = 0,
    minutes = 0,
    hours = 0,
  } = schedule as {
    readonly [unit in "seconds" | "minutes" | "hours"]?: number;
  };
  return { milliseconds: seconds * 1000 + minutes * MINUTE + hours * 60 * MINUTE };
}

/** Runs a job as it was registered: by its function's name, and with its arguments. */
async function runCron({ backend, idle }: Deployment, crons: Crons, name: string): Promise<void> {
  const job = jobOf(crons, name);
  const [args] = job.args as [{ [name: string]: unknown }];
  await backend.action(makeFunctionReference<"action">(job.name), args);
  await idle();
}

const variantOf = (file: "stripe" | "billing"): VariantName => (file === "stripe" ? "A" : "B");

const clientOf = ({ A, B }: Deployment, variant: VariantName) =>
  variant === "A" ? A.stripe : B.billing;

const namesOf = (all: object, client: object) => ({
  names: Object.keys(all).sort(),
  client: Object.keys(client).sort(),
});

/** Arguments that the validators refuse never reach the library: the platform says it in its words. */
async function validated<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("Validator error")) throw error;
    throw new ConvexError({ code: "invalid_argument", message: error.message });
  }
}

/** `sync` answers while pages are still being copied, by actions that schedule each other. */
async function syncToTheEnd(
  { backend, A, B }: Deployment,
  file: "stripe" | "billing",
  args: SyncArgs,
): Promise<SyncReport> {
  const reference = makeFunctionReference<"action", { [name: string]: unknown }, SyncReport>(
    `${file}:sync`,
  );
  const report = await backend.action(reference, args as { [name: string]: unknown });
  const client = file === "stripe" ? A.stripe : B.billing;
  for (const end = Date.now() + PATIENCE; report.state === "running"; ) {
    const runs = await backend.action(async (ctx) => [
      ...(await client.runs(ctx as unknown as ActionCtx)),
    ]);
    const run = runs.find(({ runId }) => runId === report.runId);
    if (run !== undefined && run.state !== "running") return { ...report, ...run };
    if (Date.now() > end) throw new Error(`The run is still ${JSON.stringify(run)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return report;
}

/** The documents of a table, without what Convex adds to every one, and with Stripe's own names. */
async function readRows<N extends ResourceName>(
  { backend }: Deployment,
  resource: N,
): Promise<Row<N>[]> {
  const table = resources[resource].table as "backend_billing_products";
  const documents = await backend.query(async (ctx) => ctx.db.query(table).collect());
  return documents.map(({ _creationTime, stripe, ...row }) => ({
    ...row,
    stripe: decode(stripe),
  })) as unknown as Row<N>[];
}

type ValidatorJson =
  | { readonly type: "string" | "number" | "any" | "null" }
  | { readonly type: "union"; readonly value: readonly ValidatorJson[] };

type FieldJson = { readonly fieldType: ValidatorJson; readonly optional: boolean };

/** What the schema says of the tables. */
function tableShapes(): { [table: string]: TableShape } {
  const shapes: { [table: string]: TableShape } = {};
  for (const [resource, { table }] of Object.entries(usual)) {
    const definition = schema.tables[table] as unknown as {
      export(): {
        documentType: { value: { [field: string]: FieldJson } };
        indexes: readonly { indexDescriptor: string; fields: readonly string[] }[];
      };
    };
    if (definition === undefined) throw new Error(`The schema has no table for ${resource}`);
    const { documentType, indexes } = definition.export();
    const fields = Object.entries(documentType.value).map(([field, json]) => [
      field,
      fieldShape(json, `${table}.${field}`),
    ]);
    shapes[table] = {
      fields: { _id: { type: "string", nullable: false }, ...Object.fromEntries(fields) },
      indexes: Object.fromEntries(
        indexes.map(({ indexDescriptor, fields: [path = ""] }) => [indexDescriptor, path]),
      ),
    };
  }
  return shapes;
}

function fieldShape({ fieldType, optional }: FieldJson, name: string): FieldShape {
  if (optional) throw new Error(`${name} may be missing`);
  if (fieldType.type === "any") return { type: "object", nullable: undefined };
  const parts = fieldType.type === "union" ? fieldType.value : [fieldType];
  const nullable = parts.some(({ type }) => type === "null");
  const [type, ...others] = parts.map((part) => part.type).filter((each) => each !== "null");
  if ((type !== "string" && type !== "number") || others.length > 0) {
    throw new Error(`${name} is of the type ${JSON.stringify(fieldType)}`);
  }
  return { type, nullable };
}
