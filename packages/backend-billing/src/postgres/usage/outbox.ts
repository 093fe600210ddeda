/** The records that are sent to Stripe, on PostgreSQL: found, and gathered into batches. */
import type { StoredRecord } from "../../core/mirror/store.js";
import type { Outbox } from "../../core/runtime/records/batches.js";
import type { OutboxStore } from "../../core/runtime/records/outbox.js";
import { records } from "../../core/runtime/records/records.js";
import { gathered, type OutboxFound, type Unsent } from "../../core/usage/outbox/batch.js";
import { MINUTE } from "../../core/usage/outbox/minutes.js";
import type { Subscription } from "../../core/usage/outbox/period.js";
import { placeKey } from "../../core/usage/outbox/place.js";
import { type PoolLike, transaction } from "../database.js";
import { schemaOf } from "../schema/schema.js";
import { checkAtFirstUse } from "../store/first-use.js";
import { type Names, namesIn } from "../store/names.js";
import { beginOn, sharedPool } from "../store/share.js";
import { forgetUsage } from "./write/forget.js";
import { keepBatch, lockOutbox } from "./write/outbox.js";

/** Records of one batch, and subscriptions that are looked at. */
const MOST = 10_000;
const SUBSCRIPTIONS = 50;

interface RawFound {
  readonly customer: string | null;
  readonly subscriptions: readonly Subscription[] | null;
  readonly unsent: readonly Unsent[] | null;
  readonly open: boolean;
}

export function outboxOn(pool: PoolLike, tables: { readonly schema?: string }): OutboxStore {
  const names = namesIn(schemaOf(tables));
  const shared = sharedPool(pool);
  const firstUse = checkAtFirstUse({ pool, ...tables });
  const [find, read] = [selectUnsent(names), selectFound(names)];
  const [lock, keep] = [lockOutbox(names), keepBatch(names)];
  return {
    unsent: async (features, now, limit, after) => {
      const check = firstUse();
      if (check !== undefined) await check;
      const from = [after?.entityId ?? "", after?.feature ?? ""];
      const { rows } = await shared.query(find, [JSON.stringify(features), now, limit, ...from]);
      return rows as { entityId: string; feature: string }[];
    },
    gather: (gathering) =>
      transaction(
        shared,
        async (connection) => {
          const { entityId, feature, id, due } = gathering;
          const ref = placeKey(gathering);
          const own = records.outbox(ref);
          const locked = await connection.query(lock, [own.kind, own.id]);
          const { rows } = await connection.query(read, [entityId, feature, ref]);
          const next = gathered(foundIn(locked.rows, rows), gathering);
          if (next === undefined) return undefined;
          const { outbox, batch, keys } = next;
          const [key, data] = [[own.kind, own.id, JSON.stringify(outbox)], JSON.stringify(batch)];
          const made = batch && [id, ref, due, data, entityId, feature, JSON.stringify(keys)];
          await connection.query(keep, [...key, ...(made ?? Array(7).fill(null))]);
          return (
            batch &&
            ({ kind: "batch", id, revision: 1, ref, due, data: { ...batch } } as StoredRecord)
          );
        },
        beginOn(pool),
      ),
    isLeft: async ({ entityId, feature }) => {
      const values = [entityId, feature, placeKey({ entityId, feature })];
      const { rows } = await shared.query(selectLeft(names), values);
      return (rows as { left: boolean }[])[0]?.left === true;
    },
    forget: async (entityId) => {
      for (const text of forgetUsage(names)) await shared.query(text, [entityId]);
    },
  };
}

/** `$1` to `$3`: entity, feature, and what batches of them point at. */
const selectLeft = ({ usage, records }: Names): string =>
  `SELECT EXISTS (SELECT FROM ${usage.records}
     WHERE entity_id = $1 AND feature = $2 AND billed AND batch IS NULL)
   OR EXISTS (SELECT FROM ${records} WHERE kind = 'batch' AND ref = $3 AND due IS NOT NULL) AS left`;

function foundIn(locked: readonly unknown[], read: readonly unknown[]): OutboxFound {
  const [{ data: outbox }] = locked as [{ data: Partial<Outbox> }];
  const [{ customer, subscriptions, unsent, open }] = read as [RawFound];
  return {
    customerId: customer ?? undefined,
    subscriptions: subscriptions ?? [],
    isOpen: open,
    outbox: { nextAt: 0, used: {}, ...outbox },
    unsent: (unsent ?? []).slice(0, MOST),
    hasMore: (unsent ?? []).length > MOST,
  };
}

/**
 * `$1` to `$5`: features as JSON, now, how many, and after which place. The index of the unsent is walked place by
 * place, and what is looked up for one of them is by an index too, however many there are.
 */
const selectUnsent = (names: Names): string =>
  `WITH RECURSIVE places AS (
     (${firstPlace(names, "($4::text, $5::text)")})
     UNION ALL
     SELECT n.entity_id, n.feature FROM places p, LATERAL (
       ${firstPlace(names, "(p.entity_id, p.feature)")}) AS n
   )
   SELECT p.entity_id AS "entityId", p.feature FROM places p
   CROSS JOIN LATERAL (SELECT FROM ${names.table("customers")} c
     WHERE c.entity_id = p.entity_id LIMIT 1) AS c
   LEFT JOIN LATERAL (SELECT true AS found FROM ${names.records} b WHERE b.kind = 'batch'
     AND b.ref = p.feature || ' ' || p.entity_id AND b.due IS NOT NULL LIMIT 1) AS b ON true
   LEFT JOIN LATERAL (SELECT (o.data ->> 'nextAt')::bigint AS at FROM ${names.records} o
     WHERE o.kind = 'setting' AND o.id = 'outbox ' || p.feature || ' ' || p.entity_id LIMIT 1)
     AS next ON true
   WHERE p.feature IN (SELECT json_array_elements_text($1::text::json)) AND b.found IS NULL
     AND (next.at IS NULL OR next.at NOT BETWEEN $2::bigint + 1 AND $2::bigint + ${MINUTE})
   LIMIT $3::bigint`;

const firstPlace = ({ usage }: Names, after: string): string =>
  `SELECT entity_id, feature FROM ${usage.records}
   WHERE billed AND batch IS NULL AND (entity_id, feature) > ${after}
   ORDER BY entity_id, feature LIMIT 1`;

/** `$1` to `$3`: entity, feature, and what batches of them point at. The outbox is locked by then. */
const selectFound = ({ usage, ...names }: Names): string =>
  `SELECT c.customer_id AS customer,
     (SELECT json_agg(s.stripe) FROM (SELECT t.stripe FROM ${names.table("subscriptions")} t
        WHERE t.customer_id = c.customer_id
        ORDER BY (t.stripe ->> 'created')::bigint DESC LIMIT ${SUBSCRIPTIONS}) AS s) AS subscriptions,
     (SELECT json_agg(r) FROM (SELECT key, over, at FROM ${usage.records}
        WHERE entity_id = $1 AND feature = $2 AND billed AND batch IS NULL
        ORDER BY at LIMIT ${MOST + 1}) AS r) AS unsent,
     EXISTS (SELECT FROM ${names.records} WHERE kind = 'batch' AND ref = $3 AND due IS NOT NULL) AS open
   FROM (SELECT) AS one
   LEFT JOIN ${names.table("customers")} c ON c.entity_id = $1
   LIMIT 1`;
