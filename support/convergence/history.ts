/**
 * What a history is: all that happens at Stripe, on the way and in our processes, as plain numbers
 * and words that can be made up, made smaller, and read. Nothing here does anything.
 */

export const KINDS = ["product", "price", "customer", "subscription", "coupon"] as const;
export type Kind = (typeof KINDS)[number];

export interface ObjectPlan {
  readonly kind: Kind;
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
  /** Deletes the object; cancels a subscription. */
  readonly ends: boolean;
  readonly value: number;
  /** Of a subscription: how many items it has; more than two are cut. */
  readonly items: number;
  /** One change may raise two events. */
  readonly events: readonly EventPlan[];
  /** Of a subscription: an event of its invoice, or of a payment that names only the customer. */
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
}

export const PROCESSES = 2;
