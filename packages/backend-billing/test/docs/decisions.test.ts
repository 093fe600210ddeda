// The index of the decision records has each of them once, in their order, under its own title.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const folder = resolve(import.meta.dirname, "../../../../docs/decisions");
const text = (name: string): string => readFileSync(join(folder, name), "utf8");

const records = readdirSync(folder)
  .filter((name) => /^\d{4}-.*\.md$/.test(name))
  .sort();
const rows = [...text("README.md").matchAll(/^\| \[(\d{4})\]\(\.\/(.+?)\) \| (.+) \|$/gm)];

it("the index names every record, in order", () => {
  expect(rows.map(([, , file]) => file)).toEqual(records);
});

it("a record has the number of its file, and the index may add to its title", () => {
  expect(rows.length).toBeGreaterThan(25);
  for (const [, number = "", file = "", said = ""] of rows) {
    const [, own, title = ""] = /^# (\d{4}): (.+)/.exec(text(file)) ?? [];
    expect([number, own], file).toEqual([file.slice(0, 4), number]);
    expect(said.toLowerCase().startsWith(title.toLowerCase()), `${said}: ${title}`).toBe(true);
  }
});
