/**
 * The two variants of the public surface on Convex. They share everything but their names and
 * parameters, so an application can change from one to the other without a migration. The creators
 * are not generic and their results are named, or an application's `internal` would become `any`.
 */
import type { RegisteredAction, RegisteredMutation } from "convex/server";
import {
  type AdoptCall,
  addingUp,
  type CheckoutCalls,
  checkingOut,
  inContext,
  type PayCall,
  paying,
  type RevenueCall,
  type RunningCalls,
  running,
  type SellingCalls,
  type SetupCall,
  selling,
  settingUp,
  takingOver,
  type UpkeepCalls,
  upkeep,
} from "../core/facade.js";
import type { Page } from "../core/links/page.js";
import { includesAny, meteredIn } from "../core/plans/usage.js";
import { chosenResources } from "../core/runtime/config.js";
import type { SyncReport } from "../core/runtime/reports.js";
import { hasBalances } from "../core/usage/args.js";
import {
  type CheckoutActionArgs,
  checkoutAction,
  type PortalActionArgs,
  portalAction,
  type SetupActionArgs,
  setupAction,
  syncAction,
} from "./actions.js";
import { createStoreMutation, type StoreOptions } from "./calls/mutation.js";
import { checkedModule, referencesTo, type SyncActionArgs } from "./calls/references.js";
import type { ConvexConfig } from "./config.js";
import { addConvexCrons, type CronOptions, type CronsLike } from "./crons.js";
import { addConvexRoutes, type RouterLike } from "./http.js";
import { type ConvexReactions, reactionsOf } from "./reactions/reactions.js";
import { type ActionContext, createConvexRuntime } from "./runtime.js";

/** What comes before the arguments of a call: the context of the action that makes it. */
type InAction = [ctx: ActionContext];

/**
 * What both variants offer beside their own functions. Those that take a context are called inside
 * the application's own actions.
 */
export interface Client
  extends UpkeepCalls<InAction>,
    SetupCall<InAction>,
    AdoptCall<InAction>,
    RunningCalls<InAction>,
    RevenueCall<InAction> {
  /** Registers `POST /stripe/webhook` and `GET /stripe/return/*` on the application's router. */
  addHttpRoutes(http: RouterLike): void;
  /** Registers the jobs that copy existing data at the first deployment and keep it current. */
  addCronJobs(crons: CronsLike, options?: CronOptions): void;
}

/** Variant A's client. */
export interface StripeClient extends Client, SellingCalls<InAction> {}

/**
 * Variant B's client. Its functions are those of the actions, for use inside the application's own
 * actions: without the call of another action, and without the return type that it would need.
 */
export interface BillingClient extends Client, CheckoutCalls<InAction>, PayCall<InAction> {}

/** Written out, function by function: Convex reads the types of `internal` off these very names. */
interface Exports {
  /** The only writer of the library's tables. The library calls it; an application never does. */
  readonly store: RegisteredMutation<"internal", { operation: never }, Promise<unknown>>;
  /** Copies existing data, and sets up the webhook endpoint and the portal, as asked. */
  readonly sync: RegisteredAction<"internal", SyncActionArgs, Promise<SyncReport>>;
  /** Creates or finds the customer of an entity. */
  readonly setup: RegisteredAction<"internal", SetupActionArgs, Promise<{ customerId: string }>>;
}

/** What `createStripe` answers: variant A. Export all of it. */
export interface StripeExports extends Exports {
  readonly stripe: StripeClient;
}

/** What `createBilling` answers: variant B. Export all of it. */
export interface BillingExports extends Exports {
  readonly billing: BillingClient;
  /** A link to the portal where the entity manages its subscriptions. */
  readonly portal: RegisteredAction<"internal", PortalActionArgs, Promise<{ url: string }>>;
  /** A link to a checkout page where the entity subscribes to a price. */
  readonly checkout: RegisteredAction<"internal", CheckoutActionArgs, Promise<Page>>;
}

/**
 * Variant A: client functions named after what they sell. `store` and `sync` must be exported from
 * the file that `module` names, because the library calls them itself.
 *
 * @example
 * ```ts
 * import { createStripe } from "backend-billing/convex";
 * import { actionGeneric } from "convex/server";
 * import { v } from "convex/values";
 *
 * // convex/stripe.ts
 * export const { stripe, store, sync, setup } = createStripe({
 *   secret_key: process.env.STRIPE_SECRET_KEY,
 *   webhook_secret: process.env.STRIPE_WEBHOOK_SECRET,
 *   return_origins: ["https://app.example"],
 * });
 *
 * // An action of the application, which knows who is asking.
 * export const buy = actionGeneric({
 *   args: { priceId: v.string() },
 *   returns: v.string(),
 *   handler: async (ctx, { priceId }): Promise<string> => {
 *     const user = await ctx.auth.getUserIdentity();
 *     if (user === null) throw new Error("Sign in first");
 *     const { url } = await stripe.subscribe(ctx, {
 *       entityId: user.subject,
 *       priceId,
 *       mode: "subscription",
 *       success_url: "https://app.example/welcome",
 *       cancel_url: "https://app.example/pricing",
 *     });
 *     return url;
 *   },
 * });
 * ```
 */
export function createStripe(config: ConvexConfig): StripeExports {
  const line = "export const { stripe, store, sync, setup } = createStripe({ … });";
  const { convex, client, exports } = open(config, "stripe", line);
  return { stripe: { ...client, ...inContext(selling, convex.run) }, ...exports };
}

/**
 * Variant B: actions that take one argument object. `store` and `sync` must be exported from the
 * file that `module` names, because the library calls them itself.
 *
 * @example
 * ```ts
 * import { createBilling } from "backend-billing/convex";
 * import { actionGeneric, cronJobs, httpRouter } from "convex/server";
 * import { v } from "convex/values";
 *
 * // convex/billing.ts
 * export const { billing, store, sync, portal, checkout, setup } = createBilling({
 *   secret_key: process.env.STRIPE_SECRET_KEY,
 *   webhook_secret: process.env.STRIPE_WEBHOOK_SECRET,
 *   return_origins: ["https://app.example"],
 * });
 *
 * // convex/http.ts
 * const http = httpRouter();
 * billing.addHttpRoutes(http);
 *
 * // convex/crons.ts
 * const crons = cronJobs();
 * billing.addCronJobs(crons);
 *
 * // An action of the application, which knows who is asking.
 * export const buy = actionGeneric({
 *   args: { priceId: v.string() },
 *   returns: v.string(),
 *   handler: async (ctx, { priceId }) => {
 *     const user = await ctx.auth.getUserIdentity();
 *     if (user === null) throw new Error("Sign in first");
 *     const { url } = await billing.checkout(ctx, {
 *       entityId: user.subject,
 *       priceId,
 *       successUrl: "https://app.example/welcome",
 *       cancelUrl: "https://app.example/pricing",
 *     });
 *     return url;
 *   },
 * });
 * ```
 */
export function createBilling(config: ConvexConfig): BillingExports {
  const line =
    "export const { billing, store, sync, portal, checkout, setup } = createBilling({ … });";
  const { convex, client, exports } = open(config, "billing", line);
  const calls = inContext(checkingOut, convex.run);
  return {
    billing: { ...client, ...calls, ...inContext(paying, convex.run) },
    ...exports,
    portal: portalAction(calls.portal),
    checkout: checkoutAction(convex),
  };
}

/** Pages are done by actions that schedule each other, not by the caller. */
const LATER = { wait: false } as const;

/** What both variants are made of. */
function open(config: ConvexConfig, fallback: string, line: string) {
  const module = checkedModule(config.module ?? fallback);
  const references = referencesTo(module);
  const resources = chosenResources(config);
  const reactions = reactionsOf(config, resources);
  const convex = createConvexRuntime(config, references, { module, line }, reactions);
  const client: Client = {
    // mutant "variant B keeps credits": addHttpRoutes -> topUp: () => {}, addHttpRoutes
    addHttpRoutes: (http) => addConvexRoutes(convex, config, http),
    addCronJobs: (crons, options) => addConvexCrons(references.sync, crons, options),
    ...inContext(upkeep(LATER), convex.run),
    ...inContext(settingUp, convex.run),
    ...inContext(takingOver, convex.run),
    ...inContext(running, convex.run),
    ...inContext(addingUp, convex.run),
  };
  const exports: Exports = {
    store: createStoreMutation({
      resources,
      ...(reactions === undefined ? {} : deliveryOf(config, reactions)),
      ...watchedBy(config),
      store: references.store,
      sync: references.work,
    }),
    sync: syncAction(convex),
    setup: setupAction(client.setup),
  };
  return { convex, client, exports };
}

/** What the watchdog looks after for this application. */
function watchedBy({
  seats,
  catalogue,
}: ConvexConfig): Pick<StoreOptions, "watched" | "metered" | "catalogue"> {
  return {
    watched: [
      ...(seats ? (["seats"] as const) : []),
      ...(catalogue ? (["batch"] as const) : []),
      ...(hasBalances(catalogue) ? (["credits"] as const) : []),
      ...(includesAny(catalogue) ? (["share"] as const) : []),
    ],
    metered: catalogue === undefined ? [] : meteredIn(catalogue),
    catalogue,
  };
}

/** What the `store` mutation needs to tell the application what happened. */
function deliveryOf(
  { catalogue, logger, telemetry }: ConvexConfig,
  { handlers, listening }: ConvexReactions,
) {
  return { listening, delivery: { handlers, catalogue, log: logger, telemetry } };
}
