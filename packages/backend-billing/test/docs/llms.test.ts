// What is written for language models has every page of the documentation, in the order of the sidebar.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import site from "../../../../docs/.vitepress/config.js";
import { type SidebarItem, writeForModels } from "../../../../scripts/docs/llms.js";

const docs = resolve(import.meta.dirname, "../../../../docs");
const sidebar = site.themeConfig?.sidebar as SidebarItem[];
const pages = readdirSync(docs, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md") && !/^(index\.md$|reference\/|\.vitepress\/)/.test(path))
  .sort();

let folder: string;
const text = (name: string) => readFileSync(join(folder, name), "utf8");
const listed = (pattern: RegExp, name: string) =>
  [...text(name).matchAll(pattern)].map((match) => match[1] ?? "");
const inList = () => listed(/^- \[.+?\]\(\/(.+?)\): \S/gm, "llms.txt");

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "llms-"));
  writeForModels({ srcDir: docs, outDir: folder }, sidebar);
});
afterAll(() => rmSync(folder, { recursive: true }));

it("llms.txt lists every page once, with a sentence", () => {
  expect(pages.length).toBeGreaterThan(40);
  expect(inList().sort()).toEqual(pages);
});

it("begins with what the sidebar names, in its order", () => {
  const named = sidebar
    .flatMap(({ link, items = [] }) => [link, ...items.map((item) => item.link)])
    .filter((link) => link !== undefined && link !== "/reference/")
    .map((link) => `${link?.slice(1).replace(/\/$/, "/index")}.md`);
  expect(inList().slice(0, named.length)).toEqual(named);
});

it("llms-full.txt holds them all, in the same order", () => {
  expect(listed(/^<!-- \/(.+\.md) -->$/gm, "llms-full.txt")).toEqual(inList());
  expect(text("llms-full.txt")).toContain(readFileSync(join(docs, "concepts.md"), "utf8").trim());
});

it("every page that is listed is there as Markdown", () => {
  for (const page of inList()) expect(text(page)).toMatch(/^# /m);
});
