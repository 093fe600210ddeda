/** The named events that an application can react to, as types. */
import type { StripeObject } from "../catalogue/catalogue.js";
import type { Purchase } from "../purchases/purchase.js";
import type { Subscribed, SubscriptionState } from "../subscriptions/state.js";

/** What was before, null where nothing was, and what is after. */
export interface Step<T, B = T | null> {
  readonly before: B;
  readonly after: T;
}

/** What each event carries beside what all of them have. */
export interface Events<P = string | null> {
  /** Per entity and group, whatever the cause, time included: provision by these. */
  readonly "access.granted": Step<Subscribed<P>, SubscriptionState<P>>;
  readonly "access.lost": Step<SubscriptionState<P>>;
  /** It runs for the first time. */
  readonly "subscription.started": Step<Subscribed<P>, SubscriptionState<P>>;
  /** It ran, and is over. */
  readonly "subscription.ended": Step<Subscribed<P>>;
  /** Another price or product. */
  readonly "subscription.changed": Step<Subscribed<P>, Subscribed<P>>;
  /** Another quantity alone. */
  readonly "subscription.resized": Step<Subscribed<P>, Subscribed<P>>;
  /** An end is scheduled. */
  readonly "subscription.canceling": Step<Subscribed<P>>;
  /** A scheduled end is taken back. */
  readonly "subscription.kept": Step<Subscribed<P>>;
  readonly "subscription.past_due": Step<Subscribed<P>>;
  readonly "subscription.recovered": Step<Subscribed<P>>;
  readonly "subscription.paused": Step<Subscribed<P>>;
  readonly "subscription.resumed": Step<Subscribed<P>>;
  /** Three days before, once. */
  readonly "trial.ending": { readonly after: Subscribed<P> };
  readonly "purchase.paid": Step<Purchase>;
  readonly "purchase.failed": Step<Purchase>;
  readonly "invoice.paid": Step<StripeObject<"invoices">>;
  readonly "invoice.payment_failed": Step<StripeObject<"invoices">>;
  readonly "refund.created": {
    readonly after: StripeObject<"refunds">;
    readonly purchase: Purchase | null;
  };
  readonly "dispute.opened": {
    readonly after: StripeObject<"disputes">;
    readonly purchase: Purchase | null;
  };
  readonly "customer.linked": { readonly customerId: string };
  readonly "customer.deleted": { readonly customerId: string };
}

/** The name of an event that an application can react to. */
export type EventName = keyof Events;

interface Envelope<N extends EventName, P> {
  readonly name: N;
  /** The same each time the event is delivered, and of no other one. */
  readonly key: string;
  readonly entityId: string;
  /** Milliseconds at which the mirror learnt of it. */
  readonly at: number;
  /** What the entity has at the time of the delivery, which may be later than `after`. */
  readonly subscription: SubscriptionState<P>;
  /** It was set aside after failures, and is told after others that came later. */
  readonly late?: true;
}

/** A named event: told of linked customers only. */
export type BillingEvent<N extends EventName = EventName, P = string | null> = {
  [M in N]: Envelope<M, P> & Events<P>[M];
}[N];
