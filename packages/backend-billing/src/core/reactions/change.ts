/** What handlers of rows and of raw events are called with, as types. */
import type Stripe from "stripe";

/** A row that changed, whether or not an entity owns it. */
export interface Change<T> {
  /** The same each time the change is delivered, and of no other one. */
  readonly key: string;
  /** Stripe's id. */
  readonly id: string;
  /** Whose it is at the time of the delivery. */
  readonly entityId: string | null;
  /** Null where the row is new. */
  readonly before: T | null;
  /** Null where the row is gone. */
  readonly after: T | null;
  /** It was set aside after failures, and is told after others that came later. */
  readonly late?: true;
}

/** An event of Stripe's, as it came. */
export type RawEvent<E extends Stripe.Event.Type> = Extract<Stripe.Event, { readonly type: E }>;
