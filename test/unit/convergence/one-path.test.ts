// There is one path to the tables: a snapshot, judged by the rule, in a store's commit. These tests
// read the sources for a second one.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Store } from "../../../src/core/mirror/store.js";
import { createMemoryStore } from "../../../src/testing/memory-store.js";
import { batch, event, NOW, receipt } from "../../../support/conformance/fixtures.js";

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path: join("src", path), text: readFileSync(join("src", path), "utf8") }));
/** The double keeps tables of its own, which are Stripe's. */
const ours = sources.filter(
  ({ path }) => !path.startsWith("src/testing/") || path === "src/testing/memory-store.ts",
);
const textOf = (path: string) => sources.find((source) => source.path === path)?.text ?? "";

interface Write {
  /** The statement's verb and what it is about, as it stands in the source. */
  readonly what: string;
  /** Some of what follows, and the function around it so far. */
  readonly rest: string;
  readonly around: string;
}

/** `FOR UPDATE OF`, `FOR UPDATE SKIP LOCKED` and `DO UPDATE SET` change nothing by themselves. */
const NO_TARGETS = ["OF", "SKIP", "SET"];

/** Whatever changes a table: SQL in a text, or a call of Convex's database. */
function writesIn(text: string): Write[] {
  const sql = /\b(INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|TRUNCATE|COPY)\s+(\$\{[^}]+\}|"?\w+)/g;
  const convex = /\b(?:db|mirror|mirrorOf\(\w+\))\.(insert|patch|replace|delete)\(/g;
  return [...text.matchAll(sql), ...text.matchAll(convex)]
    .filter(([, , target = ""]) => !NO_TARGETS.includes(target))
    .map(({ 0: what, index }) => ({
      what,
      rest: text.slice(index, index + 160),
      around: text.slice(text.lastIndexOf("\nexport ", index), index),
    }));
}

/** The names that a file imports from another. */
function importsFrom(text: string, specifier: string): string[] {
  const found = [...text.matchAll(/import (type )?\{([^}]*)\} from "([^"]+)"/g)];
  return found
    .filter(([, isType, , from]) => from === specifier && isType === undefined)
    .flatMap(([, , names = ""]) => names.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
}

/** Who may write to tables, and what. */
const WRITERS: { readonly [path: string]: "a commit" | "leases and records" | "migrations" } = {
  "src/postgres/store/sql.ts": "a commit",
  "src/postgres/commit/write-statement.ts": "a commit",
  "src/postgres/store/store.ts": "leases and records",
  "src/postgres/schema/migrations.ts": "migrations",
  "src/convex/store/commit.ts": "a commit",
  "src/convex/store/asks.ts": "leases and records",
  "src/convex/store/records.ts": "leases and records",
  "src/convex/schedule.ts": "leases and records",
};

describe("the sources", () => {
  it("are read by these tests for what they look for", () => {
    const seen = (text: string) => writesIn(text).map(({ what }) => what);
    expect(seen("await pool.query(`UPDATE backend_billing_products SET x = 1`)")).toHaveLength(1);
    expect(seen("`INSERT INTO ${" + "names.table(resource)} (a) VALUES (1)`")).toHaveLength(1);
    expect(seen("await ctx.db.patch(row._id, { stripe: null })")).toEqual(["db.patch("]);
    expect(seen('await ctx.db.insert("backend_billing_products", row)')).toHaveLength(1);
    expect(seen("SELECT 1 FROM a ORDER BY b FOR UPDATE OF v")).toEqual([]);
    expect(seen("ON CONFLICT DO UPDATE SET a = 1")).toEqual([]);
    expect(importsFrom('import { type A, b } from "./x.js";', "./x.js")).toEqual(["b"]);
  });

  it("write to tables in few places, each of which is known", () => {
    const writers = ours.filter(({ text }) => writesIn(text).length > 0).map(({ path }) => path);
    expect(writers.filter((path) => WRITERS[path] === undefined)).toEqual([]);
    expect(writers).toContain("src/postgres/store/sql.ts");
  });

  it("touch what is mirrored, outside of a commit, only to lease an ask", () => {
    const leases = ours.filter(({ path }) => WRITERS[path] === "leases and records");
    for (const { path, text } of leases) {
      for (const { what, rest, around } of writesIn(text)) {
        const isLease = /SET ask_at = |\{ askAt: /.test(rest);
        const isElsewhere = /names\.(records|receipts)|backend_billing_records/.test(rest);
        // Convex knows a document by its id: then the function says which table it is from.
        const isById =
          /\.(patch|delete)\(/.test(what) &&
          (!text.includes("backend_billing_versions") ||
            around.includes('"backend_billing_receipts"'));
        expect(isLease || isElsewhere || isById, `${path}: ${rest}`).toBe(true);
      }
      expect(text, path).not.toMatch(/\bmirror(Of\(\w+\))?\.(insert|patch|replace|delete)/);
    }
  });

  it("use the statements of a commit on PostgreSQL nowhere else", () => {
    const inCommit = ["src/postgres/commit/commit.ts", "src/postgres/commit/apply-records.ts"];
    const outside = ours.filter(
      ({ path }) => path.startsWith("src/postgres/") && !inCommit.includes(path),
    );
    for (const { path, text } of outside) {
      expect(importsFrom(text, "../commit/write-statement.js"), path).toEqual([]);
      for (const name of [
        ...importsFrom(text, "./sql.js"),
        ...importsFrom(text, "../store/sql.js"),
      ]) {
        const [, body = ""] = textOf("src/postgres/store/sql.ts").split(`export function ${name}(`);
        const own = body.split(/^export /m)[0] ?? "";
        expect(writesIn(own), `${path} imports ${name}`).toEqual([]);
      }
    }
  });

  it("judge in one place, which only a store's commit calls", () => {
    const judges = ours.filter(({ text }) => /\bjudge\b.* from "[./a-z]*\/rule\.js"/.test(text));
    expect(judges.map(({ path }) => path)).toEqual(["src/core/mirror/plan.ts"]);
    const planners = ours.filter(({ text }) => /\bplanCommit\(/.test(text)).map(({ path }) => path);
    const stores = planners.filter((path) => path !== "src/core/mirror/plan.ts");
    for (const path of stores) {
      expect(path).toMatch(
        /^src\/(testing\/memory-store|postgres\/commit\/(commit|plan|group)|convex\/store\/commit)\.ts$/,
      );
    }
  });

  it("make snapshots only where it is known when they were true", () => {
    const makers = ours.filter(({ text }) => /\borigin: "/.test(text)).map(({ path }) => path);
    expect(makers.sort()).toEqual(["src/core/events/refetch.ts", "src/core/mirror/snapshot.ts"]);
  });
});

describe("the port", () => {
  type Method = Exclude<keyof Store, "limits" | "commit">;
  const lease = { now: NOW + 10_000, lease: 1, limit: 10 };
  /** Every way into a store but the one that writes; the compiler asks for each that is added. */
  const calls: { readonly [M in Method]: (store: Store) => unknown } = {
    kept: (store) => store.kept?.({ id: "prod_1" }),
    takeAsks: (store) => store.takeAsks(lease),
    postponeAsk: (store) =>
      store.postponeAsk({ resource: "products", id: "prod_1", revision: 2 }, 1),
    takeRecords: (store) => store.takeRecords("refresh", lease),
    pruneReceipts: (store) => store.pruneReceipts(NOW + 1, 10),
    record: (store) => store.record("refresh", "cus_1"),
    claimed: (store) => store.claimed?.("user_1"),
    recordsOf: (store) => store.recordsOf("refresh", "", "", 10),
    records: (store) => store.records("refresh", "", 10),
    version: (store) => store.version("products", "prod_1"),
    unconfirmed: (store) => store.unconfirmed("products", 1_000, "", 10),
    row: (store) => store.row("products", "prod_1"),
    rows: (store) => store.rows("products", "", 10),
    plans: (store) => store.plans(),
    offers: (store) => store.offers(["price_1"]),
    customerOf: (store) => store.customerOf("user_1"),
    activeSubscriptionsOf: (store) => store.activeSubscriptionsOf("user_1"),
  };

  it("is all that the core knows of a database", () => {
    const core = ours.filter(({ path }) => path.startsWith("src/core/"));
    const called = core.flatMap(({ text }) =>
      [...text.matchAll(/\bstore\.(\w+)(?:\?\.)?\(/g)].map(([, name = ""]) => name),
    );
    expect(called.filter((name) => name !== "commit" && !(name in calls))).toEqual([]);
    expect(called).toContain("commit");
  });

  it("changes rows and versions by a commit and by nothing else", async () => {
    const store = createMemoryStore();
    const next = { ref: null, due: NOW, data: {} };
    await store.commit({
      ...batch(event("products", "prod_1", 100), event("products", "prod_1", 101, { name: "B" })),
      records: [{ kind: "refresh", id: "cus_1", expect: 0, next }],
    });
    await store.commit({ source: "event", now: NOW, units: [{ receipt: receipt("evt_1") }] });
    const held = async () => ({
      rows: await store.rows("products", "", 10),
      version: await store.version("products", "prod_1"),
    });
    const before = await held();
    for (const [name, call] of Object.entries(calls)) {
      await call(store);
      expect(await held(), name).toEqual(before);
    }
  });
});
