/** The internal actions that an application exports, with validators on what goes in and comes out. */
// mutant "public actions": internalActionGeneric -> actionGeneric as internalActionGeneric

import { internalActionGeneric, type RegisteredAction } from "convex/server";
import { type ObjectType, type VAny, v } from "convex/values";
import { workOnce } from "../core/background.js";
import { type CheckoutCalls, checkingOut, type SetupCall } from "../core/facade.js";
import type { Page } from "../core/links/page.js";
import { type CheckoutArgs, checkPriced } from "../core/links/params.js";
import type { Store } from "../core/mirror/store.js";
import { defineLocal } from "../core/runtime/local.js";
import type { SyncReport } from "../core/runtime/reports.js";
import type { Runtime } from "../core/runtime/runtime.js";
import type { PortalOptions } from "../core/sync/portal/settings.js";
import { sync as runSync } from "../core/sync/sync.js";
import { workPage } from "../core/sync/work/work.js";
import { tickScheduled } from "../core/tick.js";
import { sendUsage } from "../core/usage/outbox/outbox.js";
import { decode } from "./calls/encode.js";
import type { Step, SyncActionArgs } from "./calls/references.js";
import { syncReport, type WiredReport } from "./reports.js";
import type { ActionContext, ConvexRuntime } from "./runtime.js";

const text = v.string();
const maybeBoolean = v.optional(v.boolean());
const link = v.object({ url: text });
const customer = v.object({ customerId: text });

const setupArgs = {
  entityId: text,
  email: v.optional(text),
  // In fact any object: a record refuses keys that begin with `_`. The core checks what is in it.
  metadata: v.optional(v.any() as VAny<Record<string, string>>),
};

/** One of these names. */
const oneOf = <const T extends readonly [string, string, ...string[]]>(...values: T) =>
  v.union(...values.map((value) => v.literal(value as T[number])));

// A page inside the application's own is not among them: its secret is for `billing.checkout`.
const checkoutArgs = {
  entityId: text,
  priceId: v.optional(text),
  lookupKey: v.optional(text),
  quantity: v.optional(v.number()),
  successUrl: text,
  cancelUrl: text,
  ifSubscribed: v.optional(oneOf("portal", "refuse", "allow")),
  trialDays: v.optional(v.number()),
  trial: v.optional(oneOf("once", "always")),
  allowPromotionCodes: maybeBoolean,
  email: v.optional(text),
  // Stripe's own parameters, which Stripe checks.
  params: v.optional(v.any() as VAny<NonNullable<CheckoutArgs["params"]>>),
  createStripeCustomerIfMissing: maybeBoolean,
};

const page = v.union(
  ...(["checkout", "open"] as const).map((kind) =>
    v.object({ kind: v.literal(kind), url: text, sessionId: text, subscriptionId: v.null() }),
  ),
  ...(["pay", "change", "manage"] as const).map((kind) =>
    v.object({ kind: v.literal(kind), url: text, sessionId: v.null(), subscriptionId: text }),
  ),
);

const portalArgs = { entityId: text, returnUrl: text };

const syncArgs = {
  data: maybeBoolean,
  webhook: maybeBoolean,
  portal: v.optional(v.union(v.boolean(), v.any() as VAny<PortalOptions>)),
  replace: maybeBoolean,
  step: v.optional(oneOf("work", "page", "usage", "catch-up", "reconcile")),
};

export type SetupActionArgs = ObjectType<typeof setupArgs>;
export type CheckoutActionArgs = ObjectType<typeof checkoutArgs>;
export type PortalActionArgs = ObjectType<typeof portalArgs>;

/**
 * An internal action. Convex reads its arguments and its result off the name of this very type, so
 * an alias of it, exported to an application, would turn both into `unknown`.
 */
type Action<Args extends Record<string, unknown>, Returns> = RegisteredAction<
  "internal",
  Args,
  Promise<Returns>
>;

type Calls = CheckoutCalls<[ctx: ActionContext]> & SetupCall<[ctx: ActionContext]>;

export const setupAction = (
  setup: Calls["setup"],
): Action<SetupActionArgs, { customerId: string }> =>
  internalActionGeneric({
    args: setupArgs,
    returns: customer,
    handler: (ctx, { metadata, ...args }) => setup(ctx, { ...args, metadata: decode(metadata) }),
  });

export const checkoutAction = (convex: ConvexRuntime): Action<CheckoutActionArgs, Page> =>
  internalActionGeneric({
    args: checkoutArgs,
    returns: page,
    handler: (ctx, { priceId, lookupKey, params, ...args }) =>
      convex.run(ctx, (runtime) =>
        checkingOut.checkout(runtime, {
          ...args,
          ...checkPriced({ priceId, lookupKey }),
          ...(params === undefined ? {} : { params: decode(params) }),
        }),
      ),
  });

export const portalAction = (portal: Calls["portal"]): Action<PortalActionArgs, { url: string }> =>
  internalActionGeneric({
    args: portalArgs,
    returns: link,
    handler: (ctx, args) => portal(ctx, args),
  });

export const syncAction = (convex: ConvexRuntime): Action<SyncActionArgs, SyncReport> =>
  internalActionGeneric({
    args: syncArgs,
    returns: syncReport,
    handler: (ctx, { step, ...args }) =>
      convex.runOver(ctx, async (store, over): Promise<WiredReport> => {
        if (step === undefined) {
          return (await runSync(over(store), args, { wait: false })) as WiredReport;
        }
        await take(store, over, step);
        return { runId: null, state: "done", resources: {} };
      }),
  });

/** One step of the library's own work, which the store or a cron asked for. */
async function take(store: Store, over: (store: Store) => Runtime, step: Step): Promise<void> {
  const runtime = over(store);
  if (!runtime.config.secret_key) return logNoKey(runtime);
  // One page only: its commit schedules the next, so no action runs long.
  if (step === "page") await workPage(runtime);
  else if (step === "work") await goOn(runtime, () => workOnce(runtime), FEW);
  else if (step === "usage") await goOn(runtime, () => sendUsage(runtime));
  else await tickScheduled(store, over, step);
}

/** Milliseconds after which no more is begun: the watchdog calls the next worker after a minute. */
const LONG = 40_000;
/** Each kind of work takes at least so many at once, so where fewer were done no more is due. */
const FEW = 5;

/** Works again where so much was done that more may be due. */
async function goOn(runtime: Runtime, work: () => Promise<number>, least = 1): Promise<void> {
  const end = runtime.now() + LONG;
  while ((await work()) >= least && runtime.now() < end);
}

const memoryOf = defineLocal("process", "missing key", () => ({ isLogged: false }));

/** A deployment without a key, such as a preview, has nothing to do, and its jobs do not fail. */
function logNoKey(runtime: Runtime): void {
  const memory = memoryOf(runtime);
  if (memory.isLogged) return;
  memory.isLogged = true;
  runtime.log?.info({}, "STRIPE_SECRET_KEY is not set, so the billing jobs do nothing");
}
