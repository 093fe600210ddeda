/** PostgreSQL, for histories: others may come in between any two statements. */
import type { PoolLike } from "../../../packages/backend-billing/src/postgres/database.js";
import { createPostgresStore } from "../../../packages/backend-billing/src/postgres/store/store.js";
import { emptiedSchema } from "../../postgres/emptied.js";
import type { Gate } from "../run.js";
import type { OpenStore } from "./memory.js";

/** On a schema of its own. A transaction holds locks, so nobody is let in before its end. */
export async function openPostgres(pool: PoolLike, schema: string): Promise<OpenStore> {
  const resources = "all";
  const empty = await emptiedSchema(pool, schema, resources);
  return {
    fresh: async () => {
      await empty();
      return {
        turns: 4, // commits are put together at the end of a turn
        connect: (gate) => createPostgresStore({ schema, pool: gated(pool, gate), resources }),
      };
    },
  };
}

export function gated(pool: PoolLike, { pause, real }: Gate): PoolLike {
  return {
    query: async (text, values) => {
      await pause();
      return real(() => pool.query(text, values));
    },
    connect: async () => {
      const connection = await real(() => pool.connect());
      return {
        query: (text, values) => real(() => connection.query(text, values)),
        release: (destroy) => connection.release(destroy),
      };
    },
  };
}
