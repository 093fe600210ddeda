// Every relative link of the documentation leads to a file, and to a heading of it where it names one:
// in the repository, where the pages are read too. (`npm run docs:build` looks at the site's own links.)
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../../..");

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !/^(reference|\.vitepress)\//.test(name))
    .map((name) => join("docs", name)),
].map((name) => join(root, name));

/** Without code, in which brackets mean something else. */
const prose = (path: string): string =>
  readFileSync(path, "utf8").replace(/^ *```[\s\S]*?^ *```/gm, "");

/** As the hosts of repositories name a heading. */
const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

const headings = (path: string): string[] =>
  [...prose(path).matchAll(/^#+ (.+)$/gm)].map((match) => slug(match[1] ?? ""));

function problem(page: string, link: string): string | undefined {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : resolve(dirname(page), path);
  const told = `${relative(root, page)}: ${link}`;
  if (!existsSync(target)) return `${told}, no such file`;
  if (anchor === undefined || statSync(target).isDirectory()) return undefined;
  return headings(target).includes(anchor) ? undefined : `${told}, no such heading`;
}

it("every relative link leads somewhere", () => {
  const links = pages.flatMap((page) =>
    [
      ...prose(page)
        .replace(/`[^`\n]*`/g, "")
        .matchAll(/\]\(([^)\s]+)\)/g),
    ]
      .map((match) => match[1] ?? "")
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => ({ page, link })),
  );
  expect(links.length).toBeGreaterThan(80);
  expect(links.flatMap(({ page, link }) => problem(page, link) ?? [])).toEqual([]);
});
