// The PostgreSQL store and the one in memory, given the same random batches, must say the same and
// hold the same. The rule itself is one function; this guards how each store feeds and applies it.
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { content, NOW } from "../../../../support/conformance/fixtures.js";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../support/postgres/database.js";
import type { ResourceName } from "../../src/core/catalogue/catalogue.js";
import type { Batch, RecordWrite, Snapshot, Store, Unit } from "../../src/core/mirror/store.js";
import { createMemoryStore } from "../../src/memory/store.js";
import { migrate } from "../../src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../src/postgres/store/store.js";

const SCHEMA = "agreement";
const RESOURCES: ResourceName[] = ["products", "customers", "subscriptions", "coupons"];
let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool(database.url);
  await migrate(pool, { schema: SCHEMA });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const snapshot: fc.Arbitrary<Snapshot> = fc
  .record({
    resource: fc.constantFrom(...RESOURCES),
    number: fc.integer({ min: 0, max: 2 }),
    origin: fc.constantFrom("event", "event", "page", "answer"),
    kind: fc.constantFrom("created", "changed", "changed", "deleted"),
    thin: fc.integer({ min: 0, max: 9 }),
    at: fc.integer({ min: 100, max: 112 }),
    length: fc.integer({ min: 0, max: 6 }),
    value: fc.integer({ min: 0, max: 2 }),
    askedAt: fc.integer({ min: 0, max: 6 }),
    missing: fc.boolean(),
  })
  .map((seen): Snapshot => {
    const id = `${seen.resource}_${seen.number}`;
    const gone = seen.kind === "deleted" && seen.origin !== "page";
    const kind = gone
      ? seen.origin === "answer" && seen.missing
        ? "missing"
        : "deleted"
      : seen.kind === "deleted"
        ? "changed"
        : seen.kind;
    const usable = seen.thin > 0 || seen.origin === "answer";
    const fields = {
      value: seen.value,
      customer: `customers_${seen.number % 2}`,
      status: "active",
    };
    return {
      resource: seen.resource,
      id,
      origin: seen.origin as Snapshot["origin"],
      kind,
      usable,
      lo: seen.at,
      hi: seen.at + seen.length,
      content: gone || !usable ? null : (content(seen.resource, id, fields) as never),
      ...(seen.origin === "answer" ? { askedAt: seen.askedAt } : {}),
    };
  });

const unit: fc.Arbitrary<Unit> = fc.record(
  {
    receipt: fc
      .integer({ min: 0, max: 6 })
      .map((n) => ({ eventId: `evt_${n}`, type: "t", created: n, objectId: null })),
    snapshots: fc.array(snapshot, { maxLength: 3 }),
    requests: fc.array(
      fc.record({
        kind: fc.constant("refresh" as const),
        id: fc.constantFrom("a", "b"),
        due: fc.integer({ min: NOW, max: NOW + 100 }),
        data: fc.constant({}),
      }),
      { maxLength: 1 },
    ),
  },
  { requiredKeys: ["snapshots"] },
);

const recordWrite: fc.Arbitrary<RecordWrite> = fc
  .record({
    which: fc.constantFrom("claim a", "claim b", "watermark products", "setting x"),
    expect: fc.integer({ min: 0, max: 3 }),
    ref: fc.constantFrom("customers_0", "customers_1", null),
    remove: fc.integer({ min: 0, max: 5 }),
    at: fc.integer({ min: 95, max: 115 }),
  })
  .map(({ which, expect: revision, ref, remove, at }): RecordWrite => {
    const [kind, id] = which.split(" ") as [RecordWrite["kind"], string];
    const next = { ref: kind === "claim" ? ref : null, due: null, data: { at } };
    return { kind, id, expect: revision, next: remove === 0 ? null : next };
  });

const step: fc.Arbitrary<Batch> = fc.record({
  source: fc.constantFrom("event", "page"),
  now: fc.integer({ min: NOW, max: NOW + 1000 }),
  units: fc.array(unit, { maxLength: 3 }),
  records: fc.array(recordWrite, { maxLength: 1 }),
});

/** Everything a store holds, without what it may choose by itself. */
async function holdings(store: Store): Promise<object> {
  const rows: Record<string, unknown> = {};
  const versions: Record<string, unknown> = {};
  for (const resource of RESOURCES) {
    const all = await store.rows(resource, "", 1000);
    rows[resource] = all
      .map(({ _id, ...row }) => JSON.stringify(row, Object.keys(row).sort()))
      .sort();
    for (const number of [0, 1, 2]) {
      const id = `${resource}_${number}`;
      versions[id] = (await store.version(resource, id)) ?? null;
      const row = await store.row(resource, id);
      versions[`${id} content`] = row?.stripe ?? null;
    }
  }
  const records = await Promise.all(
    (["claim", "watermark", "setting", "refresh"] as const).map((kind) =>
      store.records(kind, "", 100),
    ),
  );
  const asks = await store.takeAsks({ now: NOW + 10_000, lease: 0, limit: 1000 });
  return { rows, versions, records, asks: asks.map((ask) => JSON.stringify(ask)).sort() };
}

async function expectAgreement(histories: number): Promise<void> {
  const tables = await pool.query(
    `SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') AS all FROM pg_tables WHERE schemaname = $1 AND tablename <> 'backend_billing_migrations'`,
    [SCHEMA],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      await pool.query(`TRUNCATE ${tables.rows[0].all}`);
      const memory = createMemoryStore();
      const postgres = createPostgresStore({ pool, schema: SCHEMA });
      for (const each of steps) {
        expect(await postgres.commit(each)).toEqual(await memory.commit(each));
      }
      expect(await holdings(postgres)).toEqual(await holdings(memory));
    }),
    { numRuns: histories },
  );
}

it("memory and PostgreSQL agree on any of 25 histories", () => expectAgreement(25));

it("and on any of 250", { tags: ["long"] }, () => expectAgreement(250));
