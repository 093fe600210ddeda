/**
 * The two variants of the public surface on Node, over any store. They share everything but their
 * names and parameters, so an application can change from one to the other without a migration.
 */
import {
  type AdoptCall,
  type CheckoutCalls,
  checkingOut,
  inContext,
  type PayCall,
  paying,
  type RunningCalls,
  running,
  type SellingCalls,
  type SetupCall,
  selling,
  settingUp,
  takingOver,
  type UpkeepCalls,
  upkeep,
  withoutContext,
} from "../core/facade.js";
import { handleRequest } from "../core/http.js";
import type { Names } from "../core/plans/catalogue.js";
import { factsOf } from "../core/runtime/error-facts.js";
import type { SyncReport } from "../core/runtime/reports.js";
import { type SyncArgs, sync } from "../core/sync/sync.js";
import { type Ticked, type TickOptions, tick } from "../core/tick.js";
import { addCronJobs, type BossLike, type CronJobs, type CronOptions } from "../pg-boss/crons.js";
import type { BillingStoreIn, Host } from "./host.js";
import {
  type Answering,
  addHonoRoutes,
  createNodeHandler,
  type HonoLike,
  type NodeHandler,
} from "./http.js";
import { answerTick } from "./tick-route.js";

/** What both variants offer for HTTP. */
export interface Routes {
  /**
   * Registers `POST /stripe/webhook`, `GET /stripe/return/*` and, for a schedule that knows
   * `cron_secret`, `GET /stripe/tick` on a Hono application.
   */
  addHttpRoutes(app: HonoLike): void;
  /** The same routes for any server that speaks Fetch: Next.js, Bun, Deno, Hono by hand. */
  fetch(request: Request): Promise<Response>;
  /** The same routes for `(req, res)`: Express, Fastify, plain `node:http`. Mount it before body parsers. */
  nodeHandler: NodeHandler;
}

/** What both variants offer to keep the tables right. */
export interface Upkeep extends UpkeepCalls {
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
  /**
   * Ends this instance before its pool is ended: background work and the workers of `addCronJobs`
   * stop, and what is under way is waited for, at most ten seconds. Afterwards nothing of the
   * instance uses the pool: calls are refused (`store_error`) and webhooks answered with 500, so
   * that Stripe sends them again. It may be called any number of times.
   */
  close(): Promise<void>;
}

/** The client of variant A; `Context` is what a call may bring along. */
export interface StripeClientIn<Context, N extends Names = Names>
  extends Routes,
    Upkeep,
    AdoptCall,
    RunningCalls<[], N["plan"]>,
    SellingCalls<[context: Context]> {}

/** The client of variant B. */
export interface BillingClient<N extends Names = Names>
  extends Routes,
    Upkeep,
    AdoptCall,
    RunningCalls<[], N["plan"]>,
    CheckoutCalls,
    PayCall {}

/** What both creators answer. */
interface Exports<Tx, N extends Names = Names> extends SetupCall {
  readonly store: BillingStoreIn<Tx, N>;
  /** Copies what exists at Stripe, and creates the webhook endpoint and the portal as asked. */
  sync(args?: SyncArgs): Promise<SyncReport>;
}

/** What `createStripe` answers: variant A. */
export interface StripeExportsIn<Context, Tx, N extends Names = Names> extends Exports<Tx, N> {
  readonly stripe: StripeClientIn<Context, N>;
}

/** What `createBilling` answers: variant B. */
export interface BillingExportsIn<Tx, N extends Names = Names>
  extends Exports<Tx, N>,
    CheckoutCalls {
  readonly billing: BillingClient<N>;
}

/** Variant A. */
export function stripeOn<Db extends object, Tx>(
  node: Host<Db, Tx>,
): StripeExportsIn<{ readonly db?: Db }, Tx> {
  return {
    stripe: {
      ...routesOver(node),
      ...upkeepOf(node),
      ...runningOn(node),
      ...inContext(selling, node.run),
    },
    ...exportsOf(node),
  };
}

/** Variant B. */
export function billingOn<Tx>(node: Host<never, Tx>): BillingExportsIn<Tx> {
  const calls = withoutContext(checkingOut, node.run);
  const payCall = withoutContext(paying, node.run);
  return {
    billing: {
      ...routesOver(node),
      ...upkeepOf(node),
      ...runningOn(node),
      ...calls,
      ...payCall,
    },
    ...exportsOf(node),
    ...calls,
  };
}

function runningOn<Tx>(node: Host<never, Tx>): RunningCalls & AdoptCall {
  return { ...withoutContext(running, node.run), ...withoutContext(takingOver, node.run) };
}

function exportsOf<Tx>(node: Host<never, Tx>): Exports<Tx> {
  return {
    store: node.store,
    sync: (args) => node.run(undefined, (runtime) => sync(runtime, args)),
    ...withoutContext(settingUp, node.run),
  };
}

/** Requests are taken also after `close`, and then answered with 500, so that Stripe delivers again. */
function routesOver(node: Host<never, never>): Routes {
  const { life, cronSecret } = node;
  const onTick = answerTick(cronSecret);
  const answer: Answering = (request, body) => handleRequest(node.in(), request, body, onTick);
  return {
    addHttpRoutes: (app) =>
      addHonoRoutes(
        node.in(),
        {
          on: (methods, path, handler) =>
            app.on(methods, path, (context) => life.track(() => handler(context))),
        },
        answer,
      ),
    fetch: (request) => life.track(() => answer(request)),
    nodeHandler: (request, response) =>
      life.track(() => createNodeHandler(node.in(), answer)(request, response)),
  };
}

function upkeepOf(node: Host<never, never>): Upkeep {
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
    ...withoutContext(upkeep({ wait: true }), node.run),
    tick: (options) => node.run(undefined, (runtime) => tick(runtime, options)),
    close: node.life.close,
  };
}
