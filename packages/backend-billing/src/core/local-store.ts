/** What an application does with its own database alone, as types: on a store, or in a transaction of its own. */
import type { EraseArgs } from "./erase/request.js";
import type { LocalReads } from "./mirror/store.js";
import type { Names } from "./plans/catalogue.js";
import type { PurchaseReads } from "./purchases/reads.js";
import type { GateReads } from "./subscriptions/gates.js";
import type { SubscriptionReads } from "./subscriptions/reads.js";
import type { SeatsChangedArgs } from "./subscriptions/seats/count.js";
import type { UsageReads, UsageWrites } from "./usage/usage.js";

/** What an application writes to its own database for the library, and asks nothing of Stripe. */
export interface LocalWrites<N extends Names = Names> extends UsageWrites<N> {
  /**
   * The entity's seats have changed: they are counted soon, and the quantity at Stripe follows. Does
   * nothing for plans that are not per seat.
   */
  seatsChanged(args: SeatsChangedArgs): Promise<void>;
  /**
   * Ends billing and forgets the entity, soon after the transaction commits: its subscriptions end, its
   * customer is deleted at Stripe or kept there, and nothing personal of it stays in the tables. Then
   * `customer.deleted` is told.
   */
  erase(args: EraseArgs): Promise<void>;
}

/**
 * What an application does with its own database alone, and asks nothing of Stripe; the names are those
 * of its catalogue.
 */
export interface LocalStore<N extends Names = Names>
  extends LocalReads,
    SubscriptionReads<N["plan"]>,
    GateReads<N>,
    PurchaseReads,
    UsageReads<N>,
    LocalWrites<N> {}
