/** Puts what is old of usage into sums of days. Each is one statement; many may run at once. */
import { DAY } from "../../../core/usage/outbox/minutes.js";
import type { Names } from "../../store/names.js";

/** `$1` and `$2`: before when, and how many rows at most. All of them answer `count`. */
export const foldOld = (names: Names): readonly string[] => [
  foldRecords(names),
  foldGrants(names),
  dropHolds(names),
];

/** What is not sent yet stays, and so does what is in a batch that is under way or reported. */
const foldRecords = ({ usage, records }: Names): string =>
  `WITH old AS (
     SELECT entity_id, feature, key FROM ${usage.records} r
     WHERE at < $1::bigint AND (NOT billed OR batch IS NOT NULL)
       AND NOT EXISTS (SELECT FROM ${records} b WHERE b.kind = 'batch' AND b.id = r.batch)
     ORDER BY at LIMIT $2::bigint FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM ${usage.records} r USING old
     WHERE (r.entity_id, r.feature, r.key) = (old.entity_id, old.feature, old.key)
     RETURNING r.entity_id, r.feature, r.at / ${DAY} * ${DAY} AS day, r.amount, r.over, r.billed
   ), summed AS (
     ${addDays(usage.days, "sum(amount)", "sum(over)", "coalesce(sum(over) FILTER (WHERE billed), 0)", "0")}
   )
   SELECT count(*) FROM gone`;

/** Those of plans alone: what was given or bought is given once for its key, however long ago. */
const foldGrants = ({ usage }: Names): string =>
  `WITH old AS (
     SELECT entity_id, feature, key FROM ${usage.grants}
     WHERE expires_at < $1::bigint AND closed AND source = 'plan'
     ORDER BY expires_at LIMIT $2::bigint FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM ${usage.grants} g USING old
     WHERE (g.entity_id, g.feature, g.key) = (old.entity_id, old.feature, old.key)
     RETURNING g.entity_id, g.feature, g.expires_at / ${DAY} * ${DAY} AS day, g.used
   ), summed AS (
     ${addDays(usage.days, "0", "0", "0", "sum(used)")}
   )
   SELECT count(*) FROM gone`;

const dropHolds = ({ usage }: Names): string =>
  `WITH old AS (
     SELECT entity_id, feature, key FROM ${usage.holds}
     WHERE expires_at < $1::bigint AND state <> 'held'
     ORDER BY expires_at LIMIT $2::bigint FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM ${usage.holds} h USING old
     WHERE (h.entity_id, h.feature, h.key) = (old.entity_id, old.feature, old.key) RETURNING 1
   )
   SELECT count(*) FROM gone`;

/** In the order of the key, so that two that add to the same days wait for each other in one order. */
const addDays = (
  days: string,
  ...[amount, over, billed, booked]: [string, string, string, string]
): string =>
  `INSERT INTO ${days} AS d (entity_id, feature, day, amount, over, billed, booked)
     SELECT entity_id, feature, day, ${amount}, ${over}, ${billed}, ${booked} FROM gone
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (entity_id, feature, day) DO UPDATE SET amount = d.amount + EXCLUDED.amount,
       over = d.over + EXCLUDED.over, billed = d.billed + EXCLUDED.billed,
       booked = d.booked + EXCLUDED.booked`;
