// Which phases a run has, what each begins with, and where the reading of events begins.
import { describe, expect, it } from "vitest";
import { defaultResources } from "../../../../src/core/catalogue/catalogue.js";
import { withIds } from "../../../../src/core/sync/drift/buckets.js";
import { type Partition, UNREAD } from "../../../../src/core/sync/run/partition.js";
import {
  type Circumstances,
  completeSince,
  following,
  phasesOf,
} from "../../../../src/core/sync/run/phases.js";
import { closing, isOver, newRunId, opening, type Run } from "../../../../src/core/sync/run/run.js";
import { unlocked } from "../../../../src/core/sync/tasks/list.js";
import { allowedUnknown } from "../../../../src/core/sync/tasks/sweep.js";
import { partitionsOf } from "../../../../src/core/sync/tasks/tasks.js";

const DAY = 86_400;
const run = (over: Partial<Run> = {}): Run => ({
  kind: "backfill",
  state: "running",
  phase: "list",
  startedAt: 0,
  finishedAt: null,
  open: {},
  made: {},
  from: null,
  sweeps: false,
  options: {},
  ...over,
});
const at = (done: readonly Partition[] = []): Circumstances => ({
  chosen: defaultResources,
  mirrored: defaultResources,
  taken: [],
  skew: 1,
  done,
});
type List = Partition<"list">;
const list = (resource: List["resource"], more: Partial<List> = {}): List => ({
  ...UNREAD,
  task: "list",
  resource,
  ...more,
});
const listed = (resource: List["resource"], since: number, more: Partial<List> = {}) =>
  list(resource, { since, state: "done", ...more });

describe("the phases", () => {
  it.each([
    ["a backfill", run(), ["list", "events", "settle"]],
    ["a catch-up", run({ kind: "catch-up" }), ["events", "settle"]],
    [
      "a catch-up that is too late",
      run({ kind: "catch-up", sweeps: true }),
      ["list", "sweep", "events", "settle"],
    ],
    [
      "a reconcile",
      run({ kind: "reconcile", sweeps: true }),
      ["list", "sweep", "events", "settle"],
    ],
    ["a verification", run({ kind: "verify" }), ["list", "sweep"]],
    [
      "a verification where usage is billed",
      run({ kind: "verify", options: { meters: { calls: "api_calls" } } }),
      ["list", "sweep", "usage"],
    ],
    ["a sampled verification", run({ kind: "verify", options: { sample: 5 } }), ["sample"]],
  ])("of %s", (_, given, phases) => {
    expect(phasesOf(given)).toEqual(phases);
  });

  it("a run goes through them and ends", () => {
    const seen: string[] = [];
    const done = [listed("customers", 1000)];
    for (let next: Run | undefined = run({ kind: "reconcile", sweeps: true }); next; ) {
      seen.push(next.phase);
      next = following(next, at(done), 900);
    }
    expect(seen).toEqual(["list", "sweep", "events", "settle"]);
  });
});

describe("events are read", () => {
  const after = (watermark: number | undefined, given = run()) =>
    following(
      given,
      at([listed("customers", 100 * DAY), listed("prices", 100 * DAY + 50)]),
      watermark,
    );
  it.each([
    ["from the first page less ten minutes, the first time", undefined, 100 * DAY - 600, false],
    ["from where they were read to, if that was before", 99 * DAY, 99 * DAY - 600, false],
    ["from the first page, if they were read further", 101 * DAY, 100 * DAY - 600, false],
    ["28 days back, if need be", 72 * DAY, 72 * DAY - 600, false],
    [
      "no further back than Stripe has them; then the rest is asked for",
      60 * DAY,
      100 * DAY - 600,
      true,
    ],
  ])("%s", (_, watermark, from, sweeps) => {
    expect(after(watermark)).toMatchObject({ from, sweeps, phase: sweeps ? "sweep" : "events" });
  });

  it("again from the list, when a catch-up came too late", () => {
    const late = run({ kind: "catch-up", phase: "events", sweeps: true });
    const once: Partition[] = [
      { ...UNREAD, task: "events", resource: "events", state: "done", since: 100 * DAY },
    ];
    expect(following(late, at(once), 50 * DAY)).toMatchObject({ phase: "list" });
    expect(following(late, at([...once, listed("customers", 1)]), 50 * DAY)).toMatchObject({
      phase: "settle",
    });
  });
});

describe("the partitions", () => {
  it("of the lists: every list of every resource, subscriptions once prices are known", () => {
    const first = partitionsOf(run(), at());
    expect(first.map(({ resource }) => resource)).not.toContain("subscriptions");
    let at_ = opening("r", run(), first, 0).run;
    const prices = first.filter(({ resource }) => resource === "prices");
    expect(prices).toHaveLength(2);
    expect(unlocked(at_, defaultResources)).toEqual([]);
    at_ = closing(at_, { ...(prices[0] as Partition), state: "done" });
    expect(unlocked(at_, defaultResources)).toEqual([]);
    at_ = closing(at_, { ...(prices[1] as Partition), state: "failed", error: "No." });
    const [subscriptions, ...others] = unlocked(at_, defaultResources);
    expect([subscriptions?.resource, others]).toEqual(["subscriptions", []]);
    at_ = opening("r", at_, [subscriptions as Partition], 0).run;
    expect(unlocked(at_, defaultResources)).toEqual([]);
  });

  it("of the lists in turns: what the specification names, then the rest, then lists of one owner each", () => {
    const chosen = ["coupons", "invoices", "customers", "payment_methods", "tax_ids"] as const;
    const turns: string[][] = [];
    let now = run();
    for (let next = partitionsOf(now, { ...at(), chosen }); next.length > 0; ) {
      turns.push(next.map(({ resource }) => resource));
      now = opening("r", now, next, 0).run;
      const [last, ...others] = [...next].reverse();
      for (const one of others) now = closing(now, { ...one, state: "done" });
      expect(unlocked(now, chosen)).toEqual([]);
      now = closing(now, { ...(last as Partition), state: "failed", error: "No." });
      next = unlocked(now, chosen);
    }
    expect(turns).toEqual([
      ["coupons", "customers"],
      ["invoices", "tax_ids"], // the account's own
      ["payment_methods", "tax_ids"],
    ]);
  });

  it("of the lists, when prices are not mirrored: subscriptions at once", () => {
    const some = { ...at(), chosen: ["customers", "subscriptions"] as const };
    expect(partitionsOf(run(), some).map(({ resource }) => resource)).toEqual([
      "customers",
      "subscriptions",
    ]);
  });

  it("of the sweep: what was confirmed after the first page is not asked for", () => {
    const lists = [listed("prices", 1000, { rows: 300 }), listed("prices", 990, { rows: 200 })];
    const sweeps = partitionsOf(run({ kind: "reconcile", phase: "sweep" }), at(lists));
    expect(sweeps.find(({ resource }) => resource === "prices")).toMatchObject({
      task: "sweep",
      sweep: { since: 991, allowed: 50, unknown: 0 },
    });
  });

  it("of a verification's second phase: the mirror is scanned for what its lists did not show", () => {
    const lists = [
      listed("prices", 1000, { buckets: withIds([], ["price_1"]) }),
      listed("prices", 990, { buckets: withIds([], ["price_2"]) }),
    ];
    const scans = partitionsOf(run({ kind: "verify", phase: "sweep" }), at(lists));
    expect(scans.find(({ resource }) => resource === "prices")).toMatchObject({
      task: "scan",
      buckets: withIds([], ["price_1", "price_2"]),
      mirror: { buckets: [], differing: null },
    });
  });

  it("of the events: a request for each twenty types, from the same second", () => {
    const events = partitionsOf(run({ phase: "events", from: 900 }), at());
    expect(events.map((each) => each.task === "events" && each.list)).toEqual([0, 1, 2, 3, 4]);
    for (const each of events) expect(each).toMatchObject({ range: { from: 900, to: null } });
    // Of everything that is mirrored, whatever the run lists: its end says that all were read.
    const few = { ...at(), chosen: ["invoices" as const] };
    expect(partitionsOf(run({ phase: "events", from: 900 }), few)).toEqual(events);
  });
  it("of the events that handlers take as they come: beside the others, with their names", () => {
    const taken = Array.from({ length: 21 }, (_, number) => `radar.of_${number}`);
    const events = partitionsOf(run({ phase: "events", from: 900 }), at());
    const more = partitionsOf(run({ phase: "events", from: 900 }), {
      ...at(),
      taken: [...taken, "customer.created"],
    });
    expect(more.slice(0, events.length)).toEqual(events);
    expect(more.slice(events.length)).toMatchObject([
      { list: 5, types: taken.slice(0, 20), range: { from: 900, to: null } },
      { list: 6, types: taken.slice(20) },
    ]);
  });

  it("of a sample and of the end", () => {
    const sampled = run({ kind: "verify", phase: "sample", options: { sample: 5 } });
    expect(partitionsOf(sampled, at()).map(({ resource }) => resource)).toEqual(defaultResources);
    expect(partitionsOf(sampled, at())[0]).toMatchObject({ task: "sample", sample: { size: 5 } });
    expect(partitionsOf(run({ phase: "settle" }), at())).toMatchObject([
      { task: "settle", resource: "asks" },
    ]);
  });

  it("a few objects may be unknown to Stripe, or a tenth", () => {
    expect([0, 100, 201, 10_000].map(allowedUnknown)).toEqual([20, 20, 20, 1000]);
  });

  it("a listing is complete when all of it is done", () => {
    const lists = [listed("prices", 1000), listed("prices", 990)];
    expect(completeSince(at(lists), "prices")).toBe(990);
    expect(
      completeSince(at([...lists, listed("prices", 995, { state: "failed" })]), "prices"),
    ).toBeUndefined();
    expect(completeSince(at(lists), "coupons")).toBeUndefined();
  });
});

describe("a run", () => {
  it("is over when every partition is, and remembers what failed first", () => {
    const parts = [list("prices"), list("prices", { list: 1 }), list("prices")];
    const opened = opening("run_1", run(), parts, 5);
    expect(opened.writes.map(({ id }) => id)).toEqual([
      "run_1 list prices 0 0000",
      "run_1 list prices 1 0000",
      "run_1 list prices 0 0001",
    ]);
    let now = opened.run;
    for (const [index, part] of parts.entries()) {
      expect(isOver(now)).toBe(false);
      now = closing(now, {
        ...part,
        state: index === 0 ? "done" : "failed",
        error: `No ${index}.`,
      });
    }
    expect([isOver(now), now.error]).toEqual([true, "No 1."]);
  });

  it("comes before older ones", () => {
    const ids = [1_700_000_000_000, 1_800_000_000_000, 1_800_000_000_001].map(newRunId);
    expect([...ids].sort()).toEqual([...ids].reverse());
  });
});
