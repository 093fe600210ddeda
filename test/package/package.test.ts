// What is in the package: everything that the README links to, and no maps to sources that are not.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { posix, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const text = (path: string): string => readFileSync(resolve(root, path), "utf8");

async function packed(): Promise<ReadonlySet<string>> {
  const { stdout } = await promisify(execFile)(
    "npm",
    ["pack", "--dry-run", "--json", "--ignore-scripts"],
    { cwd: root, maxBuffer: 32 * 1024 * 1024 },
  );
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  return new Set(files.map(({ path }) => path));
}

it("holds whatever the README links to", { timeout: 60_000 }, async () => {
  const files = await packed();
  const links = [...text("README.md").matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((all) => all[1]);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !files.has(posix.normalize(link ?? "")))).toEqual([]);
  expect(files).toContain("SECURITY.md");
  for (const path of files) expect(path).not.toMatch(/^docs\/(reference|\.vitepress)\//);
});

it("has no source map, because the sources are not in it", () => {
  const { compilerOptions } = JSON.parse(text("tsconfig.build.json")) as {
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
