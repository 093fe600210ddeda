/**
 * The tables on Convex, derived from the resource table: what an application spreads into its
 * schema, with the specification's names, fields and indexes, typed as Stripe types them.
 */
import { defineTable, type TableDefinition } from "convex/server";
import {
  type GenericId,
  type VAny,
  type VFloat64,
  type VNull,
  type VObject,
  type VString,
  type VUnion,
  v,
} from "convex/values";
import {
  columnsOf,
  type DefaultResource,
  defaultResources,
  namesOf,
  type ResourceChoice,
  type ResourceName,
  type Resources,
  type Row,
} from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import { CREATED, orderedIndex } from "./ordered.js";
import { usageTables } from "./usage.js";

type Text<T> = null extends T ? VUnion<string | null, [VString, VNull]> : VString;

/** The fields of a row but its document id, which is Convex's own. */
type Fields<N extends ResourceName> = Omit<Row<N>, "_id">;

/**
 * The rows of the mirrored tables by their resource, as the reads answer them: documents of the
 * application's own tables, so that `_id` fits `ctx.db.get` and its `Doc` fits a row.
 *
 * @example
 * ```ts
 * import type { Documents } from "backend-billing/convex";
 *
 * const label = (row: Documents["customers"]): string => `${row._id}: ${row.customerId}`;
 * ```
 */
export type Documents = {
  [N in ResourceName]: Fields<N> & {
    _id: GenericId<Resources[N]["table"]>;
    _creationTime: number;
  };
};

type Validators<N extends ResourceName> = {
  [K in keyof Fields<N>]: K extends "stripe"
    ? VAny<Fields<N>[K]>
    : K extends "last_synced_at"
      ? VFloat64
      : Text<Fields<N>[K]>;
};

type Indexes<N extends ResourceName> = {
  -readonly [I in keyof Resources[N]["indexes"]]: [
    Resources[N]["indexes"][I] & string,
    "_creationTime",
  ];
};

/** The table of one resource. */
export type MirrorTable<N extends ResourceName> = TableDefinition<
  VObject<{ [K in keyof Fields<N>]: Fields<N>[K] }, Validators<N>>,
  Indexes<N>
>;

export type MirrorTables<N extends ResourceName> = {
  [M in N as Resources[M]["table"]]: MirrorTable<M>;
};

const text = v.string();
const maybeText = v.union(v.string(), v.null());
const maybeNumber = v.union(v.number(), v.null());

/**
 * What the library keeps beside the mirror. Only the `store` mutation reads and writes it, and what
 * mutations of the application do with usage and seats.
 */
export const bookkeeping = {
  /** What is known of each object beside its content, and when Stripe is to be asked about it. */
  backend_billing_versions: defineTable({
    resource: text,
    objectId: text,
    revision: v.number(),
    state: v.union(
      v.literal("live"),
      v.literal("deleted"),
      v.literal("missing"),
      v.literal("unknown"),
    ),
    lo: v.number(),
    hi: v.number(),
    stale: v.boolean(),
    first: v.boolean(),
    askAt: maybeNumber,
  })
    .index("byObject", ["resource", "objectId"])
    .index("byAskAt", ["askAt"]),
  /** Events that were handled. */
  backend_billing_receipts: defineTable({
    eventId: text,
    type: text,
    created: v.number(),
    objectId: maybeText,
    receivedAt: v.number(),
  })
    .index("byEventId", ["eventId"])
    .index("byReceivedAt", ["receivedAt"]),
  /** Claims, runs, partitions, refreshes and settings. */
  backend_billing_records: defineTable({
    kind: text,
    recordId: text,
    revision: v.number(),
    ref: maybeText,
    due: maybeNumber,
    data: v.any(),
  })
    .index("byRecordId", ["kind", "recordId"])
    .index("byRef", ["kind", "ref", "recordId"])
    .index("byDue", ["kind", "due"]),
  ...usageTables,
};

/** The type of {@link billingTables}. */
export type BillingTables<N extends ResourceName = DefaultResource> = MirrorTables<N> &
  typeof bookkeeping;

/**
 * The tables for the resources that you name, or for `"all"`. Give the same choice to the creator as
 * `resources`.
 *
 * @example
 * ```ts
 * import { createTables } from "backend-billing/convex";
 * import { defineSchema } from "convex/server";
 *
 * export default defineSchema({
 *   ...createTables(["products", "prices", "customers", "subscriptions"]),
 * });
 * ```
 */
export function createTables<const N extends ResourceName = ResourceName>(
  choice: ResourceChoice<N>,
): BillingTables<N> {
  const mirror = Object.fromEntries(
    namesOf(choice).map((name) => [resources[name].table, tableOf(name)]),
  );
  return { ...(mirror as unknown as MirrorTables<N>), ...bookkeeping };
}

function tableOf(name: ResourceName): TableDefinition {
  const entry = resources[name];
  const columns = columnsOf(name).map(({ field, nullable }) => [
    field,
    nullable ? maybeText : text,
  ]);
  const table: TableDefinition = defineTable({
    [entry.idField]: "emptyRowPer" in entry ? maybeText : text,
    ...Object.fromEntries(columns),
    // mutant "the field `stripe` may be missing on Convex": v.any() -> v.optional(v.any())
    stripe: v.any(),
    last_synced_at: v.number(),
  });
  for (const [index, path] of Object.entries<string>(entry.indexes)) {
    table.index(index, [path]);
    const ordered = orderedIndex(name, index);
    if (ordered !== undefined) table.index(ordered, [path, CREATED]);
  }
  return table;
}

/**
 * The library's tables for what is mirrored by default, to be spread into the application's schema.
 *
 * @example
 * ```ts
 * import { billingTables } from "backend-billing/convex";
 * import { defineSchema, defineTable } from "convex/server";
 * import { v } from "convex/values";
 *
 * export default defineSchema({
 *   ...billingTables,
 *   users: defineTable({ name: v.string() }),
 * });
 * ```
 */
export const billingTables: BillingTables = createTables(defaultResources);
