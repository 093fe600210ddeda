// Gates on PostgreSQL: one statement, the same access as a state has, and a limit that no race passes.
import { drizzle } from "drizzle-orm/postgres-js";
import type pg from "pg";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { batch, event } from "../../../../support/conformance/fixtures.js";
import {
  catalogue,
  GROUPS,
  productSnapshots,
  subscriberOf,
} from "../../../../support/gates/subscribers.js";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../support/postgres/database.js";
import type { NamesOf } from "../../src/catalogue/index.js";
import { DEFAULT_ACCESS, hasAccess } from "../../src/core/plans/access.js";
import {
  type BillingExports,
  createBilling,
  fromPostgresJs,
  migrate,
  type PostgresConfig,
} from "../../src/postgres/index.js";

const SEED = 1;
const COUNT = 300;
const numbers = Array.from({ length: COUNT }, (_, index) => index + 1);

let database: TestDatabase;
let pool: pg.Pool;
const bare = (more: Partial<PostgresConfig> = {}) =>
  createBilling({
    secret_key: "sk_test_1",
    webhook_secret: undefined,
    db: pool,
    base_url: "https://app.example",
    ...more,
  });
const open = (more: Partial<PostgresConfig> = {}) =>
  bare({ ...more, catalogue }) as BillingExports<NamesOf<typeof catalogue>>;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool(database.url, { max: 25 });
  await migrate(pool, { resources: "all" });
  const { store } = open({ resources: "all" });
  await store.commit(batch(...productSnapshots()));
  const all = numbers.map((number) => subscriberOf(SEED, number));
  for (let first = 0; first < COUNT; first += 50) {
    const some = all.slice(first, first + 50);
    const parts = batch(...some.flatMap(({ snapshots }) => snapshots));
    await store.commit({ ...parts, records: some.flatMap(({ records }) => records) });
  }
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe("gates and states", () => {
  it("agree on access and on the plan, whatever became of the subscriptions", async () => {
    const { store } = open();
    let lapsed = 0;
    const look = async (number: number) => {
      const entity = `entity_${number}`;
      const held = await store.held(entity);
      lapsed += held.filter(({ isLapsed }) => isLapsed).length;
      const open = held.filter((each) =>
        hasAccess(each.status, DEFAULT_ACCESS, () => each.isLapsed),
      );
      const states = (await store.subscriptionsOf(entity)).filter(({ access }) => access);
      expect(open.map(({ id }) => id).sort(), entity).toEqual(
        states.map(({ subscriptionId }) => subscriptionId).sort(),
      );
      for (const group of GROUPS) {
        const { plan } = await store.subscriptionOf(entity, { group });
        expect(await store.planOf(entity, { group }), `${entity} ${group}`).toBe(plan);
      }
      const has = states.flatMap(({ items }) => items.map(({ productId }) => productId));
      expect(await store.can(entity, "sso"), entity).toBe(has.includes("acme_pro"));
    };
    for (let first = 0; first < COUNT; first += 20) {
      await Promise.all(numbers.slice(first, first + 20).map(look));
    }
    expect(lapsed).toBeGreaterThan(COUNT / 10);
  });

  it("have the default plan for those that were never seen", async () => {
    const { store } = open();
    expect(await store.planOf("none")).toBe("free");
    expect(await store.can("none", "sso")).toBe(false);
    expect(await store.limit("none", "projects")).toBe(3);
    await expect(store.can("none", "projects" as never)).rejects.toMatchObject({
      code: "invalid_argument",
      message: "The feature projects is a limit. Ask `limit` for its number.",
    });
  });

  it("are one statement each, inside a transaction too", async () => {
    const sent: string[] = [];
    const counting = {
      query: (text: string, values: unknown[] = []) => {
        sent.push(text);
        return pool.query(text, values);
      },
      connect: () => pool.connect(),
    };
    const { store } = open({ db: counting });
    await store.planOf("entity_1"); // the first use looks at the tables
    sent.length = 0;
    await store.can("entity_1", "sso");
    await store.limit("entity_1", "projects");
    await store.planOf("entity_1");
    expect(sent).toHaveLength(3);
    sent.length = 0;
    await store.in(counting).limit("entity_1", "projects");
    expect(sent).toHaveLength(1);
  });
});

it("without plans in code, metadata and Stripe's features are read in the same statement", async () => {
  const { store } = bare({ resources: "all" });
  const metadata = { feature_sso: "true", feature_projects: "20", billing_plan: "gold" };
  const items = (product: string) => ({ data: [{ id: "si", price: { id: "price_1", product } }] });
  const feature = (id: string, lookup_key: string) =>
    event("product_features", id, 100, { entitlement_feature: { id: `f_${id}`, lookup_key } }, {
      owner: "prod_gold",
    } as never);
  await store.commit({
    ...batch(
      event("products", "prod_gold", 100, { metadata }),
      feature("pf_1", "chat"),
      feature("pf_2", "audit"),
      event("customers", "cus_gold", 100),
      event("subscriptions", "sub_gold", 100, {
        customer: "cus_gold",
        created: 1,
        status: "active",
        items: items("prod_gold"),
      }),
    ),
    records: [
      { kind: "claim", id: "gold", expect: 0, next: { ref: "cus_gold", due: null, data: {} } },
    ],
  });
  expect(await store.planOf("gold")).toBe("gold");
  expect(await store.can("gold", "sso")).toBe(true);
  expect(await store.can("gold", "audit")).toBe(true);
  expect(await store.can("gold", "video")).toBe(false);
  expect(await store.limit("gold", "projects")).toBe(20);
  const client = await pool.connect();
  expect(await store.in(client).limit("gold", "projects")).toBe(20);
  client.release();
  // Where features are not mirrored, there is no table that could be read.
  const { store: usual } = bare();
  expect(await usual.can("gold", "audit")).toBe(false);
  expect(await usual.limit("gold", "projects")).toBe(20);
});

it("through postgres.js the answers are the same, and a transaction of Drizzle's can be asked", async () => {
  const sql = postgres(database.url, { max: 4, onnotice: () => {} });
  const { store } = open();
  const { store: other } = open({ db: fromPostgresJs(sql) as never });
  const answers = async ({ held, planOf, limit }: typeof store, entity: string) => [
    [...(await held(entity, { described: true }))].sort((a, b) => (a.id < b.id ? -1 : 1)),
    await planOf(entity),
    await limit(entity, "projects"),
  ];
  for (const number of numbers.slice(0, 20)) {
    const entity = `entity_${number}`;
    expect(await answers(other, entity)).toEqual(await answers(store, entity));
  }
  const within = await drizzle(sql).transaction((tx) => store.in(tx).limit("stranger", "projects"));
  expect(within).toBe(3);
  await sql.end();
});

describe("a limit in a transaction", () => {
  /** Counts, and inserts one more unless the limit is reached. */
  async function insert(entity: string, limitIn: (client: pg.PoolClient) => Promise<number>) {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      const limit = await limitIn(client);
      const { rows } = await client.query("SELECT count(*) FROM projects WHERE entity = $1", [
        entity,
      ]);
      if (Number(rows[0].count) < limit) {
        await client.query("INSERT INTO projects VALUES ($1)", [entity]);
      }
      await client.query("COMMIT");
    } finally {
      client.release();
    }
  }
  const race = async (entity: string, limitIn: (client: pg.PoolClient) => Promise<number>) => {
    await pool.query("CREATE TABLE IF NOT EXISTS projects (entity text)");
    await pool.query("DELETE FROM projects");
    await Promise.all(Array.from({ length: 20 }, () => insert(entity, limitIn)));
    const { rows } = await pool.query("SELECT count(*) FROM projects");
    return Number(rows[0].count);
  };

  it("locks the entity, so that count and insert cannot race", async () => {
    const { store } = open();
    for (let round = 0; round < 5; round++) {
      expect(
        await race("stranger", (client) => store.in(client).limit("stranger", "projects")),
      ).toBe(3);
    }
  });
  it("is locked for nobody but those who ask for the same entity's", async () => {
    const { store } = open();
    const [one, two] = [await pool.connect(), await pool.connect()];
    try {
      await one.query("BEGIN");
      await store.in(one).limit("entity_1", "projects");
      await two.query("BEGIN");
      await two.query("SET LOCAL lock_timeout = 200");
      await store.in(two).limit("entity_2", "projects");
      await store.in(two).can("entity_1", "sso");
      await store.limit("entity_1", "projects");
      await expect(store.in(two).limit("entity_1", "projects")).rejects.toMatchObject({
        code: "55P03",
      });
    } finally {
      for (const client of [one, two]) {
        await client.query("ROLLBACK");
        client.release();
      }
    }
  });
});
