/** The store on PostgreSQL for the conformance suite, through whatever client. */
import type { PoolLike } from "../../packages/backend-billing/src/postgres/database.js";
import { createPostgresStore } from "../../packages/backend-billing/src/postgres/store/store.js";
import { emptiedSchema } from "../postgres/emptied.js";
import { CONFORMING } from "./fixtures.js";
import type { StoreUnderTest } from "./store.js";

/** The schema's name needs quoting, to be sure that it is quoted. */
const SCHEMA = 'Store "1"';

export async function postgresSubject(
  pool: PoolLike,
  close: () => Promise<void>,
): Promise<StoreUnderTest> {
  const empty = await emptiedSchema(pool, SCHEMA, CONFORMING);
  return {
    create: async () => {
      await empty();
      return createPostgresStore({ pool, schema: SCHEMA, resources: CONFORMING });
    },
    close,
  };
}
