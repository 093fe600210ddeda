/** What a telling costs the database, and how soon one is repeated that went wrong. */
import type pg from "pg";
import { behaviourOf } from "./behaviour.js";

/** Settings of the server with which statements are counted. */
export const PRELOADED = {
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.track_utility": "on",
};

export async function startCounting(pool: pg.Pool): Promise<void> {
  await pool.query("CREATE EXTENSION pg_stat_statements");
  await pool.query("VACUUM ANALYZE");
  await pool.query("SELECT pg_stat_statements_reset()");
}

/** From the first to the last but a tenth: those of an object that waits for what is parked come late. */
export async function rate(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query(
    `SELECT (0.9 * count(*) / extract(epoch FROM percentile_disc(0.9) WITHIN GROUP (ORDER BY at) - min(at)))::int
       AS rate FROM effects`,
  );
  return rows[0].rate;
}

/** For each telling. What this script asks is left out. */
export async function costs(pool: pg.Pool): Promise<object> {
  const { rows } = await pool.query(
    `SELECT round(calls / told, 1)::float8 AS statements,
       round(ms::numeric / told, 2)::float8 AS "databaseMs", round(wal / told)::int AS "walBytes"
     FROM (SELECT count(*) AS told FROM effects) e,
       (SELECT sum(calls) AS calls, sum(total_exec_time) AS ms, sum(wal_bytes) AS wal
        FROM pg_stat_statements
        WHERE query !~ 'AS waiting|FROM effects|pg_stat_') s`,
  );
  return rows[0];
}

/** Milliseconds from a first call that went wrong to the one that was told: the median, and the longest. */
export async function recoveries(pool: pg.Pool): Promise<object> {
  const { rows } = await pool.query<{
    listener: string;
    object: string;
    name: number;
    ms: number;
  }>(
    `SELECT listener, object, name, (extract(epoch FROM e.at - c.at) * 1000)::int AS ms
     FROM calls c JOIN effects e USING (listener, object, name)`,
  );
  const all: Record<string, number[]> = {};
  for (const { listener, object, name, ms } of rows) {
    const { does, times } = behaviourOf(object, String(name), listener);
    all[`${does} ${times}`] = [...(all[`${does} ${times}`] ?? []), ms];
  }
  return Object.fromEntries(
    Object.entries(all).map(([kind, each]) => {
      const sorted = each.sort((a, b) => a - b);
      return [kind, [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]];
    }),
  );
}
