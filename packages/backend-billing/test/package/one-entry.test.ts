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
  topups: resource<Stripe.Topup>()({
    table: "backend_billing_topups",
    object: "topup",
    idField: "topupId",
    columns: { sourceGroup: { from: "transfer_group", nullable: true } },
    indexes: { byTopupId: "topupId", bySourceGroup: "sourceGroup", byStatus: "stripe.status" },
    api: (stripe) => stripe.topups,
    upsertedBy: ["topup.created", "topup.succeeded", "topup.failed"],
  }),
`;
const PROBE = `
import { effectsByEvent, enabledEvents, type Row } from "./src/index.js";
import { printMigrations } from "./src/postgres/schema/migrations.js";
import { createMemoryStore } from "./src/memory/store.js";

const row: Pick<Row<"topups">, "topupId" | "sourceGroup"> = { topupId: "tu_1", sourceGroup: "ours" };
const store = createMemoryStore({ resources: "all" });
await store.commit({
  source: "event",
  now: 1,
  units: [{ snapshots: [{
    resource: "topups", id: row.topupId, origin: "event", kind: "changed", usable: true, lo: 1, hi: 2,
    content: { id: "tu_1", transfer_group: "ours" } as never,
  }] }],
});
console.log(JSON.stringify({
  events: enabledEvents(["topups"]),
  effect: effectsByEvent(["topups"]).get("topup.failed"),
  sql: printMigrations({ resources: ["topups"] }),
  row: await store.row("topups", "tu_1"),
}));
`;

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "one-entry-"));
  cpSync(join(library, "src"), join(copy, "src"), { recursive: true });
  cpSync(join(library, "package.json"), join(copy, "package.json"));
  cpSync(join(root, "tsconfig.json"), join(copy, "tsconfig.json"));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const table = join(copy, "src/core/catalogue/entries/further.ts");
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
  expect(events).toEqual(["topup.created", "topup.failed", "topup.succeeded"]);
  expect(effect).toEqual([{ kind: "upsert", resource: "topups" }]);
  expect(sql).toContain('"backend_billing_topups"');
  expect(sql).toContain("backend_billing_topups_byStatus");
  expect(row).toMatchObject({ topupId: "tu_1", sourceGroup: "ours" });
});

it("the copy compiles with it, row types included", { tags: ["slow"] }, () => {
  const tsc = join(root, "node_modules/typescript-native/bin/tsc");
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
