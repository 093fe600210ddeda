/**
 * What applications call, declared once for both variants and both platforms. A platform says what a
 * call runs on, and which context, if any, comes before its own arguments.
 */
import type Stripe from "stripe";
import type { AdoptArgs } from "./customers/adopt/judge.js";
import { type SetupArgs, setup } from "./customers/setup.js";
import { ingest } from "./events/ingest.js";
import type { Link, Page, Ui } from "./links/page.js";
import type {
  CheckoutArgs,
  PayArgs,
  PayParams,
  SaveArgs,
  SaveParams,
  SubscribeParams,
} from "./links/params.js";
import { type PortalArgs, type PortalParams, plainPortal, portal } from "./links/portal.js";
import { saveOnce, savePaymentMethod } from "./links/save.js";
import * as links from "./links/sessions.js";
import type { Revenue } from "./mirror/store.js";
import { argsOf, optionsOf } from "./runtime/arguments.js";
import type { RunReport } from "./runtime/reports.js";
import type { Runtime } from "./runtime/runtime.js";
import { adopt } from "./subscriptions/adopt.js";
import {
  type CancelArgs,
  type ChangeArgs,
  type Changed,
  checkChange,
  checkWhen,
  type Preview,
  type ResumeArgs,
} from "./subscriptions/change/args.js";
import { change } from "./subscriptions/change/change.js";
import { cancel, resume } from "./subscriptions/change/ends.js";
import { preview } from "./subscriptions/change/preview.js";
import { refresh } from "./subscriptions/change/refresh.js";
import { readRevenue } from "./subscriptions/revenue.js";
import { type SeatsChangedArgs, seatsChanged } from "./subscriptions/seats/count.js";
import type { Subscribed } from "./subscriptions/state.js";
import { latestRuns } from "./sync/run/report.js";
import {
  type ReconcileArgs,
  reconcile,
  type VerifyArgs,
  verify,
  type Waiting,
} from "./sync/sync.js";
import { sendFirst } from "./usage/outbox/first.js";

/** The links of variant A, named after what they sell. */
export interface SellingCalls<Context extends unknown[] = []> {
  /** A link to a checkout page where the entity subscribes to a price. */
  subscribe<U extends Ui = "hosted">(
    ...all: [
      ...Context,
      params: SubscribeParams & { readonly ui?: U | undefined },
      options?: Stripe.RequestOptions,
    ]
  ): Promise<Page<U>>;
  /** A link to a checkout page where the entity pays once. */
  pay(...all: [...Context, params: PayParams, options?: Stripe.RequestOptions]): Promise<Page>;
  /** A link to a page where the entity leaves a card, or another way to pay, for later. */
  savePaymentMethod(
    ...all: [...Context, params: SaveParams, options?: Stripe.RequestOptions]
  ): Promise<Page>;
  /** A link to the portal where the entity manages its subscriptions. */
  portal(
    ...all: [...Context, params: PortalParams, options?: Stripe.RequestOptions]
  ): Promise<Link>;
}

/** The links of variant B. */
export interface CheckoutCalls<Context extends unknown[] = []> {
  /** A link to a checkout page where the entity subscribes to a price. */
  checkout<U extends Ui = "hosted">(
    ...all: [...Context, args: CheckoutArgs & { readonly ui?: U | undefined }]
  ): Promise<Page<U>>;
  /** A link to the portal where the entity manages its subscriptions. */
  portal(...all: [...Context, args: PortalArgs]): Promise<Link>;
}

/** The other pages of variant B. */
export interface PayCall<Context extends unknown[] = []> {
  /** A link to a checkout page where the entity pays once. */
  pay(...all: [...Context, args: PayArgs]): Promise<Page>;
  /** A link to a page where the entity leaves a card, or another way to pay, for later. */
  savePaymentMethod(...all: [...Context, args: SaveArgs]): Promise<Page>;
}

export interface SetupCall<Context extends unknown[] = []> {
  /** Creates or finds the one customer of an entity. */
  setup(...all: [...Context, args: SetupArgs]): Promise<{ customerId: string }>;
}

export interface AdoptCall<Context extends unknown[] = []> {
  /**
   * Takes over a customer that exists at Stripe: links it to the entity, with its subscriptions, and
   * marks it there. The same pair again is no error; what is linked otherwise is refused.
   */
  adopt(...all: [...Context, args: AdoptArgs]): Promise<{ customerId: string }>;
}

/** What becomes of a running subscription. Stripe's answers are in the tables before a call returns. */
export interface RunningCalls<Context extends unknown[] = [], P = string | null> {
  /**
   * Changes the price or the quantity, by default now: what it costs is invoiced at once, and an
   * upgrade that is not paid for is none.
   */
  change(
    ...all: [...Context, args: ChangeArgs & { readonly quote?: string | undefined }]
  ): Promise<Changed<P>>;
  /** What a change would cost, with a quote that makes it cost that. */
  preview(...all: [...Context, args: ChangeArgs]): Promise<Preview>;
  /** Ends a subscription, by default when its period does. */
  cancel(...all: [...Context, args: CancelArgs]): Promise<Subscribed<P>>;
  /** Takes back what is scheduled, an end or a change, or ends a pause. */
  resume(...all: [...Context, args: ResumeArgs]): Promise<Subscribed<P>>;
  /**
   * The entity's seats have changed: they are counted soon, and the quantity at Stripe follows. Does
   * nothing for plans that are not per seat.
   */
  seatsChanged(...all: [...Context, args: SeatsChangedArgs]): Promise<void>;
  /** Reads the entity's subscriptions from Stripe, and answers them, newest first. */
  refresh(
    ...all: [...Context, args: { readonly entityId: string }]
  ): Promise<readonly Subscribed<P>[]>;
}

/** What keeps the tables right. */
export interface UpkeepCalls<Context extends unknown[] = []> {
  /**
   * Takes an event that a queue or an event bus brought, such as Amazon EventBridge: who sent it must
   * be proven there, because nothing is here. It is stored when the call returns, and known again if
   * it comes twice; if the call throws, have it brought again.
   */
  ingest(...all: [...Context, event: Stripe.Event]): Promise<void>;
  /**
   * Lists everything at Stripe again, asks about what no list shows, and repairs what differs. On
   * Convex it answers at once, and `runs` says how far it is.
   */
  reconcile(...all: [...Context, args?: ReconcileArgs]): Promise<RunReport>;
  /**
   * Compares the tables with Stripe, all rows or a sample of them, and changes nothing. On Convex it
   * answers at once, and `runs` says how far it is.
   */
  verify(...all: [...Context, args?: VerifyArgs]): Promise<RunReport>;
  /** The runs of late, newest first, with how far each is, also while it runs: 10 by default, at most 100. */
  runs(...all: [...Context, limit?: number]): Promise<readonly RunReport[]>;
}

/** What is added up over all rows, where the database cannot do that itself. */
export interface RevenueCall<Context extends unknown[] = []> {
  /**
   * What comes in each month, by currency: the licensed items of subscriptions that are active or past
   * due, before discounts and taxes. It reads all subscriptions, so do not call it for every page view.
   */
  revenue(...all: [...Context]): Promise<readonly Revenue[]>;
}

// Each takes only the arguments that it names: what a caller adds must not reach the core.

export const selling: SellingCalls<[runtime: Runtime]> = {
  subscribe: (runtime, params, options) => links.subscribe(runtime, params, options),
  pay: (runtime, params, options) => links.pay(runtime, params, options),
  savePaymentMethod: (runtime, params, options) => savePaymentMethod(runtime, params, options),
  portal: (runtime, params, options) => portal(runtime, params, options),
};

export const checkingOut: CheckoutCalls<[runtime: Runtime]> = {
  checkout: (runtime, args) => links.checkout(runtime, args),
  // mutant "a second argument of portal on Convex": (runtime, args) => -> (runtime, args, ...more: never[]) =>
  // mutant "a second argument of portal on Convex": plainPortal(runtime, args) -> portal(runtime, args, ...more)
  // mutant "a second argument of portal on PostgreSQL": (runtime, args) => -> (runtime, args, ...more: never[]) =>
  // mutant "a second argument of portal on PostgreSQL": plainPortal(runtime, args) -> portal(runtime, args, ...more)
  portal: (runtime, args) => plainPortal(runtime, args),
};

export const paying: PayCall<[runtime: Runtime]> = {
  pay: (runtime, args) => links.payOnce(runtime, args),
  savePaymentMethod: (runtime, args) => saveOnce(runtime, args),
};

export const settingUp: SetupCall<[runtime: Runtime]> = {
  setup: (runtime, args) => setup(runtime, args),
};

export const takingOver: AdoptCall<[runtime: Runtime]> = {
  adopt: (runtime, args) => adopt(runtime, args),
};

export const running: RunningCalls<[runtime: Runtime]> = {
  change: async (runtime, args) => {
    checkChange(args);
    // What was used until now is billed by the old prices.
    if (args.at !== "period_end") await sendFirst(runtime, args.entityId);
    return change(runtime, args);
  },
  preview: (runtime, args) => preview(runtime, args),
  cancel: async (runtime, args) => {
    checkWhen(args);
    // The last invoice has what was used until now.
    if (args.at === "now") await sendFirst(runtime, args.entityId);
    return cancel(runtime, args);
  },
  resume: (runtime, args) => resume(runtime, args),
  refresh: (runtime, args) => refresh(runtime, args),
  seatsChanged: (runtime, args) => seatsChanged(runtime, args),
};

/** `waiting` says whether the caller of `reconcile` and `verify` works at the run until it ends. */
export const upkeep = (waiting: Waiting): UpkeepCalls<[runtime: Runtime]> => ({
  ingest: (runtime, event) => ingest(runtime, event),
  reconcile: (runtime, args) => reconcile(runtime, args, waiting),
  verify: (runtime, args) => verify(runtime, args, waiting),
  runs: (runtime, limit) => latestRuns(runtime, limit),
});

export const addingUp: RevenueCall<[runtime: Runtime]> = {
  revenue: (runtime) => readRevenue(runtime.store, runtime.now()),
};

/** Runs a part of the core on the runtime for a context. */
type Run<Context> = <T>(context: Context, work: (runtime: Runtime) => Promise<T>) => Promise<T>;

/** The calls with another context than a runtime. */
type Given<Context extends unknown[], Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (runtime: Runtime, ...args: infer Args) => infer Result
    ? (...all: [...Context, ...Args]) => Result
    : never;
};

/** Calls that an application gives a context each. */
export function inContext<Context, Calls extends object>(
  calls: Calls,
  run: Run<Context>,
): Given<[context: Context], Calls> {
  return mapped(
    calls,
    (call) =>
      (context: Context, ...args: unknown[]) =>
        run(context, async (runtime) => call(runtime, ...args)),
  ) as Given<[context: Context], Calls>;
}

/** Calls that an application gives no context. */
export function withoutContext<Calls extends object>(
  calls: Calls,
  run: Run<undefined>,
): Given<[], Calls> {
  return mapped(
    calls,
    (call) =>
      (...args: unknown[]) =>
        run(undefined, async (runtime) => call(runtime, ...args)),
  ) as Given<[], Calls>;
}

type Call = (runtime: Runtime, ...args: unknown[]) => Promise<unknown>;

const mapped = (calls: object, map: (call: Call) => unknown): unknown =>
  Object.fromEntries(
    Object.entries<Call>({ ...calls }).map(([name, call]) => [name, map(checked(name, call))]),
  );

/** The calls that can be made without arguments. */
const OPTIONAL: ReadonlySet<string> = new Set(["reconcile", "verify"]);
/** Those whose first argument is a number, or not there, or that look at it themselves. */
const BARE: ReadonlySet<string> = new Set(["runs", "revenue", "ingest"]);

/** The call, with arguments of the right kind. What it does not take is not looked at: `ids.map(call)` adds some. */
const checked =
  (name: string, call: Call): Call =>
  (runtime, ...all) => {
    const [args, options] = all;
    if (!BARE.has(name) && !(args === undefined && OPTIONAL.has(name)))
      argsOf(name, args as object);
    if (call.length > 2) optionsOf("options", options as object | undefined);
    return call(runtime, ...all);
  };
