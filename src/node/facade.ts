/**
 * The two variants of the public surface on Node, over any store. They share everything but their
 * names and parameters, so an application can change from one to the other without a migration.
 */
import type Stripe from "stripe";
import { setup as runSetup, type SetupArgs } from "../core/customers/setup.js";
import { handleRequest } from "../core/http.js";
import * as links from "../core/links/sessions.js";
import { factsOf } from "../core/runtime/error-facts.js";
import type { RunReport, SyncReport } from "../core/runtime/reports.js";
import { latestRuns } from "../core/sync/run/report.js";
import {
  type ReconcileArgs,
  reconcile,
  sync as runSync,
  type SyncArgs,
  type VerifyArgs,
  verify,
} from "../core/sync/sync.js";
import { type Ticked, type TickOptions, tick } from "../core/tick.js";
import { addCronJobs, type BossLike, type CronJobs, type CronOptions } from "../pg-boss/crons.js";
import type { BillingStore, Host } from "./host.js";
import { addHonoRoutes, createNodeHandler, type HonoLike, type NodeHandler } from "./http.js";

/** What both variants offer for HTTP. */
export interface Routes {
  /** Registers `POST /stripe/webhook` and `GET /stripe/return/*` on a Hono application. */
  addHttpRoutes(app: HonoLike): void;
  /** The same routes for any server that speaks Fetch: Next.js, Bun, Deno, Hono by hand. */
  fetch(request: Request): Promise<Response>;
  /** The same routes for `(req, res)`: Express, Fastify, plain `node:http`. Mount it before body parsers. */
  nodeHandler: NodeHandler;
}

/** What both variants offer to keep the tables right. */
export interface Upkeep {
  /** Lists everything at Stripe again, asks about what no list shows, and repairs what differs. */
  reconcile(args?: ReconcileArgs): Promise<RunReport>;
  /** Compares the tables with Stripe, all rows or a sample of them, and changes nothing. */
  verify(args?: VerifyArgs): Promise<RunReport>;
  /**
   * Registers queues, workers and schedules on a pg-boss that was started: the tables are filled at
   * start-up and kept current. Every instance of the application calls it.
   */
  addCronJobs(boss: BossLike, options?: CronOptions): Promise<CronJobs>;
  /**
   * Does what is due within a budget of time, and answers whether anything is left: for hosts that
   * have cron routes and no workers. It fills the tables at first, reads Stripe's events every five
   * minutes, and compares everything once a day. Call it every minute, from any number of processes.
   */
  tick(options?: TickOptions): Promise<Ticked>;
  /** The runs of late, newest first, with how far each is: also while it runs. */
  runs(limit?: number): Promise<readonly RunReport[]>;
  /**
   * Ends this instance before its pool is ended: background work and the workers of `addCronJobs`
   * stop, and what is under way is waited for, at most ten seconds. Afterwards nothing of the
   * instance uses the pool: calls are refused (`store_error`) and webhooks answered with 500, so
   * that Stripe sends them again. It may be called any number of times.
   */
  close(): Promise<void>;
}

/** The client of variant A; `Context` is what a call may bring along. */
export interface StripeClientIn<Context> extends Routes, Upkeep {
  /** A link to a checkout page where the entity subscribes to a price. */
  subscribe(
    context: Context,
    params: links.SubscribeParams,
    options?: Stripe.RequestOptions,
  ): Promise<links.Link>;
  /** A link to a checkout page where the entity pays once. */
  pay(
    context: Context,
    params: links.PayParams,
    options?: Stripe.RequestOptions,
  ): Promise<links.Link>;
  /** A link to the portal where the entity manages its subscriptions. */
  portal(
    context: Context,
    params: links.PortalParams,
    options?: Stripe.RequestOptions,
  ): Promise<links.Link>;
}

/** What `createStripe` answers: variant A. */
export interface StripeExportsIn<Context> {
  readonly stripe: StripeClientIn<Context>;
  readonly store: BillingStore;
  /** Copies what exists at Stripe, and creates the webhook endpoint and the portal as asked. */
  sync(args?: SyncArgs): Promise<SyncReport>;
  /** Creates or finds the one customer of an entity. */
  setup(args: SetupArgs): Promise<{ customerId: string }>;
}

/** The client of variant B. */
export interface BillingClient extends Routes, Upkeep {}

/** What `createBilling` answers: variant B. */
export interface BillingExports {
  readonly billing: BillingClient;
  readonly store: BillingStore;
  /** Copies what exists at Stripe, and creates the webhook endpoint and the portal as asked. */
  sync(args?: SyncArgs): Promise<SyncReport>;
  /** Creates or finds the one customer of an entity. */
  setup(args: SetupArgs): Promise<{ customerId: string }>;
  /** A link to a checkout page where the entity subscribes to a price. */
  checkout(args: links.CheckoutArgs): Promise<links.Link>;
  /** A link to the portal where the entity manages its subscriptions. */
  portal(args: links.PortalArgs): Promise<links.Link>;
}

/** Variant A. */
export function stripeOn<Db extends object>(node: Host<Db>): StripeExportsIn<{ readonly db?: Db }> {
  return {
    stripe: {
      ...routesOver(node),
      ...upkeepOf(node),
      subscribe: (context, params, options) =>
        node.run(context, (runtime) => links.subscribe(runtime, params, options)),
      pay: (context, params, options) =>
        node.run(context, (runtime) => links.pay(runtime, params, options)),
      portal: (context, params, options) =>
        node.run(context, (runtime) => links.portal(runtime, params, options)),
    },
    store: node.store,
    sync: (args) => node.run(undefined, (runtime) => runSync(runtime, args)),
    setup: (args) => node.run(undefined, (runtime) => runSetup(runtime, args)),
  };
}

/** Variant B. */
export function billingOn(node: Host<never>): BillingExports {
  return {
    billing: { ...routesOver(node), ...upkeepOf(node) },
    store: node.store,
    sync: (args) => node.run(undefined, (runtime) => runSync(runtime, args)),
    setup: (args) => node.run(undefined, (runtime) => runSetup(runtime, args)),
    checkout: (args) => node.run(undefined, (runtime) => links.checkout(runtime, args)),
    // mutant "a second argument of portal on PostgreSQL": (args) -> (args, ...more: never[])
    // mutant "a second argument of portal on PostgreSQL": plainPortal(runtime, args) -> portal(runtime, args, ...more)
    portal: (args) => node.run(undefined, (runtime) => links.plainPortal(runtime, args)),
  };
}

/** Requests are taken also after `close`, and then answered with 500, so that Stripe delivers again. */
function routesOver(node: Host<never>): Routes {
  const { life } = node;
  return {
    addHttpRoutes: (app) =>
      addHonoRoutes(node.in(), {
        on: (methods, path, handler) =>
          app.on(methods, path, (context) => life.track(() => handler(context))),
      }),
    fetch: (request) => life.track(() => handleRequest(node.in(), request)),
    nodeHandler: (request, response) =>
      life.track(() => createNodeHandler(node.in())(request, response)),
  };
}

function upkeepOf(node: Host<never>): Upkeep {
  return {
    addCronJobs: (boss, options) =>
      node.run(undefined, async (runtime) => {
        const jobs = await addCronJobs(runtime, boss, node.name, options);
        node.life.atClose(() =>
          jobs.stop().catch((error: unknown) => {
            runtime.log?.warn(factsOf(error), "The scheduled jobs could not be ended");
          }),
        );
        return jobs;
      }),
    reconcile: (args) => node.run(undefined, (runtime) => reconcile(runtime, args)),
    verify: (args) => node.run(undefined, (runtime) => verify(runtime, args)),
    tick: (options) => node.run(undefined, (runtime) => tick(runtime, options)),
    runs: (limit) => node.run(undefined, (runtime) => latestRuns(runtime, limit)),
    close: node.life.close,
  };
}
