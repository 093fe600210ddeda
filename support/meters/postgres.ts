/** Usage on its way to a meter, on PostgreSQL. */
import type pg from "pg";
import type { MeterBatch } from "../../packages/backend-billing/src/core/runtime/records/batches.js";
import { usageWrites } from "../../packages/backend-billing/src/core/usage/usage.js";
import { createPostgresStore } from "../../packages/backend-billing/src/postgres/index.js";
import { booksOn } from "../../packages/backend-billing/src/postgres/usage/books.js";
import { outboxOn } from "../../packages/backend-billing/src/postgres/usage/outbox.js";
import { usageOn } from "../../packages/backend-billing/src/postgres/usage/usage.js";
import { emptiedSchema } from "../postgres/emptied.js";
import { catalogue, FEATURE, type Keep } from "./keep.js";

interface RawUsed {
  readonly entity_id: string;
  readonly key: string;
  readonly over: string;
  readonly at: string;
  readonly batch: string | null;
}

interface RawBatch {
  readonly id: string;
  readonly due: string | null;
  readonly data: MeterBatch;
}

/** Empties the schema for each that is opened. */
export async function keepsOn(pool: pg.Pool, schema: string): Promise<() => Promise<Keep>> {
  const empty = await emptiedSchema(pool, schema);
  const records = `"${schema}".backend_billing_usage_records`;
  return async () => {
    await empty();
    return {
      store: createPostgresStore({ pool, schema }),
      outbox: outboxOn(pool, { schema }),
      books: booksOn(pool, { schema }),
      usage: (now) => usageWrites({ store: usageOn(pool, { schema }), catalogue, now }),
      async used() {
        const { rows } = await pool.query<RawUsed>(
          `SELECT entity_id, key, over, at, batch FROM ${records}`,
        );
        return rows.map(({ entity_id: entityId, over, at, ...rest }) => ({
          ...rest,
          entityId,
          over: Number(over),
          at: Number(at),
        }));
      },
      insert: ({ entityId, key, over, at }) =>
        pool.query(`INSERT INTO ${records} VALUES ($1, $2, $3, $4, $4, true, $5, NULL)`, [
          entityId,
          FEATURE,
          key,
          over,
          at,
        ]),
      async batches() {
        const { rows } = await pool.query<RawBatch>(
          `SELECT id, due, data FROM "${schema}".backend_billing_records WHERE kind = 'batch'`,
        );
        return rows.map(({ due, ...rest }) => ({
          ...rest,
          due: due === null ? null : Number(due),
        }));
      },
    };
  };
}
