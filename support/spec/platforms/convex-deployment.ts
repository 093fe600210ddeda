/**
 * A Convex deployment under `convex-test`, as an application with both variants over one table set
 * would push it. Its HTTP routes are reached over real HTTP. What `convex-test` leaves to the real
 * platform, and a test needs, is here: who may call what from outside, and that a function which is
 * not exported cannot be scheduled.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type ApiFromModules,
  actionGeneric,
  anyApi,
  defineSchema,
  defineTable,
  type GenericActionCtx,
  type GenericDataModel,
  type GenericMutationCtx,
  getFunctionName,
  type HttpRouter,
  httpRouter,
  internalMutationGeneric,
  internalQueryGeneric,
  makeFunctionReference,
  type Scheduler,
} from "convex/server";
import { v } from "convex/values";
import { convexTest, type TestConvex } from "convex-test";
import type { Operation } from "../../../packages/backend-billing/src/convex/calls/operations.js";
import {
  billingTables,
  type ConvexConfig,
  createBilling,
  createStripe,
  createTables,
} from "../../../packages/backend-billing/src/convex/index.js";
import { namesOf } from "../../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { finishJobs } from "../../../packages/backend-billing/src/testing/convex.js";
import { registered } from "../../convex/registered.js";
import type { VariantName } from "../harness.js";
import { serve } from "./serve.js";

const users = defineTable({ userId: v.string(), email: v.optional(v.string()) });
/** What the application was told of, by its handler `app:told`. */
const told = defineTable({
  name: v.string(),
  entityId: v.union(v.string(), v.null()),
  of: v.any(),
});

export const schema = defineSchema({ ...billingTables, users, told });

/** The same with the tables of what is mirrored; tests read the others by their names alone. */
const schemaFor = ({ resources }: ConvexConfig) =>
  resources === undefined
    ? schema
    : (defineSchema({
        ...createTables(namesOf(resources)),
        users,
        told,
      }) as unknown as typeof schema);

export type Backend = TestConvex<typeof schema>;
export type ActionCtx = GenericActionCtx<GenericDataModel>;

/** The application's files, by name: what they export. */
type Files = { readonly [file: string]: { readonly [name: string]: unknown } };

/** Convex does not find a function for a caller from outside unless it is public. */
export class NotPublicError extends Error {}

export interface Deployment {
  readonly backend: Backend;
  readonly url: string;
  readonly A: ReturnType<typeof createStripe>;
  readonly B: ReturnType<typeof createBilling>;
  /** Pushes the application again, with another configuration. */
  push(config: Partial<ConvexConfig>): void;
  /** A request through a router of its own, with this variant's routes. */
  fetchThrough(router: HttpRouter, request: Request): Promise<Response>;
  /** Calls as a browser can: public functions only, which is the platform's rule. */
  callPublic(path: string, args: object, caller: string): Promise<unknown>;
  /** Resolves once nothing is running and nothing is scheduled soon. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface DeploymentOptions {
  readonly variant: VariantName;
  readonly config: ConvexConfig;
  /** Exports that the application's files leave out. */
  readonly missing?: readonly string[];
  /** Is told of every run of `store`, before it happens. */
  readonly onStore?: (operation: Operation) => void;
  /** Is told what the handler `app:told` is; what it throws, the handler throws. */
  readonly onTold?: (name: string) => void;
}

/** How Convex knows what an export is. */
interface RegisteredFlags {
  readonly isPublic?: true;
  readonly isQuery?: true;
  readonly isMutation?: true;
}

export async function deploy(options: DeploymentOptions): Promise<Deployment> {
  let config = options.config;
  let own: HttpRouter | undefined;
  const server = await serve((request, response) => forward(backend, request, response));
  let files = filesOf({ ...options, config: { base_url: server.url, ...config } });

  const names = ["billing", "stripe", "app", "http"];
  const modules = Object.fromEntries(
    names.map((name) => [
      `./${name}.ts`,
      async () => (name === "http" && own !== undefined ? { default: own } : files[name]),
    ]),
  );
  const backend = convexTest({
    schema: schemaFor(config),
    modules: { ...modules, "./_generated/api.js": async () => ({}) },
  });

  return {
    backend,
    url: server.url,
    get A() {
      return files.stripe as unknown as Deployment["A"];
    },
    get B() {
      return files.billing as unknown as Deployment["B"];
    },
    push: (changes) => {
      config = { ...config, ...changes };
      files = filesOf({ ...options, config: { base_url: server.url, ...config } });
    },
    fetchThrough: async (router, request) => {
      own = router;
      const { pathname, search } = new URL(request.url);
      const body = request.method === "GET" ? null : await request.text();
      const init = { method: request.method, headers: request.headers, body };
      return backend.fetch(`${pathname}${search}`, init).finally(() => {
        own = undefined;
      });
    },
    callPublic: async (path, args, caller) => {
      const [file = "", name = ""] = path.split(":");
      const found = files[file]?.[name] as RegisteredFlags | undefined;
      if (!found?.isPublic)
        throw new NotPublicError(`Could not find public function for '${path}'`);
      const as = backend.withIdentity({ subject: caller });
      if (found.isQuery) return as.query(makeFunctionReference<"query">(path), args);
      if (found.isMutation) return as.mutation(makeFunctionReference<"mutation">(path), args);
      return as.action(makeFunctionReference<"action">(path), args);
    },
    idle: () => idle(backend),
    close: async () => {
      await server.close();
      await cancelAll(backend);
    },
  };
}

function filesOf({ variant, config, missing = [], onStore, onTold }: DeploymentOptions): Files {
  const isExported = (path: string): boolean => {
    const [file = "", name = ""] = path.split(":");
    return files[file]?.[name] !== undefined;
  };
  const stripe = onPlatform(registered(createStripe(config)), isExported, onStore);
  const billing = onPlatform(registered(createBilling(config)), isExported, onStore);
  const http = httpRouter();
  (variant === "A" ? stripe.stripe : billing.billing).addHttpRoutes(http);
  const kept = (file: object) =>
    Object.fromEntries(Object.entries(file).filter(([name]) => !missing.includes(name)));
  const files: Files = {
    stripe: kept(stripe),
    billing: kept(billing),
    http: { default: http },
    app: {
      ...applicationOf(variant, stripe.stripe, config.base_url ?? ""),
      told: handlerOf(onTold),
    },
  };
  return files;
}

/** The same exports; the scheduler that `store` gets refuses what is not exported, as Convex does. */
function onPlatform<E extends Deployment["A"] | Deployment["B"]>(
  exports: E,
  isExported: (path: string) => boolean,
  listener: DeploymentOptions["onStore"],
): E {
  const checked = (scheduler: Scheduler): Scheduler => ({
    ...scheduler,
    runAfter: async (delay, reference, ...args) => {
      expectExported(getFunctionName(reference), isExported);
      return scheduler.runAfter(delay, reference, ...args);
    },
    runAt: async (at, reference, ...args) => {
      expectExported(getFunctionName(reference), isExported);
      return scheduler.runAt(at, reference, ...args);
    },
  });
  const store = new Proxy(exports.store, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (name !== "_handler") return value;
      return (ctx: GenericMutationCtx<GenericDataModel>, args: { operation: Operation }) => {
        listener?.(args.operation);
        return value({ ...ctx, scheduler: checked(ctx.scheduler) }, args);
      };
    },
  });
  return { ...exports, store };
}

/** Convex's words for it. */
function expectExported(path: string, isExported: (path: string) => boolean): void {
  if (isExported(path)) return;
  const [file, name] = path.split(":");
  throw new Error(
    `Attempted to schedule function, but no exported function ${name} found in the file: ${file}.js. Did you forget to export it?`,
  );
}

/** The application's own functions: a public action with its own authorization, and a callback. */
function applicationOf(variant: VariantName, stripe: Deployment["A"]["stripe"], origin: string) {
  const [success, cancel] = [`${origin}/welcome`, `${origin}/pricing`];
  const internal = anyApi as unknown as ApiFromModules<{
    billing: Deployment["B"];
    stripe: Deployment["A"];
  }>;
  return {
    buy: actionGeneric({
      args: { entityId: v.string(), priceId: v.string() },
      returns: v.union(v.object({ url: v.string() }), v.null()),
      handler: async (ctx, { entityId, priceId }): Promise<{ url: string } | null> => {
        if ((await ctx.auth.getUserIdentity())?.subject !== entityId) return null;
        if (variant === "B") {
          const order = { entityId, priceId, successUrl: success, cancelUrl: cancel };
          const { url } = await ctx.runAction(internal.billing.checkout, order);
          return { url };
        }
        const urls = { success_url: success, cancel_url: cancel };
        const order = { entityId, priceId, mode: "subscription", ...urls } as const;
        const { url } = await stripe.subscribe(ctx, order);
        return { url };
      },
    }),
    /** Counts the members of an organisation: the users whose ids begin with its id. */
    seats: internalQueryGeneric({
      args: { entityId: v.string() },
      returns: v.number(),
      handler: async (ctx, { entityId }): Promise<number> => {
        const users = await ctx.db.query("users").collect();
        return users.filter(({ userId }) => String(userId).startsWith(`${entityId}/`)).length;
      },
    }),
    createUser: internalMutationGeneric({
      args: { userId: v.string(), email: v.optional(v.string()) },
      returns: v.null(),
      handler: async (ctx, { userId, email }) => {
        await ctx.db.insert("users", { userId, ...(email === undefined ? {} : { email }) });
        const { setup } = variant === "A" ? internal.stripe : internal.billing;
        await ctx.scheduler.runAfter(0, setup, {
          entityId: userId,
          ...(email === undefined ? {} : { email }),
        });
        return null;
      },
    }),
  };
}

/** A handler of anything: it writes down what it is told. A change has no name. */
const handlerOf = (onTold: DeploymentOptions["onTold"]) =>
  internalMutationGeneric({
    args: { event: v.optional(v.any()), change: v.optional(v.any()) },
    returns: v.null(),
    handler: async (ctx, { event, change }) => {
      const { name = "change", entityId = null } = event ?? change;
      await ctx.db.insert("told", { name, entityId, of: event ?? change });
      onTold?.(name);
      return null;
    },
  });

/** The way from the socket to the deployment's router. */
async function forward(
  backend: Backend,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const { method = "GET", headers, url = "/" } = request;
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  const answer = await backend.fetch(url, {
    method,
    headers: Object.fromEntries(pairs),
    body: method === "GET" || method === "HEAD" ? null : Buffer.concat(chunks).toString(),
  });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(await answer.text());
}

/** The watchdog, which looks a minute later, is left to itself. */
export async function idle(backend: Backend): Promise<void> {
  await finishJobs(backend);
}

export async function cancelAll(backend: Backend): Promise<void> {
  await backend.run(async (ctx) => {
    for (const { _id, state } of await ctx.db.system.query("_scheduled_functions").collect()) {
      if (state.kind === "pending") await ctx.scheduler.cancel(_id);
    }
  });
  await backend.finishInProgressScheduledFunctions();
}
