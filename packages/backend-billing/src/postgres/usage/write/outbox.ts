/** What is written when records are gathered into a batch. */
import type { Names } from "../../store/names.js";

/** `$1` and `$2`: kind and id. The row is made if it is missing, and locked in any case. */
export const lockOutbox = ({ records }: Pick<Names, "records">): string =>
  `INSERT INTO ${records} AS o (kind, id, revision, ref, due, data)
   VALUES ($1, $2, 1, NULL, NULL, '{}')
   ON CONFLICT (kind, id) DO UPDATE SET revision = o.revision + 1 RETURNING o.data`;

/**
 * `$1` to `$3`: the kind, id and data of the outbox. `$4` to `$10`: id, ref, due and data of the batch,
 * and entity, feature and keys of its records; all of them null where there is no batch.
 */
export const keepBatch = ({ records, usage }: Names): string =>
  `WITH o AS (
     UPDATE ${records} SET data = $3::text::jsonb WHERE kind = $1 AND id = $2
   ), b AS (
     INSERT INTO ${records} (kind, id, revision, ref, due, data)
     SELECT 'batch', $4::text, 1, $5::text, $6::bigint, $7::text::jsonb WHERE $4::text IS NOT NULL
   )
   UPDATE ${usage.records} SET batch = $4::text
   WHERE entity_id = $8::text AND feature = $9::text AND billed AND batch IS NULL
     AND key IN (SELECT json_array_elements_text($10::text::json))`;
