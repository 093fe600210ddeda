/** What is written when a person settles a batch that was reported. */
import type { Names } from "../../store/names.js";

/**
 * `$1` to `$4`: id and revision of the batch, entity and feature. `$5` to `$7`: id, due and data of the
 * one in its place; all of them null where there is none. `$8`: whether Stripe bills its usage.
 */
export const settleBatch = ({ records, usage }: Names): string =>
  `WITH gone AS (
     DELETE FROM ${records} WHERE kind = 'batch' AND id = $1 AND revision = $2::bigint RETURNING ref
   ), made AS (
     INSERT INTO ${records} (kind, id, revision, ref, due, data)
     SELECT 'batch', $5::text, 1, ref, $6::bigint, $7::text::jsonb FROM gone WHERE $5::text IS NOT NULL
   ), moved AS (
     UPDATE ${usage.records} SET batch = coalesce($5::text, batch), billed = $8::boolean FROM gone
     WHERE entity_id = $3 AND feature = $4 AND billed AND batch IS NOT NULL AND batch = $1
   )
   SELECT count(*) FROM gone`;
