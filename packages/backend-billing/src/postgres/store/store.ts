/** The store on PostgreSQL. */
import {
  namesOf,
  ownerFieldOf,
  type ResourceChoice,
  type ResourceName,
} from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import type { Version } from "../../core/mirror/rule.js";
import type { LocalReads, Offer, RecordKey, Store } from "../../core/mirror/store.js";
import { createCommitter } from "../commit/commit.js";
import { inGroups } from "../commit/group.js";
import type { PoolLike } from "../database.js";
import { surviveIdleErrors } from "../pool-errors.js";
import { schemaOf } from "../schema/schema.js";
import { snake } from "../schema/table.js";
import { pathExpression } from "../schema/tables.js";
import { checkAtFirstUse } from "./first-use.js";
import { leasesOn } from "./leases.js";
import { lookupsOn, RECORD_COLUMNS } from "./lookups.js";
import { namesIn } from "./names.js";
import { prepareOn } from "./prepared.js";
import { type Numeric, type RawRecord, type RawRow, recordFrom, rowFrom } from "./raw.js";
import { fieldsOf, localReads, selectRows } from "./reads.js";
import { beginOn, isPg, sharedPool } from "./share.js";

/** Where the tables are. */
export interface PostgresStoreOptions {
  readonly pool: PoolLike;
  /** The schema that holds the tables. Default `billing`. */
  readonly schema?: string;
  readonly resources?: ResourceChoice;
  /** Milliseconds that a transaction waits for a lock, on a pool of `pg`. Default 10,000. */
  readonly lockTimeout?: number;
  /** Called when a commit lost a race and is tried again. */
  readonly retried?: () => void;
}

/** A claim as it is read, with the columns of its customer. */
type RawClaimed = RawRow &
  (RawRecord | { readonly [field in keyof RawRecord]: null }) & {
    readonly state: Version["state"] | null;
    readonly beside: readonly RawRecord[] | null;
  };

const MEGABYTE = 1024 * 1024;

/** The store over PostgreSQL, for those who use the port without the rest. */
export function createPostgresStore(options: PostgresStoreOptions): Store & LocalReads {
  const { pool, schema } = options;
  const chosen = namesOf(options.resources);
  surviveIdleErrors(pool);
  const names = namesIn(schemaOf(options));
  const shared = sharedPool(pool);
  const prepared = prepareOn(shared, isPg(pool));
  const { commit, isQuick } = createCommitter({
    pool: shared,
    begin: beginOn(pool, options.lockTimeout),
    takesSeveral: isPg(pool),
    prepared,
    names,
    chosen,
    retried: options.retried,
  });

  const firstUse = checkAtFirstUse({ pool, schema });
  const select = async <T>(text: string, values: unknown[] = []): Promise<T[]> => {
    const check = firstUse();
    if (check !== undefined) await check;
    return (await prepared.run({ text, values })) as T[];
  };
  const rowsOf = selectRows(names);

  const inGroup = inGroups(commit, {
    isQuick,
    lanes: 2,
    most: 4,
    units: 100,
    bytes: 8 * MEGABYTE,
    heldBytes: 64 * MEGABYTE,
  });

  return {
    limits: { snapshots: 1000, bytes: 8 * MEGABYTE },
    commit: (batch) => {
      const check = firstUse();
      return check === undefined ? inGroup(batch) : check.then(() => inGroup(batch));
    },

    ...leasesOn(select, names),
    ...lookupsOn(select, names),

    claimed: async (id, beside, unlinked) => {
      const mirrored = chosen.includes("customers");
      const [found] = await select<RawClaimed>(
        `SELECT r.kind, r.id, r.revision, r.ref, r.due, r.data, v.state,
           ${mirrored ? `${fieldsOf("customers", "c")},` : ""}
           CASE WHEN r.ref IS NULL OR $2 <> '[]' THEN
             (SELECT json_agg(b) FROM json_to_recordset(
                (CASE WHEN r.ref IS NULL THEN $3 ELSE $2 END)::json) AS k(kind text, id text)
              CROSS JOIN LATERAL (SELECT ${RECORD_COLUMNS} FROM ${names.records} AS o
                WHERE o.kind = k.kind AND o.id = k.id LIMIT 1) AS b)
           END AS beside
         FROM (SELECT $1::text AS id) AS w
         LEFT JOIN ${names.records} r ON r.kind = 'claim' AND r.id = w.id
         LEFT JOIN ${names.versions} v ON v.resource = 'customers' AND v.id = r.ref
         ${mirrored ? `LEFT JOIN ${names.table("customers")} c ON c.customer_id = r.ref` : ""}`,
        [id, keysText(beside), keysText([...beside, ...unlinked])],
      );
      if (found === undefined) throw new Error("A query for one row has answered none");
      const { kind, id: _, revision, ref, due, data, state, beside: read, ...row } = found;
      return {
        record: kind === null ? undefined : recordFrom({ kind, id, revision, ref, due, data }),
        version: state === null ? undefined : { state },
        row: row._id ? rowFrom<"customers">(row as RawRow) : undefined,
        beside: (read ?? []).map(recordFrom),
      };
    },
    version: async (resource, id) => {
      const [found] = await select<Numeric<Version>>(
        `SELECT revision, state, lo, hi, first, ask_at IS NOT NULL AS stale
         FROM ${names.versions} WHERE resource = $1 AND id = $2`,
        [resource, id],
      );
      return (
        found && {
          ...found,
          revision: Number(found.revision),
          lo: Number(found.lo),
          hi: Number(found.hi),
        }
      );
    },
    unconfirmed: async (resource, since, after, limit) =>
      (
        await select<{ id: string; revision: string }>(
          `SELECT id, revision FROM ${names.versions}
           WHERE resource = $1 AND id > $3 AND hi < $2 AND state IN ('live', 'unknown')
           ORDER BY id LIMIT $4`,
          [resource, since, after, limit],
        )
      ).map(({ id, revision }) => ({ id, revision: Number(revision) })),

    owned: async (resource, owner, after, limit) => {
      const id = snake(resources[resource].idField);
      const found = await select<{ id: string }>(
        `SELECT ${id} AS id FROM ${names.table(resource)}
         WHERE ${snake(ownerFieldOf(resource) ?? "")} = $1 AND ${id} > $2 ORDER BY ${id} LIMIT $3`,
        [owner, after, limit],
      );
      return found.map((each) => each.id);
    },

    related: async (resource, field, value, after, limit) => {
      const id = snake(resources[resource].idField);
      const named = field.startsWith("stripe.") ? pathExpression(field) : snake(field);
      const found = await select<{ id: string }>(
        `SELECT ${id} AS id FROM ${names.table(resource)}
         WHERE ${named} = $1 AND ${id} > $2 ORDER BY ${id} LIMIT $3`,
        [value, after, limit],
      );
      const ids = found.map((each) => each.id);
      return { ids, next: ids.length < limit ? null : (ids.at(-1) ?? null) };
    },

    rows: async <N extends ResourceName>(resource: N, after: string, limit: number) =>
      (
        await select<RawRow>(`${rowsOf(resource)} WHERE _id > $1::uuid ORDER BY _id LIMIT $2`, [
          after || "00000000-0000-0000-0000-000000000000",
          limit,
        ])
      ).map((each) => rowFrom<N>(each)),
    offers: async (priceIds) =>
      (
        await select<{ price: Offer["price"]; product: Offer["product"] | null }>(
          `SELECT p.stripe AS price, o.stripe AS product FROM ${names.table("prices")} p
           LEFT JOIN ${names.table("products")} o ON o.product_id = p.stripe ->> 'product'
           WHERE p.price_id IN (SELECT json_array_elements_text($1::text::json))`,
          [JSON.stringify(priceIds)],
        )
      ).map(({ price, product }) => ({ price, product: product ?? undefined })),
    ...localReads(select, names, chosen, false),
  };
}

const keysText = (keys: readonly RecordKey[]): string =>
  JSON.stringify(keys.map(({ kind, id }) => ({ kind, id })));
