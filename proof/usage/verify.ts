/** Whether ledger, balances and records agree to the unit, by SQL alone: it uses nothing of the library. */
import type pg from "pg";

const SCHEMA = "billing.backend_billing_usage";

/** What is wrong, one text each. */
export async function verify(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ problem: string }>(`
    WITH places AS (
      SELECT b.*, coalesce(g.live, 0) AS live, coalesce(g.live_used, 0) AS live_used,
        coalesce(g.live_held, 0) AS live_held, coalesce(g.all_used, 0) + coalesce(d.booked, 0) AS all_used,
        coalesce(g.all_held, 0) AS all_held, coalesce(r.amount, 0) + coalesce(d.amount, 0) AS recorded,
        coalesce(r.over, 0) + coalesce(d.over, 0) AS beyond, coalesce(h.parts, 0) AS held_parts, coalesce(h.over, 0) AS held_over
      FROM ${SCHEMA}_balances b
      LEFT JOIN (SELECT entity_id, feature, sum(amount) FILTER (WHERE live) AS live,
          sum(used) FILTER (WHERE live) AS live_used, sum(held) FILTER (WHERE live) AS live_held,
          sum(used) AS all_used, sum(held) AS all_held
        FROM ${SCHEMA}_grants GROUP BY 1, 2) g USING (entity_id, feature)
      LEFT JOIN (SELECT entity_id, feature, sum(amount) AS amount, sum(over) AS over
        FROM ${SCHEMA}_records GROUP BY 1, 2) r USING (entity_id, feature)
      LEFT JOIN (SELECT entity_id, feature, sum(amount) AS amount, sum(over) AS over,
          sum(booked) AS booked FROM ${SCHEMA}_days GROUP BY 1, 2) d USING (entity_id, feature)
      LEFT JOIN (SELECT entity_id, feature, sum(over) AS over,
          sum((SELECT sum((p ->> 'amount')::bigint) FROM jsonb_array_elements(parts) p)) AS parts
        FROM ${SCHEMA}_holds WHERE state = 'held' GROUP BY 1, 2) h USING (entity_id, feature)
    )
    SELECT entity_id || ' ' || feature || ': ' || what AS problem FROM places, LATERAL (VALUES
      (granted <> live, 'granted ' || granted || ', and its grants have ' || live),
      (held <> live_held, 'held ' || held || ', and its grants have ' || live_held),
      (used < live_used, 'less is used than its grants have'),
      (used + held > granted, 'below zero'),
      (recorded <> all_used + (used - live_used) + beyond,
        'recorded ' || recorded || ', booked ' || all_used || ' + ' || (used - live_used) || ' + ' || beyond),
      (all_held <> held_parts, 'grants hold ' || all_held || ', and reservations ' || held_parts),
      (over_held <> held_over, 'held beyond ' || over_held || ', and reservations ' || held_over)
    ) AS checks(is_wrong, what) WHERE is_wrong
    UNION ALL
    SELECT entity_id || ' ' || feature || ' ' || key || ': a grant of ' || amount || ' has ' || used || ' + ' || held
    FROM ${SCHEMA}_grants WHERE used + held > amount OR used < 0 OR held < 0
    UNION ALL
    SELECT entity || ' ' || feature || ' ' || key || ': done, and not counted' FROM effects e
    WHERE NOT EXISTS (SELECT FROM ${SCHEMA}_records r
      WHERE r.entity_id = e.entity AND r.feature = e.feature AND r.key = e.key)`);
  return rows.map(({ problem }) => problem);
}

/** The records by their keys, which are unique in a run. */
export async function recordsIn(
  pool: pg.Pool,
): Promise<ReadonlyMap<string, { readonly amount: number; readonly effect: boolean }>> {
  const { rows } = await pool.query<{ key: string; amount: string; effect: boolean }>(
    `SELECT r.key, r.amount, e.key IS NOT NULL AS effect FROM ${SCHEMA}_records r
     LEFT JOIN effects e ON e.entity = r.entity_id AND e.feature = r.feature AND e.key = r.key`,
  );
  return new Map(rows.map(({ key, amount, effect }) => [key, { amount: Number(amount), effect }]));
}
