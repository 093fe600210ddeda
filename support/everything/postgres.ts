/** On PostgreSQL. */
import { resources } from "../../packages/backend-billing/src/core/catalogue/resources.js";
import { migrate } from "../../packages/backend-billing/src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../packages/backend-billing/src/postgres/store/store.js";
import { createDatabase, createPool } from "../postgres/database.js";
import { openOnStore } from "./on-store.js";
import { CONFIG, type MirrorPlatform, SPOILED } from "./platform.js";

export async function openPostgres(): Promise<MirrorPlatform> {
  const database = await createDatabase();
  const pool = createPool(database.url, { max: 20 });
  let opened = 0;
  return {
    open: async (options) => {
      const tables = { schema: `app_${opened++}`, resources: CONFIG.resources };
      await migrate(pool, tables);
      const app = await openOnStore(createPostgresStore({ ...tables, pool }), options);
      return {
        ...app,
        spoil: async (some) => {
          for (const name of some) {
            await pool.query(
              `UPDATE ${tables.schema}.${resources[name].table} SET stripe = stripe || $1`,
              [JSON.stringify(SPOILED)],
            );
          }
        },
      };
    },
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
}
