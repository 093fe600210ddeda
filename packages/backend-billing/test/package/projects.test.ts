// A test outside the folders of vitest.config.ts belongs to no project, and would never run.
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import config from "../../../../vitest.config.js";

const folder = resolve(import.meta.dirname, "..");

it("every test is in the folder of a project", () => {
  const projects = (config.test?.projects ?? []).map((project) => {
    const { test } = project as { readonly test: { readonly name: string } };
    return test.name;
  });
  expect(projects).toContain("package");
  const outside = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .filter((path) => !projects.includes(path.split(/[/\\]/)[0] ?? ""));
  expect(outside).toEqual([]);
});
