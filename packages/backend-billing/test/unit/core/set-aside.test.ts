// What cannot be stored is set aside, and nothing beside it suffers.
import { describe, expect, it } from "vitest";
import {
  answer,
  batch,
  created,
  deleted,
  event,
  NOW,
  page,
  receipt,
} from "../../../../../support/conformance/fixtures.js";
import { refusalOf as convexRefusalOf } from "../../../src/convex/calls/refusal.js";
import type { Batch, Snapshot, Store } from "../../../src/core/mirror/store.js";
import { pruneAsides, setAsideNow } from "../../../src/core/runtime/commit/asides.js";
import {
  behindGateway,
  type CommitContext,
  commit,
} from "../../../src/core/runtime/commit/commit.js";
import {
  idProblem,
  isOvertaken,
  LONGEST_ID,
  unstorable,
} from "../../../src/core/runtime/commit/set-aside.js";
import { createMemoryStore } from "../../../src/memory/store.js";
import { refusalOf } from "../../../src/postgres/commit/refusal.js";

/** What the gateway needs, over a store. */
const over = (store: Store, told: string[] = []) => ({
  store: behindGateway(store, ({ id }, reason) => told.push(`${id}: ${reason}`)),
  now: () => NOW,
  wake: () => {},
});

/** A store that takes no content named "poison", and says so of the batch that it is in. */
function fussy() {
  const memory = createMemoryStore();
  let commits = 0;
  const told: string[] = [];
  const store: Store = {
    ...memory,
    commit: async (given) => {
      commits++;
      const contents = given.units.flatMap(({ snapshots = [] }) => snapshots);
      const isBad = ({ content }: Snapshot) => (content as { name?: string })?.name === "poison";
      if (contents.some(isBad)) throw unstorable("It is poison.");
      return memory.commit(given);
    },
  };
  return { ...over(store, told), told, commits: () => commits };
}

const see = (context: CommitContext, ...snapshots: Snapshot[]) =>
  commit(context, { source: "page", units: [{ snapshots }] });

const acts = async (context: CommitContext, given: Pick<Batch, "units" | "records">) => {
  const { units, records = [] } = given;
  const result = await commit(context, { source: "page", units, records });
  if (!result.committed) throw new Error("Not committed");
  return result.units.map((unit) =>
    unit.duplicate ? "duplicate" : unit.outcomes.map(({ act }) => act).join(),
  );
};

const good = (n: number) => page("products", `prod_${n}`, 100, 110, { name: `Good ${n}` });
const bad = (id = "prod_bad") => page("products", id, 100, 110, { name: "poison" });

describe("a commit", () => {
  it("stores the good objects of a page and sets the bad one aside", async () => {
    const app = fussy();
    const { store, told, commits } = app;
    const snapshots = Array.from({ length: 50 }, (_, n) => (n === 20 ? bad() : good(n)));
    const [found] = await acts(app, { units: [{ snapshots }] });
    expect(
      found
        ?.split(",")
        .map((act, n) => [n, act])
        .filter(([, act]) => act !== "write"),
    ).toEqual([[20, "aside"]]);
    expect((await store.rows("products", "", 100)).length).toBe(49);
    expect(told).toEqual(["prod_bad: It is poison."]);
    expect(commits()).toBeLessThan(20);
    expect(await setAsideNow(store)).toEqual({
      count: 1,
      examples: [
        { resource: "products", id: "prod_bad", reason: "It is poison.", at: NOW, kept: "none" },
      ],
    });
  });

  it("keeps the receipt of an event whose object is set aside, and the order of outcomes", async () => {
    const app = fussy();
    const units = ["evt_1", "evt_2", "evt_3"].map((id, n) => ({
      receipt: receipt(id),
      snapshots: [
        event("products", `prod_${n}`, 100, { name: n === 1 ? "poison" : "Good" }),
        event("subscriptions", "sub_1", 100, {}, { usable: false, content: null }),
      ],
    }));
    expect(await acts(app, { units })).toEqual(["write,ask", "aside,ask", "write,ask"]);
    expect(await acts(app, { units })).toEqual(["duplicate", "duplicate", "duplicate"]);
  });

  it("writes its records with what is set aside, or nothing of either", async () => {
    const app = fussy();
    const { store } = app;
    const write = { kind: "setting", id: "x", expect: 1, next: null } as const;
    const refused = await commit(app, { ...batch(bad()), source: "page", records: [write] });
    expect(refused).toEqual({ committed: false, conflict: { kind: "setting", id: "x" } });
    expect(await store.records("aside", "", 10)).toEqual([]);
    const data = { at: 1 };
    const put = { ...write, expect: 0, next: { ref: null, due: null, data } };
    expect(await acts(app, { ...batch(bad()), records: [put] })).toEqual(["aside"]);
    expect((await store.record("setting", "x"))?.data).toEqual(data);
  });

  it("passes on every other error", async () => {
    const away = { ...createMemoryStore(), commit: () => Promise.reject(new Error("away")) };
    await expect(see(over(away), good(1))).rejects.toThrow("away");
  });

  it("sets nothing aside where nothing at all can be stored", async () => {
    const app = fussy();
    const { store, told } = app;
    const snapshots = Array.from({ length: 20 }, (_, n) => bad(`prod_${n}`));
    await expect(see(app, ...snapshots)).rejects.toThrow("poison");
    expect(told).toEqual([]);
    expect(await store.records("aside", "", 10)).toEqual([]);
  });

  it("sets aside what has an id that no index takes, until it is deleted", async () => {
    const app = fussy();
    const { store } = app;
    const id = "x".repeat(5000);
    const snapshots = [good(1), page("coupons", id, 100, 110)];
    expect(await acts(app, { units: [{ snapshots }] })).toEqual(["write,aside"]);
    const { count, examples } = await setAsideNow(store);
    expect([count, examples[0]?.reason]).toEqual([1, "Its id is longer than 500 characters."]);
    expect(examples[0]?.id.length).toBeLessThan(200);
    await see(app, deleted("coupons", id, 120));
    expect((await setAsideNow(store)).count).toBe(0);
  });
});

describe("what is set aside", () => {
  it("is overtaken by a newer snapshot that can be stored, and its record removed", async () => {
    const app = fussy();
    const { store } = app;
    await see(app, created("products", "prod_1", 100, { name: "poison" }));
    expect((await setAsideNow(store)).count).toBe(1);
    await see(app, event("products", "prod_1", 200, { name: "mended" }));
    expect((await setAsideNow(store)).count).toBe(0);
    expect((await store.records("aside", "", 10)).length).toBe(1);
    await pruneAsides(app);
    expect(await store.records("aside", "", 10)).toEqual([]);
  });

  it("is not overtaken by what was stored before it", async () => {
    const app = fussy();
    const { store } = app;
    await see(app, created("products", "prod_1", 100, { name: "first" }));
    await see(app, event("products", "prod_1", 200, { name: "poison" }));
    expect((await setAsideNow(store)).count).toBe(1);
    expect((await store.row("products", "prod_1"))?.stripe.name).toBe("first");
    const version = await store.version("products", "prod_1");
    await see(
      app,
      answer("products", "prod_1", version?.revision ?? 0, 300, 300, { name: "poison" }),
    );
    expect((await setAsideNow(store)).count).toBe(1);
  });

  it.each([
    ["known", undefined, false],
    ["known", { state: "unknown", lo: 500, hi: 500 }, false],
    ["known", { state: "live", lo: 99, hi: 101 }, false],
    ["known", { state: "live", lo: 100, hi: 102 }, false],
    ["known", { state: "live", lo: 101, hi: 103 }, true],
    ["new", { state: "live", lo: 90, hi: 99 }, false],
    ["new", { state: "live", lo: 90, hi: 100 }, true],
    ["known", { state: "deleted", lo: 98, hi: 100 }, true],
    ["known", { state: "missing", lo: 90, hi: 99 }, false],
  ] as const)(
    "of second 100 and %s, while %j is stored: overtaken %s",
    (was, version, expected) => {
      const remembered = { lo: 100, gone: false, known: was === "known" };
      expect(isOvertaken(remembered, version)).toBe(expected);
    },
  );

  it("is over when the object is gone", () => {
    expect(isOvertaken({ lo: 100, gone: true, known: false }, undefined)).toBe(true);
  });
});

describe("an error that the content is to blame for", () => {
  const error = (code: string, more: object = {}) =>
    Object.assign(new Error("x"), { code, ...more });
  it.each([
    ["22021", {}, true], // a byte sequence that the encoding does not have
    ["22P02", {}, true],
    ["22P05", {}, true], // a character that a database of another encoding cannot hold
    ["54000", {}, true], // a row too large for an index
    ["54001", {}, true], // nested too deeply
    ["23502", {}, true],
    ["23514", { constraint: "my_check" }, true],
    ["23505", { constraint: "my_unique_names" }, true],
    ["23505", { constraint: "backend_billing_products_byProductId" }, false],
    ["22012", {}, false], // by which a write takes itself back
    ["40001", {}, false],
    ["40P01", {}, false],
    ["53100", {}, false], // the disk is full
    ["57014", {}, false],
    ["57P01", {}, false], // the server is shut down
    ["08006", {}, false],
    ["42P01", {}, false], // the table is not there
    ["25006", {}, false], // a replica that only reads
    ["ECONNREFUSED", {}, false],
  ] as const)("on PostgreSQL: %s %j is %s", (code, more, expected) => {
    expect(refusalOf(error(code, more)) !== undefined).toBe(expected);
  });

  it.each([
    ["Value is too large (1.5 MiB > maximum size 1 MiB)", true],
    ["Value is too nested (nested 70 levels deep > maximum nesting 64)", true],
    ["Array length is too long (9000 > maximum length 8192)", true],
    ["Object has too many fields (2000 > maximum number 1024)", true],
    [`Field name ${"k".repeat(1100)} exceeds maximum field name length 1024.`, true],
    ["undefined is not a valid Convex value (present at path .a).", true],
    [
      "Documents read from or written to the table changed while this mutation was being run",
      false,
    ],
    ["Too many bytes written in a single function execution", false],
    ["Your request couldn't be completed. Try again later.", false],
  ])("on Convex: %s: %s", (message, expected) => {
    expect(convexRefusalOf(new Error(message)) !== undefined).toBe(expected);
  });
});

describe("an id", () => {
  it.each([
    ["prod_1", true],
    ["Größe 日本 😀", true],
    ["x".repeat(LONGEST_ID), true],
    ["x".repeat(LONGEST_ID + 1), false],
    ["a\u0000b", false],
    ["a\ud800b", false],
  ])("%j can be stored: %s", (id, expected) => {
    expect(idProblem(id) === undefined).toBe(expected);
  });
});
