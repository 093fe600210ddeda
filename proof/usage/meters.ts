/** Usage against the meters of the double: on a PostgreSQL of its own, or on Convex. */
import pg from "pg";
import { keepOnConvex } from "../../support/meters/convex.js";
import { meterHistories } from "../../support/meters/history.js";
import { keepsOn } from "../../support/meters/postgres.js";
import { startPostgres } from "../../support/postgres/server.js";

export async function meters(histories: number, seed: number) {
  const server = await startPostgres({ settings: { fsync: "off" } });
  const pool = new pg.Pool({ connectionString: server.url });
  try {
    const open = await keepsOn(pool, "meters");
    return { histories, ...(await meterHistories({ histories, seed, open })) };
  } finally {
    await pool.end();
    await server.stop();
  }
}

export async function metersOnConvex(histories: number, seed: number) {
  return { histories, ...(await meterHistories({ histories, seed, open: keepOnConvex })) };
}
