/**
 * What a taking costs: `store.consume` beside the least that an application could do by itself, which
 * is one prepared statement with a unique insert and a conditional update. Over many entities, and
 * with one that all callers take from. They take turns, so that what slows one slows the other.
 */
import pg from "pg";
import { defineCatalogue, usd } from "../../packages/backend-billing/src/catalogue/index.js";
import { createBilling } from "../../packages/backend-billing/src/postgres/index.js";
import { SECRET_KEY } from "./data.js";
import type { Series } from "./figures.js";
import { fill, STORED } from "./gates.js";
import { interleave } from "./measure.js";

const catalogue = defineCatalogue({
  app: "acme",
  features: { credits: "credits" },
  plans: {
    pro: {
      name: "Pro",
      prices: { monthly: usd("20").monthly() },
      features: { credits: { included: 1_000_000_000 } },
    },
  },
});

/** Entities that are taken from. */
const USED = 1_000;
/** How often a caller takes in one turn, at one caller; of more it is less for each. */
const TURN = 400;

const BARE = `WITH counted AS (
    INSERT INTO bare_records (entity, key, amount) VALUES ($1, $2, 1)
    ON CONFLICT DO NOTHING RETURNING 1)
  UPDATE bare_balances SET used = used + 1
  WHERE entity = $1 AND used + 1 <= granted AND EXISTS (SELECT FROM counted)
  RETURNING granted - used AS balance`;

export interface UsageSeries {
  /** By the number of callers. */
  readonly many: { readonly [callers: number]: Series };
  readonly hot: Series;
}

export async function usageCosts(
  serverUrl: string,
  admin: pg.Client,
  repetitions: number,
): Promise<UsageSeries> {
  await admin.query("CREATE DATABASE bench_usage");
  const url = new URL(serverUrl);
  url.pathname = "bench_usage";
  const pool = new pg.Pool({ connectionString: url.href, max: 43 }); // of which the library takes 32
  const { store, billing } = createBilling({
    secret_key: SECRET_KEY,
    webhook_secret: undefined,
    db: pool,
    base_url: "http://localhost",
    catalogue,
  });
  let number = 0;
  const ways: { [way: string]: (entity: number) => Promise<unknown> } = {
    bare: async (entity) => {
      const values = [`entity_${entity}`, `key_${number++}`];
      const { rows } = await pool.query({ name: "bare_take", text: BARE, values });
      if (rows.length === 0) throw new Error("Nothing was taken");
    },
    ours: async (entity) => {
      const use = { entityId: `entity_${entity}`, feature: "credits", key: `key_${number++}` };
      const { allowed } = await store.consume(use as never);
      if (!allowed) throw new Error("Nothing was taken");
    },
  };
  /** Takings a second of one turn. */
  const turn = async (way: string, callers: number, entities: number): Promise<number> => {
    const each = Math.ceil((TURN * (callers === 1 ? 1 : 4)) / callers);
    const take = ways[way] ?? ways.ours;
    const started = performance.now();
    const caller = async (place: number) => {
      for (let time = 0; time < each; time++) await take?.((place * 7919 + time * 31) % entities);
    };
    await Promise.all(Array.from({ length: callers }, (_, place) => caller(place)));
    return (1000 * each * callers) / (performance.now() - started);
  };
  try {
    await store.migrate();
    await fill(store.commit);
    await pool.query(`CREATE TABLE bare_records (entity text, key text, amount bigint, PRIMARY KEY (entity, key));
      CREATE TABLE bare_balances (entity text PRIMARY KEY, granted bigint, used bigint);
      INSERT INTO bare_balances SELECT 'entity_' || n, 1000000000, 0 FROM generate_series(0, ${STORED - 1}) n`);
    for (let entity = 0; entity < USED; entity++) await ways.ours?.(entity); // sums are made once
    await pool.query("VACUUM ANALYZE");
    const measured = async (title: string, callers: number, entities: number): Promise<Series> => {
      for (const way of Object.keys(ways)) await turn(way, callers, entities);
      const run = (way: string) => turn(way, callers, entities);
      const values = await interleave(Object.keys(ways), repetitions, run);
      return { title, unit: "takings/s", values };
    };
    const many: { [callers: number]: Series } = {};
    for (const callers of [1, 8, 32]) {
      const who = callers === 1 ? "1 caller" : `${callers} callers`;
      const title = `takings from ${USED.toLocaleString("en")} balances, ${who}`;
      many[callers] = await measured(title, callers, USED);
    }
    return { many, hot: await measured("takings from one balance, 32 callers", 32, 1) };
  } finally {
    await billing.close();
    await pool.end();
    await admin.query("DROP DATABASE bench_usage WITH (FORCE)");
  }
}
