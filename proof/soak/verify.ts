/** What must hold at the end of a soak, by SQL alone and by what was sent. */
import type pg from "pg";
import { recordsIn, verify } from "../usage/verify.js";

/** What was done, by those who did it. */
export interface Done {
  readonly raw: number;
  readonly access: number;
  readonly uses: number;
  /** What each subscription of the population was changed to last. */
  readonly last: { readonly [subscription: string]: string | undefined };
}

/** How much of what is due is not told or not done. */
export async function leftIn(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ left: number }>(
    `SELECT (SELECT count(*) FROM billing.backend_billing_records WHERE kind IN ('change', 'refresh'))::int
       + (SELECT count(*) FROM billing.backend_billing_versions WHERE ask_at IS NOT NULL)::int AS left`,
  );
  return rows[0]?.left ?? 0;
}

/** What waits, in words: when it is due tells whether it was forgotten or put off. */
export async function waitingIn(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ what: string; count: string; due: string | null }>(
    `SELECT kind AS what, count(*), min(due) AS due FROM billing.backend_billing_records
     WHERE kind IN ('change', 'refresh') GROUP BY 1
     UNION ALL SELECT 'ask of ' || resource, count(*), min(ask_at) FROM billing.backend_billing_versions
     WHERE ask_at IS NOT NULL GROUP BY resource`,
  );
  return rows.map(({ what, count, due }) => `${count} ${what}, due ${due}`).join("; ");
}

/** What is wrong, one text each. */
export async function wrongIn(pool: pg.Pool, done: Done): Promise<string[]> {
  return [...(await hooks(pool, done)), ...(await usage(pool, done))];
}

async function hooks(pool: pg.Pool, { raw, access, last }: Done): Promise<string[]> {
  const wrong: string[] = [];
  // A subscription that is bought changes several times, each time to something else.
  const twice = await pool.query<{ hook: string; about: string; times: string }>(
    "SELECT hook, about, count(*) AS times FROM told GROUP BY hook, about, content HAVING count(*) > 1",
  );
  for (const { hook, about, times } of twice.rows) {
    wrong.push(`${hook} of ${about} was told ${times} times with the same content`);
  }
  const { rows } = await pool.query<{ hook: string; count: number }>(
    "SELECT hook, count(DISTINCT about)::int AS count FROM told GROUP BY 1",
  );
  const told = new Map(rows.map(({ hook, count }) => [hook, count]));
  for (const [hook, due] of [
    ["raw", raw],
    ["access", access],
  ] as const) {
    const count = told.get(hook) ?? 0;
    if (count !== due) wrong.push(`${hook}: ${count} told, ${due} happened`);
  }
  // Changes that came at once may be one; the last is always told.
  const newest = await pool.query<{ about: string; n: string }>(
    "SELECT about, max(n) AS n FROM told WHERE hook = 'change' GROUP BY 1",
  );
  const shown = new Map(newest.rows.map(({ about, n }) => [about, n]));
  for (const [id, n] of Object.entries(last)) {
    if (n !== undefined && shown.get(id) !== n) {
      wrong.push(`change of ${id}: ${shown.get(id)} was told last, and ${n} came last`);
    }
  }
  return wrong;
}

async function usage(pool: pg.Pool, { uses }: Done): Promise<string[]> {
  const wrong = await verify(pool);
  const records = [...(await recordsIn(pool)).values()];
  const counted = records.reduce((sum, { amount }) => sum + amount, 0);
  if (counted !== uses) wrong.push(`usage: ${counted} counted, ${uses} taken`);
  const undone = records.filter(({ effect }) => !effect).length;
  if (undone > 0) wrong.push(`usage: ${undone} counted, and not done`);
  return wrong;
}
