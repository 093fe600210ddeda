/** How histories of the guard are made up. Nothing here says what they mean; history.ts does. */
import fc from "fast-check";
import {
  type CallerPlan,
  type DashboardPlan,
  type History,
  ORDERS,
  type PaymentPlan,
  PROCESSES,
} from "./history.js";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const upTo = (max: number) => fc.integer({ min: 0, max });
const mostly = <T>(weight: number, usual: T, ...others: T[]) =>
  fc.oneof(
    { weight, arbitrary: fc.constant(usual) },
    ...others.map((value) => ({ weight: 1, arbitrary: fc.constant(value) })),
  );
const round = <T>(each: fc.Arbitrary<T>, minLength: number, maxLength: number) =>
  fc.array(each, { minLength, maxLength });

const ends = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.integer({ min: MINUTE, max: 20 * HOUR }) },
);

const payment: fc.Arbitrary<PaymentPlan> = fc.record({
  after: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: SECOND, max: 2 * MINUTE }) },
    { weight: 2, arbitrary: fc.integer({ min: 2 * MINUTE, max: 23 * HOUR }) },
  ),
  card: mostly(10, "good" as const, "declined" as const),
  ends,
});

const caller = (span: number): fc.Arbitrary<CallerPlan> =>
  fc.record({
    at: upTo(span),
    process: upTo(PROCESSES - 1),
    variant: fc.constantFrom("A" as const, "B" as const),
    order: fc.oneof(
      { weight: 4, arbitrary: fc.constant("basic" as const) },
      { weight: 4, arbitrary: fc.constantFrom(...ORDERS.slice(0, 4)) },
      { weight: 1, arbitrary: fc.constantFrom(...ORDERS) },
    ),
    ui: mostly(10, "hosted" as const, "embedded" as const),
    key: fc.oneof(
      { weight: 4, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom("k1", "k2") },
    ),
    payments: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 10, arbitrary: round(payment, 1, 1) },
      { weight: 2, arbitrary: round(payment, 2, 2) },
    ),
  });

const dashboard = (span: number): fc.Arbitrary<DashboardPlan> =>
  fc.record({ at: upTo(span), order: fc.constantFrom("basic" as const, "addon" as const), ends });

const within = (span: number): fc.Arbitrary<History> =>
  fc.record({
    callers: fc.array(caller(span), { minLength: 1, maxLength: 7 }),
    isFilled: fc.boolean(),
    hasCustomer: fc.boolean(),
    catchUps: fc.array(upTo(span), { maxLength: 2 }),
    dashboard: fc.oneof(
      { weight: 6, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: round(dashboard(span), 1, 1) },
    ),
    restores: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: round(
          fc.record({
            at: upTo(Math.max(span, HOUR)),
            loses: fc.oneof(upTo(MINUTE), upTo(HOUR), upTo(24 * HOUR)),
          }),
          1,
          2,
        ),
      },
    ),
    crashes: fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: round(fc.record({ process: upTo(PROCESSES - 1), gate: upTo(60) }), 1, 3),
      },
    ),
    waits: round(
      fc.oneof({ weight: 12, arbitrary: upTo(20) }, { weight: 1, arbitrary: upTo(1_500) }),
      1,
      8,
    ),
    travels: round(
      fc.oneof(
        { weight: 40, arbitrary: fc.integer({ min: 20, max: 500 }) },
        { weight: 2, arbitrary: upTo(5_000) },
        { weight: 1, arbitrary: upTo(75_000) }, // longer than a lease
      ),
      1,
      12,
    ),
    answers: round(
      mostly(
        100,
        "good" as const,
        "limited" as const,
        "lost before" as const,
        "lost after" as const,
        "failed before" as const,
        "failed after" as const,
      ),
      1,
      12,
    ),
    stores: round(
      fc.oneof(
        { weight: 100, arbitrary: fc.constant("good" as const) },
        { weight: 1, arbitrary: fc.constant("fails before" as const) },
        { weight: 1, arbitrary: fc.constant("fails after" as const) },
      ),
      1,
      10,
    ),
    deliveries: round(
      fc.oneof(
        { weight: 4, arbitrary: upTo(20 * SECOND) },
        { weight: 2, arbitrary: upTo(HOUR) },
        { weight: 1, arbitrary: fc.constant(null) },
      ),
      1,
      6,
    ),
  });

/** A few clicks within seconds, an hour of an organisation, or two days. */
export const history: fc.Arbitrary<History> = fc.oneof(
  { weight: 4, arbitrary: within(30 * SECOND) },
  { weight: 3, arbitrary: within(HOUR) },
  { weight: 2, arbitrary: within(48 * HOUR) },
);
