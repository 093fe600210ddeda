/**
 * What the `store` mutation can be asked to do, and what it answers, as validators: one operation is
 * one transaction. Contents travel as they are stored, encoded and fitted.
 */
import { type Infer, v } from "convex/values";

const literals = <const T extends readonly [string, string, ...string[]]>(...values: T) =>
  v.union(...values.map((value) => v.literal(value as T[number])));

const text = v.string();
const maybeText = v.union(v.string(), v.null());
const maybeNumber = v.union(v.number(), v.null());

const kind = literals(
  "access",
  "aside",
  "batch",
  "change",
  "claim",
  "credits",
  "erased",
  "guard",
  "lapse",
  "notice",
  "partition",
  "purchase",
  "refresh",
  "run",
  "seats",
  "setting",
  "share",
  "watermark",
);

const snapshot = v.object({
  resource: text,
  id: text,
  origin: literals("event", "page", "answer"),
  kind: literals("created", "changed", "deleted", "missing"),
  usable: v.boolean(),
  lo: v.number(),
  hi: v.number(),
  askedAt: v.optional(v.number()),
  content: v.any(),
  owner: v.optional(text),
});

const unit = v.object({
  receipt: v.optional(
    v.object({ eventId: text, type: text, created: v.number(), objectId: maybeText }),
  ),
  snapshots: v.optional(v.array(snapshot)),
  requests: v.optional(
    v.array(v.object({ kind, id: text, due: v.number(), data: v.any(), ref: v.optional(text) })),
  ),
});

const recordWrite = v.object({
  kind,
  id: text,
  expect: v.number(),
  revision: v.optional(v.number()),
  next: v.union(v.object({ ref: maybeText, due: maybeNumber, data: v.any() }), v.null()),
});

const batch = v.object({
  source: literals("event", "page", "answer", "call", "record"),
  now: v.number(),
  draw: v.optional(text),
  shares: v.optional(v.boolean()),
  units: v.array(unit),
  records: v.optional(v.array(recordWrite)),
});

const lease = { now: v.number(), lease: v.number(), limit: v.number() };
const ask = v.object({ resource: text, id: text, revision: v.number() });
const page = { after: text, limit: v.number() };
const place = { entityId: text, feature: text };

const single = v.union(
  v.object({ type: v.literal("commit"), batch }),
  v.object({ type: v.literal("takeAsks"), ...lease }),
  v.object({ type: v.literal("postponeAsk"), ask, until: v.number() }),
  v.object({ type: v.literal("record"), kind, id: text }),
  v.object({
    type: v.literal("claimed"),
    id: text,
    beside: v.array(v.object({ kind, id: text })),
    unlinked: v.array(v.object({ kind, id: text })),
  }),
  v.object({ type: v.literal("recordsOf"), kind, ref: text, ...page }),
  v.object({ type: v.literal("records"), kind, ...page }),
  v.object({ type: v.literal("takeRecords"), kind, ...lease }),
  v.object({ type: v.literal("version"), resource: text, id: text }),
  v.object({ type: v.literal("unconfirmed"), resource: text, since: v.number(), ...page }),
  v.object({ type: v.literal("owned"), resource: text, owner: text, ...page }),
  v.object({
    type: v.literal("related"),
    resource: text,
    field: text,
    value: text,
    ...page,
  }),
  v.object({ type: v.literal("pruneReceipts"), before: v.number(), limit: v.number() }),
  v.object({ type: v.literal("row"), resource: text, id: text }),
  v.object({ type: v.literal("rows"), resource: text, ...page }),
  v.object({ type: v.literal("plans") }),
  v.object({ type: v.literal("offers"), priceIds: v.array(text) }),
  v.object({ type: v.literal("customerOf"), entityId: text }),
  v.object({ type: v.literal("subscribed"), entityId: text }),
  v.object({ type: v.literal("activeSubscriptionsOf"), entityId: text }),
  /** One stretch of the places of which usage can be gathered. */
  v.object({
    type: v.literal("unsent"),
    features: v.array(text),
    now: v.number(),
    after: v.union(v.object(place), v.null()),
    limit: v.number(),
  }),
  v.object({
    type: v.literal("gather"),
    gathering: v.object({
      ...place,
      meter: text,
      now: v.number(),
      id: text,
      due: v.number(),
      isUrgent: v.optional(v.boolean()),
    }),
  }),
  /** Whether anything of a place is unsent, or on its way. */
  v.object({ type: v.literal("isLeft"), place: v.object(place) }),
  /** Removes some of the usage of an entity; true if there may be more. */
  v.object({ type: v.literal("forget"), entityId: text }),
  /** Sets the credits of a checkout page to what is paid for. */
  v.object({ type: v.literal("credit"), sessionId: text, now: v.number() }),
  /** Gives what a subscription included until it changed. */
  v.object({
    type: v.literal("share"),
    former: v.object({ entityId: text, before: v.any(), at: v.number() }),
    now: v.number(),
  }),
  /** Has the oldest change of an object told, which counts an attempt first. */
  v.object({ type: v.literal("deliver"), ref: text }),
  /** Tells it; `again` is the job that would try again, if this transaction failed. */
  v.object({
    type: v.literal("tell"),
    id: text,
    revision: v.number(),
    pause: v.number(),
    again: text,
  }),
  /**
   * Restarts work that is overdue; schedules itself as long as anything is outstanding. `at` is the time
   * that it was scheduled for; an older version has scheduled it without.
   */
  v.object({ type: v.literal("watch"), at: v.optional(v.number()) }),
);

/** The operations, each under its type, or several in one transaction, in their order. */
export const operation = v.union(
  ...single.members,
  v.object({ type: v.literal("several"), operations: v.array(single) }),
);

const record = v.object({
  kind,
  id: text,
  revision: v.number(),
  ref: maybeText,
  due: maybeNumber,
  data: v.any(),
});

const state = literals("live", "deleted", "missing", "unknown");

const version = v.object({
  revision: v.number(),
  state,
  lo: v.number(),
  hi: v.number(),
  stale: v.boolean(),
  first: v.boolean(),
});

const outcome = v.object({
  act: literals("drop", "write", "touch", "ask", "retry", "aside"),
  revision: v.number(),
  isInDoubt: v.optional(v.boolean()),
});

/** A mirrored row: its ids and links by name, beside what every row has. */
const row = v.object({
  _id: text,
  last_synced_at: v.number(),
  stripe: v.any(),
  fields: v.record(v.string(), maybeText),
});

/** What each operation answers. */
export const results = {
  commit: v.union(
    v.object({
      committed: v.literal(true),
      units: v.array(
        v.union(
          v.object({ duplicate: v.literal(true) }),
          v.object({ duplicate: v.literal(false), outcomes: v.array(outcome) }),
        ),
      ),
    }),
    v.object({ committed: v.literal(false), conflict: v.object({ kind, id: text }) }),
  ),
  takeAsks: v.array(ask),
  postponeAsk: v.null(),
  record: v.union(record, v.null()),
  claimed: v.object({
    record: v.union(record, v.null()),
    state: v.union(state, v.null()),
    row: v.union(row, v.null()),
    beside: v.array(record),
  }),
  recordsOf: v.array(record),
  records: v.array(record),
  takeRecords: v.array(record),
  version: v.union(version, v.null()),
  /** One stretch of the table; `after` is where to go on, null at the end. */
  unconfirmed: v.object({
    found: v.array(v.object({ id: text, revision: v.number() })),
    after: maybeText,
  }),
  owned: v.array(text),
  related: v.object({ ids: v.array(text), next: maybeText }),
  pruneReceipts: v.number(),
  row: v.union(row, v.null()),
  rows: v.array(row),
  plans: v.array(v.object({ product: v.any(), prices: v.array(v.any()) })),
  offers: v.array(v.object({ price: v.any(), product: v.any() })),
  customerOf: v.union(row, v.null()),
  subscribed: v.object({
    subscriptions: v.array(v.any()),
    products: v.array(v.any()),
    invoices: v.array(v.any()),
    schedules: v.array(v.any()),
    prices: v.array(v.any()),
    lapses: v.array(record),
  }),
  activeSubscriptionsOf: v.array(row),
  /** `after` is where to go on, null at the end. */
  unsent: v.object({
    found: v.array(v.object(place)),
    after: v.union(v.object(place), v.null()),
  }),
  gather: v.union(record, v.null()),
  isLeft: v.boolean(),
  forget: v.boolean(),
  credit: literals("done", "foreign", "lines", "feature"),
  share: v.null(),
  deliver: v.null(),
  tell: v.null(),
  watch: v.null(),
};

export type Operation = Infer<typeof operation>;
export type SingleOperation = Infer<typeof single>;
export type OperationType = SingleOperation["type"];
export type OperationOf<T extends OperationType> = Extract<SingleOperation, { type: T }>;
export type ResultOf<T extends OperationType> = Infer<(typeof results)[T]>;
export type SingleResult = ResultOf<OperationType>;
export type OperationResult = SingleResult | SingleResult[];
export type WireRow = Infer<typeof row>;
export type WireRecord = Infer<typeof record>;

const anySingle = v.union(...Object.values(results));
export const anyResult = v.union(...anySingle.members, v.array(anySingle));
