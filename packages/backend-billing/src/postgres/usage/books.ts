/** Usage that was counted, on PostgreSQL: what was sent of it, by the day, and sums of what is old. */
import type { BilledPlace, SentDay, UsageBooks } from "../../core/runtime/records/books.js";
import { DAY } from "../../core/usage/outbox/minutes.js";
import type { PoolLike } from "../database.js";
import { schemaOf } from "../schema/schema.js";
import { checkAtFirstUse } from "../store/first-use.js";
import { type Names, namesIn } from "../store/names.js";
import { sharedPool } from "../store/share.js";
import { foldOld } from "./write/fold.js";
import { settleBatch } from "./write/settle.js";

interface RawDay {
  readonly day: string;
  readonly units: string;
  readonly open: boolean;
}

export function booksOn(pool: PoolLike, tables: { readonly schema?: string }): UsageBooks {
  const names = namesIn(schemaOf(tables));
  const shared = sharedPool(pool);
  const firstUse = checkAtFirstUse({ pool, ...tables });
  const [billed, sent, fold] = [selectBilled(names), selectSent(names), foldOld(names)];
  const select = async <T>(text: string, values: unknown[]): Promise<T[]> => {
    const check = firstUse();
    if (check !== undefined) await check;
    return (await shared.query(text, values)).rows as T[];
  };
  return {
    billed: (features, since, after, limit) => {
      const { entityId = "", feature = "" } = after ?? {};
      return select<BilledPlace>(billed, [
        JSON.stringify(features),
        since,
        entityId,
        feature,
        limit,
      ]);
    },
    sent: async ({ entityId, feature }, from, until) => {
      const rows = await select<RawDay>(sent, [entityId, feature, from, until]);
      return rows.map(
        ({ day, units, open }): SentDay => ({
          day: Number(day),
          units: Number(units),
          isOpen: open,
        }),
      );
    },
    fold: async (before, limit) => {
      let most = 0;
      for (const text of fold) {
        const [found] = await select<{ count: string }>(text, [before, limit]);
        most = Math.max(most, Number(found?.count ?? 0));
      }
      return most;
    },
    unsent: async ({ entityId, feature }) => {
      const [found] = await select<{ records: string; units: string; since: string | null }>(
        selectUnsent(names),
        [entityId, feature],
      );
      const { records = 0, units = 0, since = null } = found ?? {};
      return {
        records: Number(records),
        units: Number(units),
        since: since === null ? null : Number(since),
      };
    },
    settle: async ({ id, revision, data }, next, isBilled) => {
      const place = [data.entityId, data.feature];
      const made =
        next === null ? [null, null, null] : [next.id, next.due, JSON.stringify(next.data)];
      const values = [id, revision, ...place, ...made, isBilled];
      const [found] = await select<{ count: string }>(settleBatch(names), values);
      return Number(found?.count) === 1;
    },
  };
}

const selectUnsent = ({ usage }: Names): string =>
  `SELECT count(*) AS records, coalesce(sum(over), 0) AS units, min(at) AS since FROM ${usage.records}
   WHERE entity_id = $1 AND feature = $2 AND billed AND batch IS NULL`;

/** `$1` to `$5`: features as JSON, since when, the place before, and how many. */
const selectBilled = ({ usage, ...names }: Names): string =>
  `SELECT b.entity_id AS "entityId", b.feature, c.customer_id AS "customerId"
   FROM ${usage.balances} b
   CROSS JOIN LATERAL (SELECT customer_id FROM ${names.table("customers")}
     WHERE entity_id = b.entity_id LIMIT 1) AS c
   WHERE (b.entity_id, b.feature) > ($3, $4)
     AND b.feature IN (SELECT json_array_elements_text($1::text::json))
     AND (b.billed OR EXISTS (SELECT FROM ${usage.records} r WHERE r.entity_id = b.entity_id
       AND r.feature = b.feature AND r.billed AND r.batch IS NOT NULL AND r.at >= $2::bigint))
   ORDER BY b.entity_id, b.feature LIMIT $5::bigint`;

/** `$1` to `$4`: entity, feature, from and until. A batch that is kept is under way, or reported. */
const selectSent = ({ usage, records }: Names): string =>
  `SELECT at / ${DAY} * ${DAY} AS day, sum(sent) AS units, bool_or(open) AS open FROM (
     SELECT r.at, CASE WHEN b.id IS NULL OR b.data ->> 'problem' = 'late' THEN r.over ELSE 0 END AS sent,
       b.id IS NOT NULL AND coalesce(b.data ->> 'problem', 'unclear') = 'unclear' AS open
     FROM ${usage.records} r LEFT JOIN ${records} b ON b.kind = 'batch' AND b.id = r.batch
     WHERE r.entity_id = $1 AND r.feature = $2 AND r.billed AND r.batch IS NOT NULL
       AND r.at >= $3::bigint AND r.at < $4::bigint
     UNION ALL
     SELECT at, 0, true FROM ${usage.records}
     WHERE entity_id = $1 AND feature = $2 AND billed AND batch IS NULL
       AND at >= $3::bigint AND at < $4::bigint
   ) AS each GROUP BY 1`;
