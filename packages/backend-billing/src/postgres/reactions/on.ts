/** What an application writes under `on` on PostgreSQL, as types. */
import type Stripe from "stripe";
import type { ResourceName, StripeObject } from "../../core/catalogue/catalogue.js";
import type { LocalStore } from "../../core/local-store.js";
import type { Names } from "../../core/plans/catalogue.js";
import type { Change, RawEvent } from "../../core/reactions/change.js";
import type { BillingEvent, EventName } from "../../core/reactions/event.js";

/** What a handler is given beside what it is told. */
export interface ReactionContext<Tx, N extends Names = Names> {
  /**
   * An open transaction. What is written in it happens exactly once: it commits together with the mark
   * that the handler was told. Do not end it, and do not use it after the handler has returned.
   */
  readonly tx: Tx;
  /** The library's reads and writes inside that transaction. */
  readonly store: LocalStore<N>;
}

/** A handler. One that throws is called again, later; it has thirty seconds. */
export type Reaction<Event, Tx, N extends Names = Names> = (
  event: Event,
  context: ReactionContext<Tx, N>,
) => PromiseLike<unknown>;

/**
 * What an application does when something has happened.
 *
 * @example
 * ```ts
 * import type { Queryable, Reactions } from "backend-billing/postgres";
 *
 * export const on: Reactions<Queryable> = {
 *   "access.lost": async ({ entityId }, { tx }) => {
 *     await tx.query("UPDATE teams SET is_open = false WHERE id = $1", [entityId]);
 *   },
 * };
 * ```
 */
export type Reactions<Tx, N extends Names = Names> = {
  readonly [E in EventName]?: Reaction<BillingEvent<E, N["plan"]>, Tx, N> | undefined;
} & {
  /** Rows as they change, whether or not an entity owns them. */
  readonly change?:
    | { readonly [R in ResourceName]?: Reaction<Change<StripeObject<R>>, Tx, N> | undefined }
    | undefined;
  /** Events of Stripe's that nothing in the mirror comes from. */
  readonly stripe?:
    | { readonly [E in Stripe.Event.Type]?: Reaction<RawEvent<E>, Tx, N> | undefined }
    | undefined;
};
