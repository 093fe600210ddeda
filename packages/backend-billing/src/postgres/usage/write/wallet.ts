/** What is written of a wallet. It has not even the names of other tables. */
import type { UsageNames } from "../../store/names.js";

export const GRANT_COLUMNS =
  "key, source, original, amount, used, held, created_at, expires_at, live, closed";
export const HOLD_COLUMNS = "key, amount, over, parts, state, expires_at";

/** The row is made if it is missing, and locked in any case. */
export const lockBalance = ({ balances }: UsageNames): string =>
  `INSERT INTO ${balances} AS b (entity_id, feature, granted, used, held, over_used,
     over_held, over_most, over_for, billed, valid_until, basis)
   VALUES ($1, $2, 0, 0, 0, 0, 0, 0, '', false, 0, '')
   ON CONFLICT (entity_id, feature) DO UPDATE SET feature = EXCLUDED.feature RETURNING b.*`;

/** `$3` to `$6`: the balance, and lists of grants, holds and records, as JSON. */
export const writeWallet = ({ balances, grants, holds, records }: UsageNames): string => {
  const set = (columns: string) =>
    columns
      .split(", ")
      .slice(1)
      .map((column) => `${column} = EXCLUDED.${column}`)
      .join(", ");
  return `WITH g AS (
    INSERT INTO ${grants} (entity_id, feature, ${GRANT_COLUMNS})
    SELECT $1, $2, ${GRANT_COLUMNS} FROM json_to_recordset($4::text::json) AS x(key text, source text,
      original bigint, amount bigint, used bigint, held bigint, created_at bigint, expires_at bigint,
      live boolean, closed boolean)
    ON CONFLICT (entity_id, feature, key) DO UPDATE SET ${set(GRANT_COLUMNS)}
  ), h AS (
    INSERT INTO ${holds} (entity_id, feature, ${HOLD_COLUMNS})
    SELECT $1, $2, ${HOLD_COLUMNS} FROM json_to_recordset($5::text::json) AS x(key text,
      amount bigint, over bigint, parts jsonb, state text, expires_at bigint)
    ON CONFLICT (entity_id, feature, key) DO UPDATE SET ${set(HOLD_COLUMNS)}
  ), r AS (
    INSERT INTO ${records} (entity_id, feature, key, amount, over, billed, at)
    SELECT $1, $2, key, amount, over, billed, at FROM json_to_recordset($6::text::json)
      AS x(key text, amount bigint, over bigint, billed boolean, at bigint)
  )
  UPDATE ${balances} b SET granted = x.granted, used = x.used, held = x.held, over_used = x.over,
    over_held = x."heldOver", over_most = x.most, over_for = x."window", billed = x.billed,
    valid_until = x."validUntil", basis = x.basis
  FROM json_to_record($3::text::json) AS x(granted bigint, used bigint, held bigint, over bigint,
    "heldOver" bigint, most bigint, "window" text, billed boolean, "validUntil" bigint, basis text)
  WHERE b.entity_id = $1 AND b.feature = $2`;
};
