// Adding a mirrored resource is one entry in the resource table. A copy of the source gets one,
// and everything that follows from the table must know of it.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../../..");
const library = join(root, "packages/backend-billing");
const ENTRY = `
  disputes: resource<Stripe.Dispute>()({
    table: "backend_billing_disputes",
    object: "dispute",
    idField: "disputeId",
    columns: { chargeId: { from: "charge" } },
    indexes: { byDisputeId: "disputeId", byChargeId: "chargeId", byStatus: "stripe.status" },
    lists: [(stripe, page, options) => stripe.disputes.list(page, options)],
    listsByCreated: true,
    retrieve: (stripe, id, options) => stripe.disputes.retrieve(id, {}, options),
    upsertedBy: ["charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed"],
    deletedBy: [],
  }),
`;
const PROBE = `
import { effectsByEvent, enabledEvents, type Row } from "./src/index.js";
import { printMigrations } from "./src/postgres/schema/migrations.js";
import { createMemoryStore } from "./src/memory/store.js";

const row: Pick<Row<"disputes">, "disputeId" | "chargeId"> = { disputeId: "dp_1", chargeId: "ch_1" };
const store = createMemoryStore();
await store.commit({
  source: "event",
  now: 1,
  units: [{ snapshots: [{
    resource: "disputes", id: row.disputeId, origin: "event", kind: "changed", usable: true, lo: 1, hi: 2,
    content: { id: "dp_1", charge: "ch_1" } as never,
  }] }],
});
console.log(JSON.stringify({
  events: enabledEvents(["disputes"]),
  effect: effectsByEvent().get("charge.dispute.closed"),
  sql: printMigrations({ resources: ["disputes"] }),
  row: await store.row("disputes", "dp_1"),
}));
`;

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "one-entry-"));
  cpSync(join(library, "src"), join(copy, "src"), { recursive: true });
  cpSync(join(library, "package.json"), join(copy, "package.json"));
  cpSync(join(root, "tsconfig.json"), join(copy, "tsconfig.json"));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const table = join(copy, "src/core/catalogue/resources.ts");
  const before = readFileSync(table, "utf8");
  const after = before.replace(/\n\} as const;/, `${ENTRY}} as const;`);
  expect(after).not.toBe(before);
  writeFileSync(table, after);
  writeFileSync(join(copy, "probe.mts"), PROBE);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

it("one entry makes the table, the indexes, the events, the dispatch and the rows", () => {
  const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
  const out = execFileSync(process.execPath, [tsx, "probe.mts"], { cwd: copy, encoding: "utf8" });
  const { events, effect, sql, row } = JSON.parse(out);
  expect(events).toEqual([
    "charge.dispute.closed",
    "charge.dispute.created",
    "charge.dispute.updated",
  ]);
  expect(effect).toEqual([{ kind: "upsert", resource: "disputes" }]);
  expect(sql).toContain('"backend_billing_disputes"');
  expect(sql).toContain("backend_billing_disputes_byStatus");
  expect(row).toMatchObject({ disputeId: "dp_1", chargeId: "ch_1" });
});

it("the copy compiles with it, row types included", { tags: ["slow"] }, () => {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const arguments_ = ["--noEmit", "-p", "tsconfig.probe.json"];
  writeFileSync(
    join(copy, "tsconfig.probe.json"),
    JSON.stringify({ extends: "./tsconfig.json", include: ["probe.mts"], exclude: [] }),
  );
  const { stdout } = spawnSync(process.execPath, [tsc, ...arguments_], {
    cwd: copy,
    encoding: "utf8",
  });
  expect(stdout).toBe("");
});
