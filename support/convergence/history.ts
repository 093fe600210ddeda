/**
 * What a history is: all that happens at Stripe, on the way and in our processes, as plain numbers
 * and words that can be made up, made smaller, and read. Nothing here does anything.
 */

import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";

/** What histories are of unless it is said: each has something that can go wrong on its own. */
export const USUAL: readonly ResourceName[] = [
  "products",
  "prices",
  "customers",
  "subscriptions",
  "coupons",
];

export interface ObjectPlan {
  readonly resource: ResourceName;
  /** What became of it an hour before the first event that we hear of. */
  readonly before: "nothing" | "made" | "made and deleted";
}

/** How an event comes to be and to us. */
export interface EventPlan {
  /** Milliseconds by which `created` is off, before it is cut to whole seconds. */
  readonly skew: number;
  /** Milliseconds after the change at which its content was rendered. */
  readonly late: number;
  readonly form: "full" | "thin" | "other version";
  /** Webhook deliveries. None: it was lost, and is caught up with. */
  readonly sent: readonly Sending[];
}

export interface Sending {
  readonly delay: number;
  readonly to: number;
}

/** One change at Stripe. On what does not exist it is a creation. */
export interface ChangePlan {
  readonly object: number;
  /** Milliseconds since the change before. */
  readonly after: number;
  /** Deletes the object; cancels a subscription, and what else stays when it has ended. */
  readonly ends: boolean;
  readonly value: number;
  /** Of what has a list inside: how many more than one are in it; more than two are cut. */
  readonly items: number;
  /** One change may raise two events. */
  readonly events: readonly EventPlan[];
  /**
   * Of a subscription: an event of its invoice, or of a payment that names only the customer. Of what
   * changes with other objects: whether this is such a change, of which only their event tells.
   */
  readonly hint: (EventPlan & { readonly names: "subscription" | "customer" }) | null;
}

/** An event of long ago that reaches us all the same, while those after it never do. */
export interface StrayPlan {
  readonly object: number;
  readonly event: EventPlan;
}

/** A run of the sync. */
export interface RunPlan {
  readonly at: number;
  readonly by: number;
  readonly kind: "backfill" | "reconcile";
}

/** What only some resources know; it says nothing of the others. */
export interface Oddity {
  /** Of the change of this number: there is no event of it, where Stripe is silent about some. */
  readonly untold: boolean;
  /** Of the object of this number: no list shows it, where lists hide some. */
  readonly hidden: "never" | "once it ended" | "always";
  /** Of the object of this number: it belongs to none, where it need not. */
  readonly unowned: boolean;
}

export interface History {
  readonly objects: readonly ObjectPlan[];
  readonly changes: readonly ChangePlan[];
  readonly strays: readonly StrayPlan[];
  /** Whether a backfill is made at the beginning; otherwise a reconcile at the end, if one is needed. */
  readonly fillsFirst: boolean;
  /** Whether what was lost is caught up with by a run, after a backfill; otherwise event by event. */
  readonly catchesUpByRun: boolean;
  readonly runs: readonly RunPlan[];
  /** Processes that are killed as they come to their so-and-so-manieth gate. */
  readonly crashes: readonly { readonly process: number; readonly gate: number }[];
  /** Refreshes as the return route makes them: somebody waits for them. */
  readonly returns: readonly { readonly at: number; readonly by: number }[];
  /** Whether events of subscriptions are lost for good where a later hint makes up for them. */
  readonly trustsHints: boolean;
  /** Each of these goes round and round: whoever needs a number takes the next. */
  readonly waits: readonly number[];
  readonly travels: readonly number[];
  readonly dateSkews: readonly number[];
  readonly lags: readonly number[];
  readonly answers: readonly ("good" | "limited" | "failed" | "cut off")[];
  readonly stores: readonly ("good" | "fails before" | "fails after")[];
  readonly oddities: readonly Oddity[];
}

export const PROCESSES = 2;
