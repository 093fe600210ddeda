// A commit may be judged by what this process remembers. That must save a read and change nothing.
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listeningTo } from "../../../../support/conformance/changes.js";
import { batch, event, NOW, page, receipt } from "../../../../support/conformance/fixtures.js";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../support/postgres/database.js";
import type { Version } from "../../src/core/mirror/rule.js";
import type { Committed, RecordWrite, Store } from "../../src/core/mirror/store.js";
import { createMemory } from "../../src/postgres/commit/memory.js";
import { migrate } from "../../src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../src/postgres/store/store.js";

const at = (revision: number): Version => ({
  revision,
  state: "live",
  lo: 1,
  hi: 1,
  first: false,
  stale: false,
});

describe("the memory", () => {
  const read = (...pairs: [string, number][]) =>
    new Map(pairs.map(([key, revision]) => [key, at(revision)]));

  it("is used once it has proved right", () => {
    const memory = createMemory(10);
    memory.keep("a", at(1));
    expect(memory.recall(["a"])).toBeUndefined();
    memory.compare(read(["a", 1]));
    expect(memory.recall(["a"])).toEqual(read(["a", 1]));
  });
  it("is of no use unless it knows all that a commit is about", () => {
    const memory = createMemory(10);
    for (let n = 0; n < 2; n++) memory.compare(read(["a", 1], ["b", 1]));
    expect(memory.recall(["a", "b"])?.size).toBe(2);
    expect(memory.recall(["a", "c"])).toBeUndefined();
  });
  it("has proved nothing by what it did not know", () => {
    const memory = createMemory(10);
    memory.compare(read(["a", 1]));
    memory.compare(read(["a", 1], ["b", 1]));
    expect(memory.recall(["a"])).toBeUndefined();
  });
  it("is not used where commits would be refused more often than not", () => {
    const memory = createMemory(10);
    for (let n = 0; n < 3; n++) memory.compare(read(["a", 1], ["b", 1]));
    expect(memory.recall(["a"])).toBeDefined();
    memory.compare(read(["a", 1], ["b", 2])); // one of two is enough to refuse both
    expect(memory.recall(["a"])).toBeUndefined();
    memory.compare(read(["a", 1], ["b", 2]));
    expect(memory.recall(["a"])).toBeDefined();
  });
  it("forgets what was not used for longest", () => {
    const memory = createMemory(2);
    memory.compare(read(["a", 1]));
    memory.compare(read(["a", 1], ["b", 1]));
    memory.compare(read(["a", 1]));
    expect(memory.recall(["a", "b"])).toBeDefined();
    memory.keep("c", at(1));
    expect(memory.recall(["a"])).toEqual(read(["a", 1]));
    expect(memory.recall(["b"])).toBeUndefined();
    expect(memory.recall(["c"])).toEqual(read(["c", 1]));
  });
  it("takes from pages what it needs, and no more", () => {
    const memory = createMemory(10);
    for (let n = 0; n < 2; n++) memory.compare(read(["a", 1]));
    memory.renew("a", at(2));
    memory.renew("b", at(2));
    expect(memory.recall(["a"])).toEqual(read(["a", 2]));
    expect(memory.recall(["b"])).toBeUndefined();
  });
  it("holds no more than twice as much as it promises", () => {
    const memory = createMemory(100);
    for (let n = 0; n < 2; n++) memory.compare(read(["kept", 1]));
    for (let n = 0; n < 1000; n++) memory.keep(`${n}`, at(1));
    const known = Array.from({ length: 1000 }, (_, n) => memory.recall([`${n}`])).filter(Boolean);
    expect(known.length).toBeGreaterThanOrEqual(100);
    expect(known.length).toBeLessThanOrEqual(200);
  });
});

describe("on PostgreSQL", () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let queries = 0;
  beforeAll(async () => {
    database = await createDatabase();
    pool = createPool(database.url);
    await migrate(pool);
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
  const only = (result: Committed) => {
    if (!result.committed) throw new Error("Not committed");
    const [unit] = result.units;
    return unit?.duplicate === false ? unit.outcomes[0] : "duplicate";
  };
  const update = (id: string, second: number, eventId = `evt_${id}_${second}`) => ({
    source: "event" as const,
    now: NOW,
    units: [{ receipt: receipt(eventId), snapshots: [event("products", id, second, { second })] }],
  });

  it("an event about an object that was seen lately takes one round trip", async () => {
    const store = createPostgresStore({ pool });
    await store.commit(update("prod_1", 100));
    expect(await trips(store.commit(update("prod_1", 110)))).toBe(2);
    expect(await trips(store.commit(update("prod_1", 120)))).toBe(1);
    expect((await store.version("products", "prod_1"))?.revision).toBe(3);
  });

  it("an event is told although this process remembers that none is", async () => {
    const store = createPostgresStore({ pool });
    for (const second of [100, 110]) await store.commit(update("prod_5", second));
    expect(await trips(store.commit(update("prod_5", 120)))).toBe(1);
    const [listening, silent] = [listeningTo({ products: "changes" }), listeningTo({})];
    const records = (write: RecordWrite) =>
      createPostgresStore({ pool }).commit({
        source: "record",
        now: NOW,
        units: [],
        records: [write],
      });
    await records(listening); // another process, of a newer version
    await store.commit(update("prod_5", 130));
    const [told, ...more] = await store.records("change", "", 10);
    expect([told?.data.before, more]).toMatchObject([{ second: 120 }, []]);
    await records({ ...silent, expect: 1 });
    await store.commit(update("prod_5", 140));
    expect(await store.records("change", "", 10)).toHaveLength(1);
  });

  it("events that came together do so, too", async () => {
    const store = createPostgresStore({ pool });
    const ids = ["prod_11", "prod_12", "prod_13", "prod_14"];
    const together = (second: number) =>
      Promise.all(ids.map((id) => store.commit(update(id, second))));
    for (const second of [100, 110]) await together(second);
    expect(await trips(together(120))).toBe(2); // one for each of the two groups
    for (const id of ids) expect((await store.version("products", id))?.revision).toBe(3);
  });

  it("one that another process has changed does not harm those that came with it", async () => {
    const [ours, theirs] = [createPostgresStore({ pool }), createPostgresStore({ pool })];
    const ids = ["prod_21", "prod_22", "prod_23", "prod_24"];
    const together = (second: number) =>
      Promise.all(ids.map(async (id) => only(await ours.commit(update(id, second)))));
    for (const second of [100, 110, 120]) await together(second);
    await theirs.commit(update("prod_22", 200));
    const outcomes = await together(150);
    expect(outcomes[1]).toEqual({ act: "drop", revision: 4 });
    expect(outcomes[3]).toEqual({ act: "write", revision: 4 });
    expect((await ours.row("products", "prod_22"))?.stripe).toMatchObject({ second: 200 });
    expect((await ours.row("products", "prod_21"))?.stripe).toMatchObject({ second: 150 });
  });

  it("a page that shows an object again does not make the memory of it wrong", async () => {
    const store = createPostgresStore({ pool });
    for (const second of [100, 110, 120]) await store.commit(update("prod_5", second));
    const record = {
      kind: "setting",
      id: "page",
      expect: 0,
      next: { ref: null, due: null, data: {} },
    } as const;
    const shown = page("products", "prod_5", 130, 131, { second: 130 });
    await store.commit({
      source: "event" as const,
      now: NOW,
      units: [{ snapshots: [shown] }],
      records: [record],
    });
    expect(await trips(store.commit(update("prod_5", 140)))).toBe(1);
    expect((await store.row("products", "prod_5"))?.stripe).toMatchObject({ second: 140 });
  });

  it("a late, a doubled and an unclear event are told apart as without it", async () => {
    const store = createPostgresStore({ pool });
    for (const second of [100, 110, 120]) await store.commit(update("prod_2", second));
    expect(only(await store.commit(update("prod_2", 105)))).toEqual({ act: "drop", revision: 3 });
    expect(only(await store.commit(update("prod_2", 120)))).toBe("duplicate");
    expect(only(await store.commit(update("prod_2", 120, "evt_again")))).toEqual({
      act: "touch",
      revision: 4,
    });
    expect(only(await store.commit(update("prod_2", 121, "evt_near")))).toEqual({
      act: "ask",
      revision: 5,
    });
    expect((await store.row("products", "prod_2"))?.stripe).toMatchObject({ second: 120 });
  });

  it("what another process has changed meanwhile is found out", async () => {
    const [ours, theirs] = [createPostgresStore({ pool }), createPostgresStore({ pool })];
    for (const second of [100, 110, 120]) await ours.commit(update("prod_3", second));
    expect(only(await theirs.commit(update("prod_3", 200)))).toEqual({ act: "write", revision: 4 });
    expect(only(await ours.commit(update("prod_3", 150)))).toEqual({ act: "drop", revision: 4 });
    expect((await ours.row("products", "prod_3"))?.stripe).toMatchObject({ second: 200 });
  });

  it("a database that was put back to an earlier state is not mistaken for the later one", async () => {
    const store = createPostgresStore({ pool });
    for (const second of [100, 300, 500]) await store.commit(update("prod_4", second));
    // Another history that happens to have come to the same revision.
    await pool.query(
      "UPDATE billing.backend_billing_versions SET lo = 199, hi = 201 WHERE id = 'prod_4'",
    );
    expect(only(await store.commit(update("prod_4", 400)))).toEqual({ act: "write", revision: 4 });
    expect((await store.row("products", "prod_4"))?.stripe).toMatchObject({ second: 400 });
  });

  it("loses no step when several processes change the same objects one event at a time", async () => {
    const stores: Store[] = [1, 2, 3].map(() => createPostgresStore({ pool }));
    const raised = new Map<string, number>();
    await Promise.all(
      Array.from({ length: 12 }, async (_, worker) => {
        for (let round = 0; round < 25; round++) {
          const id = `shared_${(worker * 7 + round) % 5}`;
          const second = 1000 + 10 * round + (worker % 3);
          const result = await stores[worker % 3]?.commit(
            batch(event("products", id, second, { worker })),
          );
          const outcome = result && only(result);
          if (outcome === undefined || outcome === "duplicate") throw new Error("No outcome");
          if (outcome.act !== "drop") raised.set(id, (raised.get(id) ?? 0) + 1);
        }
      }),
    );
    for (const [id, steps] of raised) {
      expect((await stores[0]?.version("products", id))?.revision).toBe(steps);
    }
  });
});
