/** Usage in an application's own mutations and queries: part of their transaction, by their database alone. */
import type { GenericDataModel, Scheduler } from "convex/server";
import { namesOf, type ResourceChoice } from "../../core/catalogue/catalogue.js";
import type { AnyCatalogue, Names } from "../../core/plans/catalogue.js";
import { gateReads } from "../../core/subscriptions/gates.js";
import type { GrantArgs, ReserveArgs, UseArgs } from "../../core/usage/args.js";
import {
  type Consumed,
  type Reserved,
  type UsageBalance,
  usageCalls,
} from "../../core/usage/usage.js";
import { heldIn } from "../reads/held.js";
import type { Reads } from "../reads/local.js";
import type { ReadContext, WriteContext } from "../reads/reads.js";
import { rethrowingAll } from "../rethrow.js";
import type { Db } from "../tables/database.js";
import { changeIn } from "./change.js";
import { walletsIn } from "./wallets.js";

/**
 * Usage of features with a balance; the names are those of a catalogue. What a mutation takes is taken
 * if it commits, and mutations that take from one balance at once run one after another.
 */
export interface Usage<N extends Names = Names> {
  /** Checks and takes in one step: all of the amount, or nothing. The same key counts once. */
  consume<M extends GenericDataModel>(context: WriteContext<M>, use: UseArgs<N>): Promise<Consumed>;
  /** Records an amount whether or not the balance covers it. The same key counts once. */
  track<M extends GenericDataModel>(
    context: WriteContext<M>,
    use: UseArgs<N>,
  ): Promise<{ readonly balance: number }>;
  /** Holds an amount for work whose cost is known later; what is held is given back by itself. */
  reserve<M extends GenericDataModel>(
    context: WriteContext<M>,
    use: ReserveArgs<N>,
  ): Promise<Reserved>;
  /**
   * Takes what the work cost of what is held, and gives back the rest. After the reservation has ended
   * it is taken as `consume` does; `limit_reached` if it is no longer there.
   */
  finish<M extends GenericDataModel>(
    context: WriteContext<M>,
    args: { readonly reservationId: string; readonly amount: number },
  ): Promise<{ readonly balance: number }>;
  /** Gives back what is held. */
  release<M extends GenericDataModel>(
    context: WriteContext<M>,
    args: { readonly reservationId: string },
  ): Promise<void>;
  /** Gives units by hand. The same key gives once. */
  grant<M extends GenericDataModel>(
    context: WriteContext<M>,
    args: GrantArgs<N>,
  ): Promise<{ readonly balance: number }>;
  /**
   * What an entity has of each feature with a balance. A query runs again when that changes, and not
   * because a period has ended: it is `resetsAt` that says when to ask again.
   */
  usageOf<M extends GenericDataModel>(
    context: ReadContext<M>,
    entityId: string,
  ): Promise<{ readonly [F in N["balance"]]: UsageBalance }>;
}

export interface UsageOptions {
  /** What is mirrored. */
  readonly resources?: ResourceChoice | undefined;
  /** A mutation has taken something that Stripe may bill. */
  billed?(context: Pick<WriteContext, "scheduler"> & { readonly db: Db }): Promise<void>;
  now?(): number;
}

/** Usage by a catalogue, with the gate of which those of a balance are open while a unit could be taken. */
export function usageBy(
  catalogue: AnyCatalogue,
  { resources, billed, now = () => Date.now() }: UsageOptions = {},
): Usage & Pick<Reads, "can"> {
  const chosen = namesOf(resources);
  const calls = (context: { readonly db: unknown; readonly scheduler?: Scheduler }) => {
    const db = context.db as Db;
    const { scheduler } = context;
    return usageCalls({
      store: { change: changeIn(db, chosen), wallets: walletsIn(db, chosen) },
      catalogue,
      now,
      // A query has no scheduler, and takes nothing.
      billed: async () => scheduler && billed?.({ db, scheduler }),
      gates: gateReads({ held: (id, options) => heldIn(db, chosen, id, options) }, catalogue),
    });
  };
  return rethrowingAll({
    consume: async (context, use) => calls(context).consume(use),
    track: async (context, use) => calls(context).track(use),
    reserve: async (context, use) => calls(context).reserve(use),
    finish: async (context, args) => calls(context).finish(args),
    release: async (context, args) => calls(context).release(args),
    grant: async (context, args) => calls(context).grant(args),
    usageOf: async (context, entityId) => calls(context).usageOf(entityId),
    can: async (context, entityId, feature) => calls(context).can(entityId, feature),
  });
}
