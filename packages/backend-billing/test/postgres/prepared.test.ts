// Statements are prepared where that is safe, and sent as they are where it is not.
import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { batch, event, NOW } from "../../../../support/conformance/fixtures.js";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../support/postgres/database.js";
import type { LocalStore } from "../../src/core/local-store.js";
import type { PoolLike } from "../../src/postgres/database.js";
import { lendFrom } from "../../src/postgres/reactions/lend.js";
import { deliveryOn } from "../../src/postgres/reactions/reactions.js";
import { migrate } from "../../src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../src/postgres/store/store.js";
import { usageOn } from "../../src/postgres/usage/usage.js";

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = createPool(database.url, { max: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const inSchema = async (schema: string, over: PoolLike = pool) => {
  await migrate(pool, { schema });
  return createPostgresStore({ pool: over, schema });
};

const preparedIn = async (schema: string) => {
  const { rows } = await pool.query(
    "SELECT name, generic_plans FROM pg_prepared_statements WHERE strpos(statement, $1) > 0",
    [schema],
  );
  return rows as { name: string; generic_plans: string }[];
};

/** Events about a product that is known, and about customers that are not. */
async function work(store: ReturnType<typeof createPostgresStore>): Promise<void> {
  for (let n = 0; n < 20; n++) {
    const now = NOW + n;
    await store.commit({ ...batch(event("products", "prod_1", 100 + 10 * n)), now });
    await store.commit(batch(event("customers", `cus_${n}`, 100 + 10 * n)));
  }
  expect((await store.row("products", "prod_1"))?.last_synced_at).toBe(NOW + 19);
  expect(await store.rows("customers", "", 100)).toHaveLength(20);
  expect(await store.rows("subscriptions", "", 100)).toHaveLength(20);
}

it("prepares statements on a pool of pg, and plans them once", async () => {
  await work(await inSchema("prepared"));
  const statements = await preparedIn("prepared");
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.some(({ generic_plans }) => Number(generic_plans) > 0)).toBe(true);
});

it("prepares nothing on a pool that is not known to keep it apart", async () => {
  const stranger: PoolLike = {
    query: (text, values) => pool.query(text, values),
    connect: () => pool.connect(),
  };
  await work(await inSchema("stranger", stranger));
  expect(await preparedIn("stranger")).toEqual([]);
});

/** A pool of pg whose connections are tampered with whenever one is lent. */
function tampered(tamper: (client: pg.PoolClient) => Promise<void>) {
  const connect = async () => {
    const client = await pool.connect();
    await tamper(client);
    return client;
  };
  return {
    totalCount: 1,
    idleCount: 0,
    waitingCount: 0,
    connect,
    query: async (text: string, values?: unknown[]) => {
      const client = await connect();
      try {
        return await client.query(text, values);
      } finally {
        client.release();
      }
    },
  };
}

/** What this client believes to have prepared on its connection. */
const remembered = (client: pg.PoolClient) =>
  (client as unknown as { connection: { parsedStatements: Record<string, string> } }).connection
    .parsedStatements;

it("goes on without where the connection behind a proxy is another each time", async () => {
  let forgotten = 0;
  // What a proxy that pools transactions does to a client: nothing prepared is there afterwards.
  const proxied = tampered(async (client) => {
    await client.query("DEALLOCATE ALL");
    forgotten++;
  });
  await work(await inSchema("proxied", proxied));
  expect(forgotten).toBeGreaterThan(40);
});

it("takes usage where the connection behind a proxy is another", async () => {
  await migrate(pool, { schema: "proxied_usage" });
  const usage = usageOn(pool, { schema: "proxied_usage" });
  const place = { entityId: "user_1", feature: "calls" };
  const take = () => usage.change(place, {}, ({ wallet }) => ({ result: wallet.balance.used }));
  expect(await take()).toBe(0);
  await pool.query("DEALLOCATE ALL");
  expect(await take()).toBe(0);
});

it("tells without, however often, once the connection behind a proxy was another", async () => {
  const schema = "proxied_telling";
  await migrate(pool, { schema });
  const own = createPool(database.url, { max: 1 });
  const prepared: number[] = [];
  own.on("connect", (client) => {
    const { query } = client;
    client.query = ((...all: [{ name?: string }]) => {
      if (all[0].name !== undefined) prepared.push(runs);
      return (query as (...all: unknown[]) => unknown).apply(client, all);
    }) as typeof query;
  });
  const deliver = deliveryOn({
    config: { secret_key: "sk_test_1", webhook_secret: [] },
    pool: own,
    lend: lendFrom(own),
    tables: { schema },
    resources: ["products"],
    handlers: new Map(),
  });
  let runs = 0;
  for (; runs < 4; runs++) {
    await deliver(
      () => ({}) as LocalStore,
      () => false,
    );
    await own.query("DEALLOCATE ALL");
  }
  await own.end();
  expect(prepared).toEqual([0, 1]);
});

it("goes on without where the connection behind a proxy was somebody else's", async () => {
  let met = 0;
  // The other half of it: the client is new, and what it wants to prepare is there already.
  const proxied = tampered(async (client) => {
    const names = remembered(client);
    for (const name of Object.keys(names)) {
      if (met++ < 1_000) delete names[name];
    }
  });
  await work(await inSchema("shared", proxied));
  expect(met).toBeGreaterThan(0);
});

it("goes on when a table's columns have changed under a prepared statement", async () => {
  const store = await inSchema("altered");
  await work(store);
  await pool.query(
    "ALTER TABLE altered.backend_billing_products ALTER last_synced_at TYPE numeric",
  );
  await pool.query("ALTER TABLE altered.backend_billing_versions ALTER revision TYPE numeric");
  expect((await store.row("products", "prod_1"))?.last_synced_at).toBe(NOW + 19);
  expect(await store.version("products", "prod_1")).toMatchObject({ state: "live" });
  const result = await store.commit(batch(event("products", "prod_1", 5_000)));
  expect(result).toMatchObject({ units: [{ outcomes: [{ act: "write" }] }] });
});

it("plans anew when the tables have grown", async () => {
  const store = await inSchema("growing");
  for (let n = 0; n < 40; n++) await store.commit(batch(event("products", `prod_${n}`, 100)));
  const names = (await preparedIn("growing")).map(({ name }) => name.replace(/_\d+$/, ""));
  expect(names.length).toBeGreaterThan(new Set(names).size);
});
