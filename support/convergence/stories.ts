/**
 * Small histories with names: each ends wrong as soon as one branch of the rule is turned off.
 * `npm run mutants` shows that it does; docs/consistency.md tells them in words.
 */
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { ChangePlan, EventPlan, History } from "./history.js";

/** Told at once and truly, unless it is said how. */
const told = (over: Partial<EventPlan> = {}): EventPlan => ({
  skew: 0,
  late: 0,
  form: "full",
  sent: [{ delay: 0, to: 0 }],
  ...over,
});
const after = (delay: number) => ({ sent: [{ delay, to: 0 }] });

const change = (over: Partial<ChangePlan> = {}, event: Partial<EventPlan> = {}): ChangePlan => ({
  object: 0,
  after: 0,
  ends: false,
  value: 0,
  items: 0,
  events: [told(event)],
  hint: null,
  ...over,
});

const story = (resource: ResourceName, over: Partial<History>): History => ({
  objects: [{ resource, before: "nothing" }],
  changes: [],
  strays: [],
  fillsFirst: false,
  catchesUpByRun: false,
  runs: [],
  crashes: [],
  returns: [],
  trustsHints: false,
  waits: [0],
  travels: [0],
  dateSkews: [0],
  lags: [0],
  answers: ["good"],
  stores: ["good"],
  oddities: [{ untold: false, hidden: "never", unowned: false }],
  ...over,
});

/** A call reads 0.3 s after it was sent, and its answer is there 0.6 s after that. */
const UNDER_WAY = [300];
/** Clocks that are off as far as they may be. */
const AHEAD = 1_000;
const BEHIND = -1_000;

export const stories = {
  "two changes of one second, told in the wrong order": story("products", {
    changes: [change({}, after(500)), change({ value: 1 })],
  }),
  "a creation told after the deletion": story("customers", {
    changes: [change({}, after(500)), change({ ends: true })],
  }),
  "a change told while an answer is under way": story("products", {
    changes: [change({}, { form: "other version" }), change({ after: 2_400, value: 1 })],
    travels: UNDER_WAY,
  }),
  "a deletion dated before the creation": story("coupons", {
    changes: [change({}, { skew: AHEAD }), change({ ends: true }, after(500))],
  }),
  "a list that lags behind an event": story("products", {
    changes: [change(), change({ after: 4_000, value: 1 })],
    runs: [{ at: 8_000, by: 0, kind: "backfill" }],
    lags: [5_000],
  }),
  "A, B and A again, told while the answer B is under way": story("products", {
    changes: [
      change(),
      change({ after: 100, value: 1 }),
      change({ after: 2_400, value: 0 }, { skew: BEHIND }),
    ],
    travels: UNDER_WAY,
  }),
  "A, B and A again, with B told last": story("products", {
    changes: [
      change(),
      change({ after: 2_000, value: 1 }, { skew: AHEAD, ...after(3_000) }),
      change({ after: 900, value: 0 }, { skew: BEHIND }),
    ],
  }),
  "a doubt while an answer is under way": story("products", {
    changes: [
      change(),
      change({ after: 100, value: 1 }),
      change({ after: 2_400, value: 2 }, { form: "thin" }),
    ],
    travels: UNDER_WAY,
  }),
  "a doubt while an answer is under way for longer than its lease": story("products", {
    changes: [change(), change({ value: 1 }), change({ after: 2_001, value: 2 })],
    travels: [0, 32_500, 1_000, 0],
  }),
  "a change told while somebody comes back from a checkout": story("subscriptions", {
    changes: [
      change({}, { form: "thin" }),
      change({ after: 605, value: 1 }),
      change({ after: 204, value: 0 }),
    ],
    returns: [{ at: 0, by: 0 }],
    travels: [202],
  }),
  "killed between its first commit and the answer to Stripe": story("products", {
    changes: [change()],
    crashes: [{ process: 0, gate: 5 }],
  }),
  "killed while it asks Stripe": story("products", {
    changes: [change(), change({ after: 100, value: 1 })],
    crashes: [{ process: 0, gate: 10 }],
  }),
  "an old event and a new one, handled at once": story("products", {
    changes: [change({}, after(4_500)), change({ after: 4_000, value: 1 }, after(495))],
    waits: [10],
  }),
  "a creation told after an update of its second": story("customers", {
    changes: [change({}, after(500)), change({ value: 1 })],
  }),
  "an old event of what was deleted before we knew it": story("customers", {
    objects: [{ resource: "customers", before: "made and deleted" }],
    changes: [],
    strays: [{ object: 0, event: told() }],
    fillsFirst: true,
  }),
  "a thin event, and then an older full one": story("products", {
    changes: [change({}, after(500)), change({ value: 1 }, { form: "thin" })],
  }),
  "an event of another API version": story("products", {
    changes: [change({}, { form: "other version" })],
  }),
  "a subscription with more items than are shown": story("subscriptions", {
    changes: [change({ items: 2 })],
  }),
  "a product that was deleted and made again, the deletion told last": story("products", {
    changes: [
      change(),
      change({ after: 4_000, ends: true }, after(9_000)),
      change({ after: 4_000 }),
    ],
  }),
  "a deletion told after the second creation of its second": story("coupons", {
    changes: [
      change({}, { sent: [] }),
      change({ after: 4_000, ends: true }, after(500)),
      change({ value: 1 }),
    ],
  }),
  "a subscription of which only an invoice tells": story("subscriptions", {
    changes: [change({ hint: { ...told(), names: "subscription" } }, { sent: [] })],
    trustsHints: true,
    lags: [10_000],
  }),
  "a subscription of which only a payment tells": story("subscriptions", {
    changes: [change({ hint: { ...told(), names: "customer" } }, { sent: [] })],
    trustsHints: true,
  }),
  "an invoice item that is deleted": story("invoice_items", {
    changes: [change(), change({ after: 4_000, ends: true })],
  }),
  "a charge of which only its dispute tells": story("charges", {
    changes: [
      change(),
      change({ after: 4_000, value: 1, hint: { ...told(), names: "customer" } }, { sent: [] }),
    ],
  }),
  "a payment method from before the mirror": story("payment_methods", {
    objects: [{ resource: "payment_methods", before: "made" }],
    fillsFirst: true,
  }),
  "a tax id of the account, of which nothing tells": story("tax_ids", {
    objects: [
      { resource: "tax_ids", before: "nothing" },
      { resource: "customers", before: "made" },
    ],
    changes: [change()],
    fillsFirst: true,
    oddities: [{ untold: true, hidden: "never", unowned: true }],
  }),
  "one of two that a customer's list shows is deleted while it is read": story("tax_ids", {
    objects: [
      { resource: "tax_ids", before: "made" },
      { resource: "tax_ids", before: "made" },
    ],
    changes: [change({ object: 1, after: 6_500, ends: true })],
    fillsFirst: true,
    travels: [1_000],
  }),
} as const satisfies { readonly [name: string]: History };

export type StoryName = keyof typeof stories;
