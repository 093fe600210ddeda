/**
 * What a history is: all that happens at Stripe, on the way and in our processes, as plain numbers
 * and words that fast-check can make up and make smaller. Nothing here does anything.
 */
import fc from "fast-check";

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
/** As far as `created` and `Date` may be off, and a list may lag, in milliseconds. */
const SKEW = 1_000;
const LAG = 10_000;

const upTo = (max: number) => fc.integer({ min: 0, max });
const around = (max: number) => fc.integer({ min: -max, max });
const often = <T>(usual: T, ...others: T[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(usual) },
    ...others.map((value) => ({ weight: 1, arbitrary: fc.constant(value) })),
  );

/** Clocks that are off as far as they may be are where it gets interesting. */
const off = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: around(SKEW) },
  { weight: 2, arbitrary: fc.constantFrom(-SKEW, SKEW) },
);

const sending: fc.Arbitrary<Sending> = fc.record({
  delay: fc.oneof(
    { weight: 6, arbitrary: upTo(600) },
    { weight: 3, arbitrary: upTo(4_000) },
    { weight: 1, arbitrary: upTo(15_000) },
  ),
  to: upTo(PROCESSES - 1),
});

const event: fc.Arbitrary<EventPlan> = fc.record({
  skew: off,
  late: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: upTo(300) }),
  form: often("full", "thin", "other version"),
  sent: fc.oneof(
    { weight: 6, arbitrary: fc.array(sending, { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(sending, { minLength: 1, maxLength: 2 }) },
    { weight: 2, arbitrary: fc.constant([]) },
  ),
});

const object: fc.Arbitrary<ObjectPlan> = fc.record({
  kind: fc.constantFrom(...KINDS, "subscription", "subscription"), // which has the most to go wrong
  before: often("nothing", "made", "made", "made and deleted"),
});

const change: fc.Arbitrary<ChangePlan> = fc.record({
  object: upTo(2),
  after: fc.oneof(
    { weight: 5, arbitrary: upTo(600) },
    { weight: 5, arbitrary: upTo(3_000) },
    { weight: 1, arbitrary: upTo(9_000) },
  ),
  ends: fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  // Mostly one of two, so that an object often becomes what it was before.
  value: fc.oneof({ weight: 6, arbitrary: upTo(1) }, { weight: 1, arbitrary: fc.constant(2) }),
  items: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: upTo(4) }),
  events: fc.oneof(
    { weight: 5, arbitrary: fc.array(event, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(event, { minLength: 1, maxLength: 2 }) },
  ),
  hint: fc.option(
    fc
      .tuple(event, fc.constantFrom("subscription" as const, "customer" as const))
      .map(([plan, names]) => ({ ...plan, names })),
    { freq: 4 },
  ),
});

const round = <T>(each: fc.Arbitrary<T>, maxLength: number) =>
  fc.array(each, { minLength: 1, maxLength });

export const history: fc.Arbitrary<History> = fc.record({
  objects: fc.oneof(
    { weight: 1, arbitrary: fc.array(object, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(object, { minLength: 1, maxLength: 3 }) },
  ),
  changes: fc.array(change, { minLength: 1, maxLength: 8 }),
  strays: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.record({ object: upTo(2), event }), { maxLength: 2 }) },
  ),
  fillsFirst: fc.boolean(),
  catchesUpByRun: fc.oneof(
    { weight: 3, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  runs: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.array(
        fc.record({
          at: upTo(20_000),
          by: upTo(PROCESSES - 1),
          kind: fc.constantFrom("backfill" as const, "reconcile" as const),
        }),
        { maxLength: 2 },
      ),
    },
  ),
  crashes: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    {
      weight: 2,
      arbitrary: fc.array(
        fc.record({
          process: upTo(PROCESSES - 1),
          gate: fc.oneof({ weight: 2, arbitrary: upTo(25) }, { weight: 1, arbitrary: upTo(80) }),
        }),
        { maxLength: 2 },
      ),
    },
  ),
  returns: fc.array(fc.record({ at: upTo(8_000), by: upTo(PROCESSES - 1) }), { maxLength: 3 }),
  trustsHints: fc.boolean(),
  waits: round(
    fc.oneof({ weight: 8, arbitrary: upTo(20) }, { weight: 1, arbitrary: upTo(1_500) }),
    8,
  ),
  travels: round(
    fc.oneof(
      { weight: 8, arbitrary: upTo(150) },
      { weight: 8, arbitrary: upTo(2_500) },
      { weight: 1, arbitrary: upTo(40_000) }, // longer than a lease
    ),
    6,
  ),
  dateSkews: round(off, 3),
  lags: round(
    fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: upTo(LAG) }),
    3,
  ),
  answers: round(often("good", "limited", "failed", "cut off"), 6),
  stores: round(
    fc.oneof(
      { weight: 40, arbitrary: fc.constant("good" as const) },
      { weight: 1, arbitrary: fc.constant("fails before" as const) },
      { weight: 1, arbitrary: fc.constant("fails after" as const) },
    ),
    10,
  ),
});
