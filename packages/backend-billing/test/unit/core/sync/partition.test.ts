// How partitions are stored: as every version did, so that a run begun by one is worked at by another.
import { describe, expect, it } from "vitest";
import type { StoredRecord } from "../../../../src/core/mirror/store.js";
import {
  BEGUN,
  groupOf,
  type Partition,
  partitionData,
  partitionOf,
  type TaskName,
  UNREAD,
  UNSCANNED,
  UNSUMMED,
} from "../../../../src/core/sync/run/partition.js";

const range = { from: null, to: 900 };
const each: { readonly [T in TaskName]: Partition<T> } = {
  list: { ...UNREAD, task: "list", resource: "prices", list: 1, range },
  events: { ...UNREAD, task: "events", resource: "events", list: 2 },
  sweep: {
    ...UNSCANNED,
    task: "sweep",
    resource: "customers",
    sweep: { since: 0, allowed: 20, unknown: 0 },
  },
  scan: { ...UNSCANNED, task: "scan", resource: "customers", buckets: [], mirror: UNSUMMED },
  sample: {
    ...UNSCANNED,
    task: "sample",
    resource: "customers",
    listed: false,
    sample: { size: 5, population: 0, chosen: [], probes: [] },
  },
  settle: { ...BEGUN, task: "settle", resource: "asks" },
  usage: {
    ...BEGUN,
    task: "usage",
    resource: "usage",
    cursor: { entityId: "org_1", feature: "calls" },
    pending: [],
    differing: 0,
    examples: [],
  },
};

/** Through the store and back. */
const stored = (partition: Partition): StoredRecord["data"] =>
  JSON.parse(JSON.stringify(partitionData(partition)));

it.each(Object.values(each))("a partition of the task $task is read as it was written", (one) => {
  expect(partitionOf({ data: stored(one) })).toMatchObject({ ...one });
  expect(groupOf(partitionOf({ data: stored(one) }))).toBe(groupOf(one));
});

it.each([
  ["list", "list prices 1", "list", 1],
  ["events", "events events 2", "events", 2],
  ["sweep", "sweep customers 0", "sweep", 0],
  ["scan", "sweep customers 0", "sweep", 0],
  ["sample", "sample customers 0", "sample", 0],
  ["settle", "settle asks 0", "settle", 0],
] as const)("of the task %s the group is %s and the stored task %s", (name, group, task, list) => {
  expect(groupOf(each[name])).toBe(group);
  expect(stored(each[name])).toMatchObject({ task, list });
});

describe("what the version before stored", () => {
  const before = { ...UNREAD, resource: "customers", list: 0 };
  it("is read as a scan where it was one, with nothing summed up yet", () => {
    const data = { ...before, task: "sweep", buckets: [1, 2] };
    expect(partitionOf({ data })).toMatchObject({
      task: "scan",
      buckets: [1, 2],
      mirror: UNSUMMED,
    });
  });
  it("is read as a scan that was under way", () => {
    const mirror = { buckets: [], differing: [3] };
    const data = { ...before, task: "sweep", buckets: [1, 2], cursor: "cus_1", mirror };
    expect(partitionOf({ data })).toMatchObject({ task: "scan", cursor: "cus_1", mirror });
  });
  it("is read as a sweep where it was one", () => {
    const data = { ...before, task: "sweep", sweep: { since: 5, allowed: 20, unknown: 1 } };
    expect(partitionOf({ data })).toMatchObject({ task: "sweep", sweep: { since: 5 } });
  });
});
