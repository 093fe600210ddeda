/**
 * Takes an amount in one statement: the balance is locked, the record inserted, and the sums raised.
 * It does the sums of `splitOf` in the core's take.ts. Where the stored sums may be out of date it
 * does nothing, and all is read and decided anew.
 */
import type { QuickUse } from "../../../core/usage/store.js";
import type { UsageNames } from "../../store/names.js";

/** `$1` to `$7`: entity, feature, key, amount, now, whether there is a limit, and the catalogue's terms. */
export const quickValues = (use: QuickUse): unknown[] => [
  use.entityId,
  use.feature,
  use.key,
  use.amount,
  use.now,
  use.isLimited,
  use.terms,
];

export interface RawQuick {
  /** What is left after the taking; null if nothing was taken. */
  readonly after: string | null;
  /** What was left before; null if the sums are not valid. */
  readonly before: string | null;
  readonly known: boolean;
}

/** `basis` selects what stands for the subscriptions of the entity. */
export function takeQuickly({ balances, records }: UsageNames, basis: string): string {
  return `WITH b AS MATERIALIZED (
    SELECT granted - used - held AS remaining, billed, over_used + over_held AS over, over_most,
      least($4::bigint, granted - used - held) AS covered
    FROM ${balances}
    WHERE entity_id = $1 AND feature = $2 AND valid_until > $5::bigint
      AND basis = $7::text || ' ' || (${basis})
    FOR NO KEY UPDATE
  ), r AS (
    INSERT INTO ${records} (entity_id, feature, key, amount, over, billed, at)
    SELECT $1, $2, $3, $4::bigint, $4::bigint - covered, billed AND $4::bigint > covered, $5::bigint
    FROM b WHERE ${fits}
    ON CONFLICT DO NOTHING RETURNING over
  ), u AS (
    UPDATE ${balances} t SET used = t.used + $4::bigint - r.over, over_used = t.over_used + r.over
    FROM r WHERE t.entity_id = $1 AND t.feature = $2
    RETURNING t.granted - t.used - t.held AS remaining
  )
  SELECT (SELECT remaining FROM u) AS after, (SELECT remaining FROM b) AS before,
    -- What fits and was not inserted is there: its transaction may have committed a moment ago.
    EXISTS (SELECT FROM b WHERE ${fits}) OR EXISTS (SELECT FROM ${records}
      WHERE entity_id = $1 AND feature = $2 AND key = $3) AS known`;
}

const fits =
  "($4::bigint = covered OR NOT $6::boolean OR over + $4::bigint - covered <= over_most)";

/** What is left of the balance, or undefined if all has to be looked at. */
export function quickFrom({ after, before, known }: RawQuick): number | undefined {
  if (after !== null) return Number(after);
  return known && before !== null ? Number(before) : undefined;
}
