// Changes are told in the order of each object, and what a handler writes is there exactly once. Time
// is turned by hand.
import { getConvexSize } from "convex/values";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  type ConvexListener,
  deployListener,
  type ListenerOptions,
} from "../../../../../support/convex/listener.js";
import { storeReference } from "../../../../../support/convex/store.js";
import { OMITTED } from "../../../src/convex/calls/fit.js";
import { changeId } from "../../../src/core/mirror/changes.js";
import { DELIVERY_TIMING, type Delivery } from "../../../src/core/reactions/delivery.js";

const MINUTE = 60_000;

let listener: ConvexListener;
/** The names of products at which the handler fails. */
let bad: Set<string>;
let calls: string[];
beforeEach(() => {
  vi.useFakeTimers();
  bad = new Set();
  calls = [];
  listener = deployListener({ handle });
});
afterEach(() => {
  vi.useRealTimers();
});

const handle: ListenerOptions["handle"] = ({ id, after }) => {
  calls.push(`${id} ${after?.name}`);
  if (bad.has(after?.name ?? "")) throw new Error("No");
};

/** Lets time pass, and everything run that is scheduled until then. */
async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
  await listener.test.finishInProgressScheduledFunctions();
}

/** Jobs that are still to run, by what they do. */
const jobs = () =>
  listener.test.run(async ({ db }) =>
    (await db.system.query("_scheduled_functions").collect())
      .filter(({ state }) => state.kind === "pending")
      .map(({ args }) => (args[0] as { operation: { type: string } }).operation.type),
  );

it("are told once and in order, and forgotten then", async () => {
  await listener.change("prod_1", "A", "B");
  await listener.change("prod_2", "A");
  await listener.change("prod_1", "C");
  await pass(1_000);
  const mails = await listener.mails();
  expect(mails.filter((mail) => mail.startsWith("prod_1"))).toEqual([
    "prod_1 A",
    "prod_1 B",
    "prod_1 C",
  ]);
  expect(mails).toContain("prod_2 A");
  expect(mails).toHaveLength(4);
  expect(await listener.left()).toEqual([]);
  expect(await jobs()).toEqual(["watch"]);
  await pass(2 * MINUTE);
  expect(await jobs()).toEqual([]);
  expect(calls).toHaveLength(4);
});

it("that a handler fails on are taken back and told again, and hold back their own object alone", async () => {
  bad.add("B");
  await listener.change("prod_1", "A", "B", "C");
  await listener.change("prod_2", "A", "D");
  await pass(1_000);
  expect((await listener.mails()).sort()).toEqual(["prod_1 A", "prod_2 A", "prod_2 D"]);
  expect(await listener.left()).toMatchObject([{ attempts: 1 }, { id: "prod_1" }]);
  await pass(3_000);
  expect(calls.filter((call) => call === "prod_1 B")).toHaveLength(1);
  await pass(2_000);
  expect(calls.filter((call) => call === "prod_1 B")).toHaveLength(2);
  bad.clear();
  await pass(10_000);
  expect((await listener.mails()).slice(-2)).toEqual(["prod_1 B", "prod_1 C"]);
  expect(await listener.left()).toEqual([]);
});

it("that fail for too long are parked, and later ones go on", async () => {
  const timing = { ...DELIVERY_TIMING, longestPause: 2 * MINUTE, patience: 10 * MINUTE };
  listener = deployListener({ handle, timing });
  bad.add("A");
  await listener.change("prod_1", "A", "B");
  await pass(9 * MINUTE);
  expect(await listener.left()).toMatchObject([{ attempts: 9 }, { id: "prod_1" }]);
  expect(await listener.mails()).toEqual([]);
  await pass(5 * MINUTE);
  expect(await listener.mails()).toEqual(["prod_1 B"]);
  expect(await listener.left()).toMatchObject([{ parked: true }]);
  const tried = calls.length;
  await pass(5 * MINUTE);
  expect(calls).toHaveLength(tried);
  expect(await jobs()).toEqual([]);
});

it("whose mutation fails as a whole are tried again when the attempt is over", async () => {
  let deaths = 0;
  // As a handler that uses up what the whole transaction may take: nothing of it is committed.
  const ended: ListenerOptions["ended"] = ({ type }) => {
    if (type === "tell" && deaths++ < 2) throw new Error("Too many reads");
  };
  listener = deployListener({ handle, ended });
  await listener.change("prod_1", "A", "B");
  await pass(1_000);
  expect(await listener.left()).toMatchObject([{ attempts: 1 }, {}]);
  await pass(DELIVERY_TIMING.limit + DELIVERY_TIMING.pause);
  expect(await listener.left()).toMatchObject([{ attempts: 2 }, {}]);
  expect(await listener.mails()).toEqual([]);
  await pass(DELIVERY_TIMING.limit + 2 * DELIVERY_TIMING.pause);
  expect(await listener.mails()).toEqual(["prod_1 A", "prod_1 B"]);
  expect(calls).toHaveLength(4);
});

it("are resumed by the watchdog where every job was lost", async () => {
  await listener.change("prod_1", "A");
  await listener.test.run(async (ctx) => {
    for (const { _id, args } of await ctx.db.system.query("_scheduled_functions").collect()) {
      const { type } = (args[0] as { operation: { type: string } }).operation;
      if (type !== "watch") await ctx.scheduler.cancel(_id);
    }
  });
  await pass(50_000);
  expect(calls).toEqual([]);
  await pass(20_000);
  expect(await listener.mails()).toEqual(["prod_1 A"]);
});

it("are told by one delivery at a time, whoever asks for another one", async () => {
  await listener.change("prod_1", "A", "B");
  const operation = { type: "deliver", ref: "products prod_1" };
  for (let time = 0; time < 3; time++) await listener.test.mutation(storeReference, { operation });
  await pass(DELIVERY_TIMING.limit + MINUTE);
  expect(calls).toEqual(["prod_1 A", "prod_1 B"]);
});

it("whose turn is taken by a present state are told right after it", async () => {
  await listener.change("prod_1", "A");
  // The attempt is counted, and made by a job that has not run yet.
  const operation = { type: "deliver", ref: "products prod_1" };
  await listener.test.mutation(storeReference, { operation });
  expect(await jobs()).toContain("tell");
  expect(await listener.left()).toMatchObject([{ attempts: 1 }]);
  await listener.test.run(async ({ db }) => {
    const [found] = (await db.query("backend_billing_records").collect()).filter(
      ({ kind }) => kind === "change",
    );
    if (found === undefined) throw new Error("There is no change.");
    const { _id, _creationTime, ...record } = found;
    const { key, resource, id, at } = record.data as Delivery;
    const nothing = { key: `${key}.present`, resource, id, before: null, after: null, at };
    await db.insert("backend_billing_records", {
      ...record,
      recordId: changeId(resource, id),
      revision: 1,
      data: nothing,
    });
  });
  await pass(1_000);
  expect(await listener.mails()).toEqual(["prod_1 A"]);
  expect(await listener.left()).toEqual([]);
  await pass(2 * MINUTE);
  expect(calls).toHaveLength(1);
  expect(await jobs()).toEqual([]);
});

it("of an object that is as large as a document may be are stored in part", async () => {
  await listener.change("prod_1", "A".repeat(700_000), "B".repeat(700_000));
  const documents = await listener.test.run(({ db }) =>
    db.query("backend_billing_records").collect(),
  );
  for (const document of documents) expect(getConvexSize(document)).toBeLessThan(1024 * 1024);
  const [, changed] = await listener.left();
  expect(changed).toMatchObject({
    before: { id: "prod_1", [OMITTED]: ["name"] },
    after: { id: "prod_1", [OMITTED]: ["name"] },
  });
  await pass(1_000);
  expect(calls).toHaveLength(2);
});
