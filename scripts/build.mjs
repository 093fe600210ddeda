// Builds `dist/` of both packages. What was built from the same files before, and is still there as it
// was built, is left alone: several commands build first, one after another.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const [library, double] = ["packages/backend-billing", "packages/stripe-double"];
const record = "node_modules/.cache/build.json";
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");

/** A digest of files, and of all files in folders, by their names and contents. */
function digest(...paths) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap(filesAt)) {
    const content = readFileSync(path);
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

function filesAt(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}

const inputs = () =>
  digest(
    ...["src", "package.json"].flatMap((name) => [`${library}/${name}`, `${double}/${name}`]),
    ...["tsconfig.json", `${library}/tsconfig.build.json`, "package-lock.json"],
    ...["esm", "cjs"].map((kind) => `${double}/tsconfig.${kind}.json`),
    ...["scripts/build.mjs", "scripts/finish-build.mjs"],
  );
const outputs = () => digest(`${library}/dist`, `${double}/dist`);

async function run(...args) {
  try {
    await promisify(execFile)(process.execPath, args, { maxBuffer: 1e9 });
  } catch (error) {
    console.error(error.stdout ?? "", error.stderr ?? error);
    process.exit(1);
  }
}

/** Types are checked by `npm run typecheck`, not once more here. */
const compile = (project) => run(tsc, "-p", project, "--noCheck");

async function build() {
  for (const each of [library, double]) rmSync(`${each}/dist`, { recursive: true, force: true });
  // For `require`, which nothing waits for; the library is compiled against what `import` gives.
  const forRequire = compile(`${double}/tsconfig.cjs.json`);
  await compile(`${double}/tsconfig.esm.json`);
  await compile(`${library}/tsconfig.build.json`);
  await run("scripts/finish-build.mjs");
  await forRequire;
  // The package itself is `"type": "module"`.
  writeFileSync(`${double}/dist/cjs/package.json`, `${JSON.stringify({ type: "commonjs" })}\n`);
}

const built = existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : {};
const from = inputs();
if (built.from === from && built.gave === outputs()) {
  console.log("dist is up to date");
} else {
  rmSync(record, { force: true });
  await build();
  mkdirSync(dirname(record), { recursive: true });
  writeFileSync(record, JSON.stringify({ from, gave: outputs() }));
}
await run("scripts/link-examples.mjs");
