import { expect, it } from "vitest";
import { event } from "../../../../../../support/conformance/fixtures.js";
import type { RecordWrite } from "../../../../src/core/mirror/store.js";
import { deferRecords } from "../../../../src/core/sync/work/deferred.js";
import { createMemoryStore } from "../../../../src/memory/store.js";

const put = (kind: RecordWrite["kind"], id: string, expected: number, data = {}): RecordWrite => ({
  kind,
  id,
  expect: expected,
  next: {
    ref: kind === "partition" ? "run_1" : null,
    due: kind === "partition" ? 1 : null,
    data,
  },
});
const batch = (...records: readonly RecordWrite[]) => ({
  source: "record" as const,
  now: 1,
  units: [],
  records,
});
const lease = { now: 10, lease: 1_000, limit: 10 };
const opening = [put("setting", "runs", 0), put("run", "run_1", 0), put("partition", "run_1 a", 0)];

it("keeps the records of a run in memory until they are flushed", async () => {
  const store = createMemoryStore();
  const deferred = deferRecords(store);
  await deferred.store.commit(batch(...opening));
  const [taken] = await deferred.store.takeRecords("partition", lease);
  expect(taken).toMatchObject({ id: "run_1 a", revision: 2, due: 1_010 });
  expect(await deferred.store.takeRecords("partition", lease)).toEqual([]);
  expect(await store.records("run", "", 10)).toEqual([]);
  expect(await deferred.flush(20)).toBe(true);
  expect(await store.record("run", "run_1")).toMatchObject({ revision: 1 });
  expect(await store.recordsOf("partition", "run_1", "", 10)).toMatchObject([{ due: 1_010 }]);
});

it("commits what a page shows at once, without the records beside it", async () => {
  const store = createMemoryStore();
  const deferred = deferRecords(store);
  const snapshots = [event("products", "prod_1", 100, { name: "A" })];
  const page = { ...batch(...opening), source: "page" as const, units: [{ snapshots }] };
  expect(await deferred.store.commit(page)).toMatchObject({ committed: true });
  expect(await store.row("products", "prod_1")).toBeDefined();
  expect(await store.record("run", "run_1")).toBeUndefined();
});

it("refuses a write over another revision than the one in memory", async () => {
  const { store } = deferRecords(createMemoryStore());
  await store.commit(batch(...opening));
  await store.commit(batch(put("run", "run_1", 1)));
  const late = await store.commit(batch(put("run", "run_1", 1)));
  expect(late).toEqual({ committed: false, conflict: { kind: "run", id: "run_1" } });
});

it("flushes nothing if another process has opened a run meanwhile", async () => {
  const store = createMemoryStore();
  const deferred = deferRecords(store);
  await deferred.store.commit(batch(...opening));
  await store.commit(batch(put("setting", "runs", 0, { backfill: "run_2" })));
  expect(await deferred.flush(20)).toBe(false);
  expect(await store.record("run", "run_1")).toBeUndefined();
});

it("shows a run of the store with what was changed in memory, and removes it", async () => {
  const store = createMemoryStore();
  await store.commit(batch(...opening, put("partition", "run_1 b", 0)));
  const deferred = deferRecords(store);
  await deferred.store.commit(batch(put("partition", "run_1 a", 1, { state: "done" })));
  await deferred.store.commit(batch(put("partition", "run_1 aa", 0)));
  const all = await deferred.store.recordsOf("partition", "run_1", "", 10);
  expect(all.map(({ id, data }) => [id, data])).toEqual([
    ["run_1 a", { state: "done" }],
    ["run_1 aa", {}],
    ["run_1 b", {}],
  ]);
  expect(await deferred.store.recordsOf("partition", "run_1", "", 1)).toHaveLength(1);
  const removal = { kind: "partition", id: "run_1 b", expect: 1, next: null } as const;
  await deferred.store.commit(batch(removal));
  expect(await deferred.flush(20)).toBe(true);
  const left = await store.recordsOf("partition", "run_1", "", 10);
  expect(left.map(({ id }) => id)).toEqual(["run_1 a", "run_1 aa"]);
});

it("leaves partitions that are in the store to their own workers", async () => {
  const store = createMemoryStore();
  await store.commit(batch(...opening));
  const deferred = deferRecords(store);
  await deferred.store.recordsOf("partition", "run_1", "", 10);
  expect(await deferred.store.takeRecords("partition", lease)).toEqual([]);
  expect(await store.takeRecords("partition", lease)).toHaveLength(1);
});

it("gives what was taken ahead to the first who takes it", async () => {
  const store = createMemoryStore();
  await store.commit(
    batch({ kind: "refresh", id: "cus_1", expect: 0, next: { ref: null, due: 1, data: {} } }),
  );
  const deferred = deferRecords(store);
  await deferred.takeAhead({ asks: lease, refresh: lease, claim: lease, lapse: lease });
  expect(await deferred.store.takeRecords("refresh", lease)).toHaveLength(1);
  expect(await deferred.store.takeRecords("refresh", lease)).toEqual([]);
});
