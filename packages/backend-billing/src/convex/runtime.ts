/** The core's runtime on Convex: the `store` mutation as the store, and nothing to wake. */
import type { GenericActionCtx, GenericDataModel } from "convex/server";
import type { Store } from "../core/mirror/store.js";
import { includesAny } from "../core/plans/usage.js";
import { chosenResources } from "../core/runtime/config.js";
import type { CreditsStore } from "../core/runtime/records/credits.js";
import type { SharesStore } from "../core/runtime/records/shares.js";
import { createRuntime, type Runtime } from "../core/runtime/runtime.js";
import { hasBalances } from "../core/usage/args.js";
import type { Operation, ResultOf } from "./calls/operations.js";
import { createConvexOutbox } from "./calls/outbox.js";
import type { References } from "./calls/references.js";
import { createConvexStore } from "./calls/store.js";
import { baseUrl, type ConvexConfig } from "./config.js";
import { type Exporter, explained, withConvexErrors } from "./errors.js";
import type { ConvexReactions } from "./reactions/reactions.js";

/**
 * What is used of an action's context; that of an HTTP action fits too. That of a mutation does
 * not: Stripe cannot be asked in a transaction.
 */
export type ActionContext = Pick<
  GenericActionCtx<GenericDataModel>,
  "runQuery" | "runMutation" | "runAction"
>;

export interface ConvexRuntime {
  /** The runtime within one action. */
  in(ctx: ActionContext): Runtime;
  /** Runs a part of the core within one action and passes its errors to the caller. */
  run<T>(ctx: ActionContext, work: (runtime: Runtime) => Promise<T>): Promise<T>;
  /** The same for a part of the core that makes the runtime over a store of its own. */
  runOver<T>(
    ctx: ActionContext,
    work: (store: Store, over: (store: Store) => Runtime) => Promise<T>,
  ): Promise<T>;
}

export function createConvexRuntime(
  config: ConvexConfig,
  references: References,
  exporter: Exporter,
  handled?: ConvexReactions,
): ConvexRuntime {
  const resources = chosenResources(config);
  const callIn = (ctx: ActionContext) => (operation: Operation) =>
    ctx.runMutation(references.store, { operation }).catch((error: unknown) => {
      throw explained(error, exporter);
    });
  const storeIn = (ctx: ActionContext): Store =>
    createConvexStore(callIn(ctx), { resources, log: config.logger });
  const creditsIn = (ctx: ActionContext): CreditsStore => ({
    settle: async (sessionId, now) =>
      (await callIn(ctx)({ type: "credit", sessionId, now })) as ResultOf<"credit">,
  });
  const sharesIn = (ctx: ActionContext): SharesStore => ({
    async settle({ entityId, before, at }, now) {
      await callIn(ctx)({ type: "share", former: { entityId, before, at }, now });
    },
  });
  const { seats } = config;
  // The `store` mutation knows what is listened to, and schedules what is to be told.
  // All functions of a deployment are of one version, so no other process has handlers that this one lacks.
  const reactions = {
    names: new Set(handled?.handlers.keys()),
    changed: () => {},
    deliver: async () => 0,
  };
  const over = (ctx: ActionContext, store: Store): Runtime =>
    createRuntime(config, {
      store,
      seats: seats && ((entityId) => ctx.runQuery(seats, { entityId })),
      baseUrl: () => baseUrl(config),
      reactions,
      outbox: createConvexOutbox(callIn(ctx)),
      credits: hasBalances(config.catalogue) ? creditsIn(ctx) : undefined,
      shares: includesAny(config.catalogue) ? sharesIn(ctx) : undefined,
      // Whatever is left to do is scheduled by the mutation that left it, in its transaction.
      wake: () => {},
    });
  return {
    in: (ctx) => over(ctx, storeIn(ctx)),
    run: (ctx, work) => withConvexErrors(config.logger, () => work(over(ctx, storeIn(ctx)))),
    runOver: (ctx, work) =>
      withConvexErrors(config.logger, () => work(storeIn(ctx), (store) => over(ctx, store))),
  };
}
