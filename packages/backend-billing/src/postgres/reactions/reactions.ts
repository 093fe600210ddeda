/** The handlers of an application on PostgreSQL: who is told what, and how. */
import type { ResourceChoice, ResourceName } from "../../core/catalogue/catalogue.js";
import type { LocalStore } from "../../core/local-store.js";
import { awaitedNames } from "../../core/mirror/listening.js";
import { DELIVERY_TIMING, type DeliveryTiming } from "../../core/reactions/delivery.js";
import type { ReactionReads } from "../../core/reactions/telling/context.js";
import { type Handlers, occasionsOf } from "../../core/reactions/telling/handlers.js";
import { tellingsOf } from "../../core/reactions/telling/tellings.js";
import type { BillingConfig } from "../../core/runtime/config.js";
import { observeDelivery } from "../../core/runtime/telemetry/observe.js";
import type { PoolLike, Queryable } from "../database.js";
import { schemaOf } from "../schema/schema.js";
import { lookupsOn } from "../store/lookups.js";
import { namesIn } from "../store/names.js";
import { prepareOn, queryableBy } from "../store/prepared.js";
import { createPostgresReads } from "../store/reads.js";
import { isPg, sharedPool } from "../store/share.js";
import type { DeliverOptions } from "./deliver.js";
import { type Lend, lendPrepared } from "./lend.js";
import type { Reaction } from "./on.js";
import { processingOn } from "./processing.js";
import { deliverDue, lanesOf } from "./workers.js";

export interface ReactionsOptions<Tx> {
  readonly config: BillingConfig;
  readonly pool: PoolLike;
  readonly lend: Lend<Tx>;
  readonly tables: { readonly schema?: string; readonly resources?: ResourceChoice };
  readonly resources: readonly ResourceName[];
  readonly handlers: Handlers<Reaction<never, Tx>>;
  readonly timing?: DeliveryTiming;
}

/**
 * Tells what is due, until nothing is or `isOver`; answers how much it did. Made once for a pool: it knows
 * which statements are prepared on it, and whether they may be.
 */
export function deliveryOn<Tx>(
  options: ReactionsOptions<Tx>,
): (storeIn: (tx: Tx) => LocalStore, isOver: () => boolean) => Promise<number> {
  const { config, pool, lend, tables, resources, handlers } = options;
  const names = namesIn(schemaOf(tables));
  const own = new Set(handlers.keys());
  const { catalogue } = config;
  const readsOn = (tx: Queryable): ReactionReads => {
    const select = async <T>(text: string, values: unknown[]) =>
      (await tx.query(text, values)).rows as T[];
    const processing = processingOn(select, names, resources);
    return { ...createPostgresReads(tx, tables), ...lookupsOn(select, names), processing };
  };
  const prepared = prepareOn(sharedPool(pool), isPg(pool));
  const delivery: Omit<DeliverOptions<Tx>, "handler"> = {
    pool: queryableBy(prepared.run),
    names,
    occasions: occasionsOf(own),
    lend: lendPrepared(lend, prepared),
    tellings: (change, tx, listening) => {
      const known = new Set([...own, ...awaitedNames(listening, Date.now())]);
      return tellingsOf({ reads: readsOn(tx), names: known, resources, catalogue }, change);
    },
    observed: ({ change, took, ...outcome }) => {
      prepared.grown(1); // about as many changes may wait by now as were told before
      observeDelivery({ log: config.logger, telemetry: config.telemetry }, change, {
        ...outcome,
        ...(took === undefined ? {} : { milliseconds: took }),
      });
    },
    timing: options.timing ?? DELIVERY_TIMING,
  };
  return (storeIn, isOver) => {
    const handler: DeliverOptions<Tx>["handler"] = ({ to, payload }) => {
      const own = handlers.get(to);
      return own && (async (tx) => own(payload as never, { tx, store: storeIn(tx) }));
    };
    return deliverDue({ ...delivery, handler }, lanesOf(pool), isOver);
  };
}
