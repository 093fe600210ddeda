/** How histories are made up. Nothing here says what they mean; history.ts does. */
import fc from "fast-check";
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { type Cast, castOf, often, usualCast } from "./cast.js";
import {
  type ChangePlan,
  type EventPlan,
  type History,
  PROCESSES,
  type Sending,
} from "./history.js";

/** As far as `created` and `Date` may be off, and a list may lag, in milliseconds. */
const SKEW = 1_000;
const LAG = 10_000;

const upTo = (max: number) => fc.integer({ min: 0, max });
const around = (max: number) => fc.integer({ min: -max, max });

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

const changeOf = (objects: number): fc.Arbitrary<ChangePlan> =>
  fc.record({
    object: upTo(objects - 1),
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

/** Everything that can happen, and mostly not too much of it at once. */
const anythingOf = ({ some, most, oddities }: Cast): fc.Arbitrary<History> =>
  fc.record({
    objects: some,
    changes: fc.array(changeOf(most), { minLength: 1, maxLength: 8 }),
    strays: fc.oneof(
      { weight: 5, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: fc.array(fc.record({ object: upTo(most - 1), event }), { maxLength: 2 }),
      },
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
    oddities,
  });

/**
 * One object that goes back and forth within a few seconds, told of promptly, while Stripe is asked
 * about it: where it matters in which order things happen, and little else.
 */
const backAndForthOf = ({ one, oddities }: Cast): fc.Arbitrary<History> =>
  fc.record({
    objects: fc.array(fc.record({ resource: one, before: fc.constant("nothing" as const) }), {
      minLength: 1,
      maxLength: 1,
    }),
    changes: fc.array(
      fc.record({
        object: fc.constant(0),
        after: upTo(2_600),
        ends: fc.constant(false),
        value: upTo(1),
        items: fc.constant(0),
        events: fc.array(
          fc.record({
            skew: off,
            late: fc.constant(0),
            form: often("full", "thin"),
            sent: fc.array(
              fc.record({
                delay: fc.oneof(
                  { weight: 4, arbitrary: upTo(300) },
                  { weight: 1, arbitrary: upTo(4_000) },
                ),
                to: upTo(PROCESSES - 1),
              }),
              { minLength: 1, maxLength: 1 },
            ),
          }),
          { minLength: 1, maxLength: 1 },
        ),
        hint: fc.constant(null),
      }),
      { minLength: 3, maxLength: 6 },
    ),
    strays: fc.constant([]),
    fillsFirst: fc.constant(false),
    catchesUpByRun: fc.constant(false),
    runs: fc.constant([]),
    crashes: fc.constant([]),
    returns: fc.array(fc.record({ at: upTo(8_000), by: upTo(PROCESSES - 1) }), { maxLength: 2 }),
    trustsHints: fc.constant(false),
    waits: round(upTo(20), 2),
    travels: round(upTo(900), 2),
    dateSkews: round(off, 2),
    lags: fc.constant([0]),
    answers: fc.constant(["good" as const]),
    stores: fc.constant(["good" as const]),
    oddities,
  });

const played = (cast: Cast): fc.Arbitrary<History> =>
  fc.oneof(
    { weight: 3, arbitrary: anythingOf(cast) },
    { weight: 1, arbitrary: backAndForthOf(cast) },
  );

export const history = played(usualCast);

/** Histories of these resources, each of which comes up about as often as any other. */
export const historyOf = (names: readonly ResourceName[]): fc.Arbitrary<History> =>
  played(castOf(names));
