/** Small histories that must end well, each the simplest that shows what one step of the guard is for. */
import type { CallerPlan, History, OrderName } from "./history.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const calm: Omit<History, "callers"> = {
  isFilled: true,
  hasCustomer: true,
  catchUps: [],
  dashboard: [],
  restores: [],
  crashes: [],
  waits: [5],
  travels: [100],
  answers: ["good"],
  stores: ["good"],
  deliveries: [2_000],
};

const caller = (at: number, process: number, order: OrderName, paysAfter?: number): CallerPlan => ({
  at,
  process,
  variant: "B",
  order,
  ui: "hosted",
  key: null,
  payments: paysAfter === undefined ? [] : [{ after: paysAfter, card: "good", ends: null }],
});

/** The answer to the second caller's page takes a minute. */
const LATE = [...Array<number>(11).fill(100), MINUTE];

export const stories: { readonly [name: string]: History } = {
  "a plan is chosen, and then another one; both pages are paid": {
    ...calm,
    callers: [caller(0, 0, "basic", 2 * MINUTE), caller(MINUTE, 1, "pro", 2 * MINUTE)],
  },
  "two tabs within a moment, of different plans": {
    ...calm,
    callers: [caller(0, 0, "basic", MINUTE), caller(40, 1, "pro", 2 * MINUTE)],
  },
  "two tabs at once, of the same plan": {
    ...calm,
    callers: [caller(0, 0, "basic", MINUTE), caller(0, 1, "basic", 2 * MINUTE)],
  },
  "a second click while the webhook is late": {
    ...calm,
    callers: [caller(0, 0, "basic", MINUTE), caller(2 * MINUTE, 1, "basic", MINUTE)],
    deliveries: [HOUR],
  },
  "a page that the store forgot, because it was set back": {
    ...calm,
    callers: [caller(MINUTE, 0, "basic", HOUR), caller(3 * MINUTE, 1, "pro", HOUR)],
    restores: [{ at: 2 * MINUTE, loses: 2 * MINUTE }],
  },
  "a first payment that was declined, which the store forgot, because it was set back": {
    ...calm,
    callers: [
      {
        ...caller(0, 0, "seats"),
        ui: "embedded",
        payments: [{ after: 1_000, card: "declined", ends: null }],
      },
      caller(MINUTE, 1, "seats", 10 * MINUTE),
      caller(3 * MINUTE, 2, "basic", MINUTE),
    ],
    restores: [{ at: 2 * MINUTE, loses: 2 * MINUTE }],
  },
  "a page that was asked for before the store was set back, and is recorded after it": {
    ...calm,
    callers: [caller(0, 0, "basic", 3 * MINUTE), caller(50, 1, "pro", 2 * MINUTE)],
    restores: [{ at: MINUTE / 2, loses: MINUTE / 2 }],
    travels: LATE,
  },
  "the same, and the process is killed before it has looked once more": {
    ...calm,
    callers: [
      caller(0, 0, "basic", 3 * MINUTE),
      caller(50, 1, "pro", 2 * MINUTE),
      caller(2 * MINUTE, 2, "pro", 2 * MINUTE),
    ],
    restores: [{ at: MINUTE / 2, loses: MINUTE / 2 }],
    crashes: [{ process: 1, gate: 18 }],
    travels: LATE,
  },
  "a subscription of the dashboard, and a mirror that is still empty": {
    ...calm,
    callers: [caller(MINUTE, 0, "basic", MINUTE)],
    isFilled: false,
    dashboard: [{ at: 0, order: "basic", ends: null }],
    deliveries: [null],
  },
  "an add-on whose product the mirror lacks does not stand in the way of a plan": {
    ...calm,
    callers: [caller(MINUTE, 0, "basic", MINUTE)],
    isFilled: false,
    dashboard: [{ at: 0, order: "addon", ends: null }],
  },
  "a process that outlives its store's memory of the customer": {
    ...calm,
    callers: [caller(0, 0, "pro", 6_000), caller(32 * HOUR, 0, "basic", MINUTE)],
    isFilled: false,
    hasCustomer: false,
    catchUps: [14 * HOUR, 28 * HOUR],
    restores: [{ at: 4 * HOUR, loses: 5 * HOUR }],
    deliveries: [17_000],
  },
};

/**
 * A card is declined; two minutes later two callers come, of whom the first wants another plan, so the
 * invoice of that first payment is voided while the second is at work.
 */
export const declined = (second: number): History => ({
  ...calm,
  callers: [
    {
      ...caller(0, 0, "basic"),
      payments: [{ after: MINUTE, card: "declined", ends: null }],
    },
    caller(2 * MINUTE, 1, "seats"),
    caller(2 * MINUTE + second, 0, "basic"),
  ],
  travels: [300],
});

/**
 * Two tabs of one process, of different plans; somebody makes a subscription in the dashboard when both
 * have begun, and its event is delivered while the second waits for the first.
 */
export const waited: History = {
  ...calm,
  callers: [caller(MINUTE, 0, "basic"), caller(MINUTE + 10, 0, "pro", MINUTE)],
  dashboard: [{ at: MINUTE + 300, order: "basic", ends: null }],
  deliveries: [5],
};
