// What is in the package: the pages that are needed beside an installed package, and no maps to
// sources that are not in it. What the code weighs is weighed after a build, by `npm run check:package`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { packed } from "../../../../scripts/house/packed.js";

const root = resolve(import.meta.dirname, "../../../..");
const text = (path: string): string => readFileSync(resolve(root, path), "utf8");

it("brings the pages to start with, and no others", { timeout: 60_000 }, () => {
  const files = packed().files.map(({ path }) => path);
  const pages = files.filter((path) => !/^(dist|templates)\//.test(path));
  expect(pages.filter((path) => path.startsWith("docs/")).sort()).toEqual([
    "docs/concepts.md",
    "docs/errors.md",
    "docs/pricing-page.md",
    "docs/recipes/auth.md",
    "docs/recipes/reactions.md",
    "docs/recipes/restore.md",
    "docs/recipes/roles.md",
    "docs/recipes/servers.md",
    "docs/start/convex.md",
    "docs/start/postgres.md",
    "docs/testing.md",
    "docs/variants.md",
  ]);
  expect(pages).toContain("SECURITY.md");
  // The rest of the bound is the code's.
  expect(
    gzipSync(pages.map((page) => text(`packages/backend-billing/${page}`)).join("")).length,
  ).toBeLessThan(30_000);
});

it("brings the templates of the pricing page, and not what stands for an application in them", {
  timeout: 60_000,
}, () => {
  const files = packed().files.map(({ path }) => path);
  const place = "templates/pricing-page";
  const all = readdirSync(resolve(root, "packages/backend-billing", place), { recursive: true });
  const wanted = all.map(String).filter((path) => /^(page|node|convex)\//.test(path));
  expect(wanted.length).toBeGreaterThan(5);
  expect(files.filter((path) => path.startsWith("templates/")).sort()).toEqual(
    wanted.map((path) => `${place}/${path}`).sort(),
  );
});

it("has a README whose links lead somewhere in the repository, which is where npm looks", () => {
  const links = [...text("README.md").matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((all) => all[1]);
  expect(links.length).toBeGreaterThan(10);
  const missing = links.filter((link) => !existsSync(resolve(root, posix.normalize(link ?? ""))));
  expect(missing).toEqual([]);
});

it("has no source map, because the sources are not in it", () => {
  const { compilerOptions } = JSON.parse(text("packages/backend-billing/tsconfig.build.json")) as {
    compilerOptions: { [name: string]: unknown };
  };
  expect(compilerOptions).not.toHaveProperty("sourceMap");
  expect(compilerOptions).not.toHaveProperty("declarationMap");
  expect(text("tsconfig.json")).not.toMatch(/sourceMap|declarationMap/i);
});

/** Binaries of other platforms than CI's, which the registry that the lockfile was made with lacks. */
const ELSEWHERE =
  /(android|darwin|win32|freebsd|openbsd|openharmony|musl|arm|ppc64|riscv64|s390x|loong64)/;

it("pins every dependency by a sum of its content, but for other platforms' binaries", () => {
  const { packages } = JSON.parse(text("package-lock.json")) as {
    packages: { [path: string]: Locked };
  };
  // What is not below node_modules is a package of this repository.
  const all = Object.entries(packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && !link,
  );
  const unpinned = all.filter(([, { integrity }]) => !integrity);
  expect(unpinned.filter(([path, { optional }]) => !optional || !ELSEWHERE.test(path))).toEqual([]);
  expect(all.filter(([, { resolved }]) => resolved).map(([path]) => path)).toEqual([]);
});

interface Locked {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly resolved?: string;
}
