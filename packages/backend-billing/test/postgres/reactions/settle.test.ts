// What an operator does with changes that could not be told: they are told late, or never.
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../../support/postgres/database.js";
import {
  deliverOne,
  type Listener,
  listenerOn,
  listening,
} from "../../../../../support/postgres/listener.js";
import { reactionFacts } from "../../../src/cli/reactions.js";
import {
  changesOf,
  heldChanges,
  retryChange,
  retryParked,
  skipChange,
} from "../../../src/core/reactions/settle/settle.js";
import { createRuntime, type Runtime } from "../../../src/core/runtime/runtime.js";
import { migrate } from "../../../src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../../src/postgres/store/store.js";

let database: TestDatabase;
let pool: pg.Pool;
let runtime: Runtime;
let listener: Listener;
beforeAll(async () => {
  database = await createDatabase();
  pool = createPool(database.url);
  await migrate(pool);
  const secrets = { secret_key: "sk_test_1", webhook_secret: "whsec_1" };
  const store = createPostgresStore({ pool });
  runtime = createRuntime(secrets, { store, baseUrl: () => "", wake: () => {} });
  expect(await reactionFacts(pool, "billing")).toEqual({
    listens: false,
    waiting: 0,
    failing: 0,
    parked: { number: 0, examples: [] },
    oldest: null,
  });
  await listenerOn(pool).listen();
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  await pool.query("DELETE FROM billing.backend_billing_records WHERE kind = 'change'");
  await pool.query("DELETE FROM billing.backend_billing_versions");
  await pool.query("DELETE FROM billing.backend_billing_products");
  listener = listenerOn(pool);
});

const facts = () => reactionFacts(pool, "billing");
const only = async (name: string) => {
  const found = await changesOf(runtime.store, name);
  expect(found).toHaveLength(1);
  return found[0]!;
};

it("a parked change that is tried again has its full time, and is told late", async () => {
  await listener.change("prod_1", "A", "B");
  await listener.deliver(true);
  await listener.park();
  await listener.park(); // B, too
  expect(await heldChanges(runtime.store)).toMatchObject([
    { object: "products prod_1", standing: "parked", due: null, done: ["first"], late: false },
    { object: "products prod_1", standing: "parked", due: null, done: ["first"], late: false },
  ]);
  await listener.change("prod_1", "C");
  await listener.deliver(false);
  expect(listener.heard).toEqual(["C"]);

  expect(await retryParked(runtime)).toMatchObject([
    { standing: "parked" },
    { standing: "parked" },
  ]);
  expect(await heldChanges(runtime.store)).toEqual([]);
  for (const change of await listener.left()) {
    expect(change).toMatchObject({ late: true, done: ["first"] });
    for (const field of ["parked", "attempts", "since"]) expect(change).not.toHaveProperty(field);
  }
  await listener.deliver(false);
  expect(listener.heard).toEqual(["C", "A late", "B late"]);
  expect(await retryParked(runtime)).toEqual([]);
});

it("a failing change is due now, and keeps the count of its attempts", async () => {
  await listener.change("prod_2", "A", "B");
  await listener.deliver(true);
  expect(await listener.deliver(false)).toEqual([]); // not yet
  const [failing] = await heldChanges(runtime.store);
  expect(failing).toMatchObject({ object: "products prod_2", standing: "failing", attempts: 1 });
  expect(failing?.due).toBeGreaterThan(runtime.now());

  // By its object it is the one that failed, and not the one behind it.
  const record = await only("prod_2");
  expect(record).toEqual(await only(failing?.key ?? ""));
  expect(record).toEqual(await only("products prod_2"));
  await retryChange(runtime, record);
  expect(await listener.left()).toMatchObject([{ attempts: 1, done: ["first"] }, {}]);
  await listener.deliver(false);
  expect(listener.heard).toEqual(["A", "B"]);
  expect(await retryChange(runtime, record)).toBeUndefined(); // it is gone
});

it("what has not failed is left alone", async () => {
  await listener.change("prod_3", "A");
  const record = await only("prod_3");
  expect(await retryChange(runtime, record)).toBeUndefined();
  expect(await only("prod_3")).toEqual(record);
});

it("a change that is skipped is never told, and those behind it are", async () => {
  await listener.change("prod_4", "A", "B");
  await listener.deliver(true);
  const record = await only("prod_4");
  expect(await skipChange(runtime, record)).toMatchObject({ standing: "failing" });
  expect(await skipChange(runtime, record)).toBeUndefined();
  await listener.deliver(false);
  expect(listener.heard).toEqual(["B"]);
});

it("a handler that runs while its change is skipped or retried is taken back", async () => {
  await pool.query("CREATE TABLE mails (name text)");
  const deliverWith = (settle: () => Promise<unknown>) =>
    deliverOne({
      ...listening(pool, ["mail"]),
      handler: () => async (tx) => {
        await tx.query("INSERT INTO mails VALUES ('A')");
        await settle();
      },
    });
  const mails = async () => (await pool.query("SELECT name FROM mails")).rows;
  await listener.change("prod_9", "A");
  const record = await only("prod_9");
  expect(await deliverWith(() => retryChange(runtime, record))).toBe("failed");
  expect(await mails()).toEqual([]);
  expect(await deliverWith(() => skipChange(runtime, record))).toBe("failed"); // it was due at once
  expect(await mails()).toEqual([]);
  expect(await listener.left()).toEqual([]);
});

it("several changes of an object are several, and a name that is none is none", async () => {
  await listener.change("prod_5", "A", "B");
  expect(await changesOf(runtime.store, "prod_5")).toHaveLength(2);
  expect(await changesOf(runtime.store, "prod_6")).toEqual([]);
});

it("more than a page of changes is read to the end", async () => {
  await pool.query(
    `INSERT INTO billing.backend_billing_records
     SELECT 'change', 'products prod_' || n, 1, 'products prod_' || n, NULL,
       jsonb_build_object('key', 'key_' || n, 'resource', 'products', 'id', 'prod_' || n, 'at', 1, 'parked', true)
     FROM generate_series(1, 250) n`,
  );
  expect(await heldChanges(runtime.store)).toHaveLength(250);
  expect(await retryParked(runtime)).toHaveLength(250);
});

it("what waits is counted by what has to come first", async () => {
  await listener.change("prod_7", "A", "B");
  await listener.change("prod_8", "A");
  expect(await facts()).toMatchObject({ listens: true, waiting: 3, failing: 0, oldest: {} });
  await listener.deliver(true);
  // What is behind one that failed is due, and nothing is late for all that.
  expect(await facts()).toMatchObject({ waiting: 1, failing: 2, oldest: null });
  const due = (at: number) =>
    pool.query(
      `UPDATE billing.backend_billing_records SET due = $1 WHERE ref = 'products prod_8'`,
      [at],
    );
  await due(Date.now() - 3_600_000);
  // It was stored a moment ago, so it is not late since then.
  expect((await facts()).oldest?.milliseconds).toBeLessThan(3_000_000);
  await pool.query(
    `UPDATE billing.backend_billing_records SET data = data || '{"at": 5}' WHERE kind = 'change'`,
  );
  const { oldest } = await facts();
  expect(oldest?.object).toBe("products prod_8");
  expect(Math.round((oldest?.milliseconds ?? 0) / 3_600_000)).toBe(1);
  await due(0);
  expect((await facts()).oldest?.milliseconds).toBeGreaterThan(1e12);

  await listener.park();
  await pool.query(
    `UPDATE billing.backend_billing_records SET ref = 'access ada@example.com' WHERE ref = 'products prod_8'`,
  );
  const { parked } = await facts();
  expect(parked).toEqual({ number: 2, examples: ["products prod_7", "access of an entity"] });
});
