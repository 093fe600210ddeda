// What a commit costs where something listens, and that it tells what was there before it wrote.
import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listeningTo } from "../../../../../support/conformance/changes.js";
import { batch, event, NOW, receipt } from "../../../../../support/conformance/fixtures.js";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../../support/postgres/database.js";
import { AHEAD, eventRequest } from "../../../src/core/mirror/changes.js";
import { erasedKey } from "../../../src/core/mirror/erased.js";
import { afterErasure, type StoredListening } from "../../../src/core/mirror/listening.js";
import type { RecordData, RecordWrite, Store } from "../../../src/core/mirror/store.js";
import { migrate } from "../../../src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../../src/postgres/store/store.js";

let database: TestDatabase;
let pool: pg.Pool;
let queries = 0;
beforeAll(async () => {
  database = await createDatabase();
  pool = createPool(database.url);
  await migrate(pool);
  const records = [listeningTo({ products: "changes", customers: "changes" })];
  await createPostgresStore({ pool }).commit({ source: "record", now: NOW, units: [], records });
  const query = pool.query.bind(pool) as (...args: unknown[]) => unknown;
  Object.assign(pool, {
    query: (...args: unknown[]) => {
      queries++;
      return query(...args);
    },
  });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const trips = async (work: Promise<unknown>): Promise<number> => {
  queries = 0;
  await work;
  return queries;
};

const update = (id: string, second: number, name = String(second)) => ({
  source: "event" as const,
  now: NOW,
  draw: `draw_${id}_${second}`,
  units: [
    {
      receipt: receipt(`evt_${id}_${second}`),
      snapshots: [event("products", id, second, { name })],
    },
  ],
});

const nameIn = (content: unknown) => (content as { name?: string } | null)?.name ?? null;
/** The names before and after each change of an object. */
const told = async (store: Store, id: string) =>
  (await store.recordsOf("change", `products ${id}`, "", 100)).map(({ data }) =>
    [data.before, data.after].map(nameIn),
  );

/** An object that a store remembers. */
async function remembered(store: Store, ...ids: readonly string[]): Promise<void> {
  for (const second of [100, 110, 120]) {
    await Promise.all(ids.map((id) => store.commit(update(id, second))));
  }
  await pool.query("DELETE FROM billing.backend_billing_records WHERE kind = 'change'");
}

it("an event that is told takes as many round trips as one that is not", async () => {
  const store = createPostgresStore({ pool });
  await store.commit(update("prod_1", 100));
  expect(await trips(store.commit(update("prod_1", 110)))).toBe(2);
  expect(await trips(store.commit(update("prod_1", 120)))).toBe(1);
  expect(await told(store, "prod_1")).toEqual([
    ["100", "110"],
    ["110", "120"],
  ]);
  const [first] = await store.recordsOf("change", "products prod_1", "", 1);
  expect(first).toMatchObject({
    revision: 1,
    due: NOW - AHEAD,
    data: { key: "draw_prod_1_110.prod_1.2", resource: "products", id: "prod_1", at: NOW },
  });
});

it("events that came together are told, each with its own contents, and no content again", async () => {
  const store = createPostgresStore({ pool });
  const ids = ["prod_11", "prod_12", "prod_13", "prod_14"];
  await remembered(store, ...ids);
  const together = ids.map((id) =>
    store.commit(update(id, 130, id === "prod_13" ? "120" : `${id} new`)),
  );
  expect(await trips(Promise.all(together))).toBe(2); // one for each of the two groups
  const all = await Promise.all(ids.map((id) => told(store, id)));
  expect(all).toEqual([
    [["120", "prod_11 new"]],
    [["120", "prod_12 new"]],
    [],
    [["120", "prod_14 new"]],
  ]);
});

it("a customer's change is told with its contents, also by the commit that links it", async () => {
  const store = createPostgresStore({ pool });
  const commit = (second: number, records?: readonly RecordWrite[]) =>
    store.commit({
      ...batch(event("customers", "cus_1", second, { name: String(second) })),
      draw: `draw_${second}`,
      ...(records && { records }),
    });
  const next = { ref: "cus_1", due: null, data: {} };
  await commit(100);
  await commit(200);
  await commit(300, [{ kind: "claim", id: "user_1", expect: 0, next }]);
  await commit(400);
  const changes = await store.recordsOf("change", "customers cus_1", "", 100);
  expect(changes.map(({ data }) => [nameIn(data.before), nameIn(data.after)])).toEqual([
    ["100", "200"],
    ["200", "300"],
    ["300", "400"],
  ]);
  expect((await store.row("customers", "cus_1"))?.entityId).toBe("user_1");
});

it("what another process has written meanwhile is what was before", async () => {
  const [ours, theirs] = [createPostgresStore({ pool }), createPostgresStore({ pool })];
  await remembered(ours, "prod_21");
  await theirs.commit(update("prod_21", 200));
  await ours.commit(update("prod_21", 300));
  expect(await told(ours, "prod_21")).toEqual([
    ["120", "200"],
    ["200", "300"],
  ]);
});

it("a row that was removed behind the library's back is put back, and not told to be new", async () => {
  const store = createPostgresStore({ pool });
  await remembered(store, "prod_31");
  await pool.query("DELETE FROM billing.backend_billing_products WHERE product_id = 'prod_31'");
  await store.commit(update("prod_31", 200));
  expect((await store.row("products", "prod_31"))?.stripe).toMatchObject({ name: "200" });
  expect(await told(store, "prod_31")).toEqual([]); // never listed: what is found is no news
});

it("every step is told once, in order and without a gap, where processes write the same objects", async () => {
  const stores = [1, 2, 3].map(() => createPostgresStore({ pool }));
  await Promise.all(
    Array.from({ length: 9 }, async (_, worker) => {
      for (let round = 0; round < 15; round++) {
        const id = `shared_${(worker * 7 + round) % 3}`;
        const second = 1_000 + 100 * round + 10 * worker;
        await stores[worker % 3]?.commit({
          ...batch(event("products", id, second, { name: String(second) })),
          draw: `draw_${worker}_${round}`,
        });
      }
    }),
  );
  for (const id of ["shared_0", "shared_1", "shared_2"]) {
    const steps = await told(stores[0] as Store, id);
    expect(steps.length).toBeGreaterThan(5);
    steps.slice(1).forEach(([before], n) => {
      expect(before).toBe(steps[n]?.[1]);
    });
  }
});

const PERSON = { id: "x", customer: "cus_9", email: "ada@example.com" };

it("an event that is told as it came takes one round trip, and none is told twice or of one who was erased since", async () => {
  const [store, other] = [createPostgresStore({ pool }), createPostgresStore({ pool })];
  const raw = (n: number) => {
    const event = { id: `evt_raw${n}`, type: "x", data: { object: PERSON } };
    const requests = [eventRequest(event.id, event, NOW)];
    return {
      source: "event" as const,
      now: NOW,
      units: [{ receipt: receipt(event.id), requests }],
    };
  };
  const kept = async (n: number) => {
    const [change] = await store.recordsOf("change", `event evt_raw${n}`, "", 2);
    return change?.data.after;
  };
  await store.commit(raw(1));
  expect(await trips(store.commit(raw(2)))).toBe(1);
  expect(await kept(2)).toMatchObject({ data: { object: PERSON } });
  expect(await store.commit(raw(2))).toMatchObject({ units: [{ duplicate: true }] });
  const listening = await other.record("setting", "listening");
  const data = afterErasure(listening?.data as unknown as StoredListening) as object as RecordData;
  const next = { ref: null, due: null, data };
  const erased = { ref: null, due: null, data: { customers: [] } };
  await other.commit({
    source: "record",
    now: NOW,
    units: [],
    records: [
      { kind: "setting", id: "listening", expect: listening?.revision ?? 0, next },
      { ...erasedKey("cus_9"), expect: 0, next: erased },
    ],
  });
  await store.commit(raw(3));
  expect(JSON.stringify(await kept(3))).not.toContain(PERSON.email);
});
