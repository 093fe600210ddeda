/**
 * The reads by an application's own catalogue, its usage, and what its mutations tell the library. In a
 * file of its own: a query that only reads does not load what schedules work and takes from balances.
 */
import type { GenericDataModel } from "convex/server";
import { type VAny, v } from "convex/values";
import type { ResourceChoice, ResourceName, StripeObject } from "../../core/catalogue/catalogue.js";
import { type EraseArgs, eraseRequest } from "../../core/erase/request.js";
import type { AnyCatalogue, Names, NamesOf } from "../../core/plans/catalogue.js";
import type { Change } from "../../core/reactions/change.js";
import type { BillingEvent, EventName } from "../../core/reactions/event.js";
import { SEATS_DELAY, seatsRequest } from "../../core/runtime/commit/seats.js";
import type { SeatsChangedArgs } from "../../core/subscriptions/seats/count.js";
import { checkedModule, referencesTo } from "../calls/references.js";
import { rethrowingAll } from "../rethrow.js";
import { leftBy, scheduleUsage, scheduleWork } from "../schedule.js";
import { requestRecord } from "../store/records.js";
import type { Db } from "../tables/database.js";
import { type Usage, usageBy } from "../usage/usage.js";
import { type Reads, readsBy } from "./local.js";
import type { WriteContext } from "./reads.js";

/** The reads and writes for an application's own queries and mutations. */
export interface Local<N extends Names = Names> extends Reads<N>, Usage<N> {
  /**
   * In a mutation that changes an entity's seats: they are counted soon, by the setting `seats`, and
   * the quantity at Stripe follows. Does nothing for plans that are not per seat.
   */
  seatsChanged<M extends GenericDataModel>(
    context: WriteContext<M>,
    args: SeatsChangedArgs,
  ): Promise<void>;
  /**
   * In a mutation that deletes an entity: billing ends and the entity is forgotten soon after. Its
   * subscriptions end, its customer is deleted at Stripe or kept there, and nothing personal of it stays
   * in the tables. Then `customer.deleted` is told.
   */
  erase<M extends GenericDataModel>(context: WriteContext<M>, args: EraseArgs): Promise<void>;
  /** The arguments of an internal mutation that is told of an event: `args: onEvent("access.lost")`. */
  onEvent<E extends EventName>(name: E): { event: VAny<BillingEvent<E, N["plan"]>> };
  /** The arguments of one that is told how rows change: `args: onChange("invoices")`. */
  onChange<R extends ResourceName>(resource: R): { change: VAny<Change<StripeObject<R>>> };
}

/** What `createLocal` takes. */
export interface LocalOptions<C extends AnyCatalogue = AnyCatalogue> {
  readonly catalogue: C;
  /**
   * The file below `convex/` that exports `store` and `sync`, as the setting of this name: without
   * its ending. Default `"billing"`; it is `"stripe"` where `createStripe` has no other.
   */
  readonly module?: string | undefined;
  /** What is mirrored, as the setting of this name. Default: `defaultResources`. */
  readonly resources?: ResourceChoice | undefined;
}

/**
 * The reads by a catalogue, which says who keeps access, and what a mutation tells the library.
 * Export them from a file of the application, and import them from there.
 *
 * @example
 * ```ts
 * import { defineCatalogue } from "backend-billing/catalogue";
 * import { createLocal } from "backend-billing/convex/local";
 *
 * const catalogue = defineCatalogue({ access: { past_due: { days: 7 } } });
 *
 * export const { subscriptionOf, invoicesOf, seatsChanged } = createLocal({ catalogue });
 * ```
 */
export function createLocal<C extends AnyCatalogue>({
  catalogue,
  module = "billing",
  resources,
}: LocalOptions<C>): Local<NamesOf<C>> {
  const { store, work: sync } = referencesTo(checkedModule(module));
  const local: Local = {
    ...readsBy(catalogue, resources),
    ...usageBy(catalogue, {
      resources,
      billed: ({ db, scheduler }) => scheduleUsage(db, { scheduler, store, sync }),
    }),
    ...rethrowingAll<Pick<Local, "seatsChanged" | "erase">>({
      async seatsChanged(context, { entityId }) {
        const db = context.db as unknown as Db;
        const write = await requestRecord(db, seatsRequest(entityId, Date.now() + SEATS_DELAY));
        await scheduleWork(db, { scheduler: context.scheduler, store, sync }, leftBy([write]));
      },
      async erase(context, args) {
        const db = context.db as unknown as Db;
        const write = await requestRecord(db, eraseRequest(args, Date.now()));
        await scheduleWork(db, { scheduler: context.scheduler, store, sync }, leftBy([write]));
      },
    }),
    onEvent: () => ({ event: v.any() }),
    onChange: () => ({ change: v.any() }),
  };
  return local as unknown as Local<NamesOf<C>>; // the names of a catalogue are types alone
}
