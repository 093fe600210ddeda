// What is in the package: the pages that are needed beside an installed package, with links that lead
// somewhere, and no maps to sources that are not in it. What the code weighs is weighed after a build, by `npm run check:package`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
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
  ).toBeLessThan(31_000);
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

// Here and not in a file of its own: two that pack at once would get in each other's way.
const HOME = "https://github.com/backend-billing/backend-billing";
const HERE = new RegExp(`^${HOME}/(?:blob|tree|raw)/main/([^#]+)`);

const links = (text: string): string[] =>
  [...text.replace(/^ *```[\s\S]*?^ *```|`[^`\n]*`/gm, "").matchAll(/\]\(([^)\s]+)\)/g)].map(
    (match) => match[1] ?? "",
  );

describe.each(["backend-billing", "stripe-double"] as const)("%s", (name) => {
  const own = (path: string) => text(`packages/${name}/${path}`);

  it("has a README and a licence, and no link that leads nowhere", { timeout: 60_000 }, () => {
    const files = packed(name).files.map(({ path }) => path);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
    const pages = files.filter((path) => path.endsWith(".md") && !/^(dist|templates)\//.test(path));
    const lost = pages.flatMap((page) =>
      links(own(page))
        .filter((link) => !leads(page, link, files))
        .map((link) => `${page}: ${link}`),
    );
    expect(lost).toEqual([]);
    // npm's site shows the README without the files beside it.
    const here = links(own("README.md")).filter((link) => !/^https?:/.test(link));
    expect(here).toEqual([]);
    expect(links(own("README.md")).filter((link) => HERE.test(link)).length).toBeGreaterThan(2);
  });

  it("says where it comes from", () => {
    expect(JSON.parse(own("package.json"))).toMatchObject({
      license: "MIT",
      repository: { type: "git", url: `git+${HOME}.git`, directory: `packages/${name}` },
      homepage: expect.stringContaining(HOME),
      bugs: `${HOME}/issues`,
    });
  });
});

function leads(page: string, link: string, files: string[]): boolean {
  const [path = ""] = link.split("#");
  if (link.startsWith(HOME)) return existsSync(resolve(root, HERE.exec(link)?.[1] ?? "missing"));
  if (path === "" || /^https?:/.test(link)) return true;
  return files.includes(posix.join(posix.dirname(page), path));
}

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

it("runs nothing when it is installed, and says why it needs each package that it brings", () => {
  const { packages } = JSON.parse(text("package-lock.json")) as {
    packages: { [path: string]: Locked };
  };
  const decisions = readdirSync(resolve(root, "docs/decisions"))
    .map((page) => text(`docs/decisions/${page}`))
    .join("\n");
  for (const own of ["packages/backend-billing", "packages/stripe-double"]) {
    const { scripts = {}, dependencies = {} } = JSON.parse(text(`${own}/package.json`)) as {
      scripts?: object;
      dependencies?: object;
    };
    expect(Object.keys(scripts).filter((name) => /install|^prepare$/.test(name))).toEqual([]);
    // With what these need themselves, all the way down.
    const brought = new Set<string>();
    const add = (name: string) => {
      if (brought.has(name)) return;
      brought.add(name);
      const found = packages[`node_modules/${name}`];
      expect(found, name).toBeDefined();
      expect(found?.hasInstallScript, name).toBeUndefined();
      for (const next of Object.keys(found?.dependencies ?? {})) add(next);
    };
    for (const name of Object.keys(dependencies)) {
      expect(decisions, name).toContain(name);
      add(name);
    }
  }
});

interface Locked {
  readonly dependencies?: object;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly resolved?: string;
}
