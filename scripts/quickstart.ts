/**
 * `npm run quickstart`: follows the quick starts word for word in empty folders, with the code blocks
 * as they are on the pages and this package as it would be published. It says what it replaces.
 *
 *   --only postgres | convex
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { followConvex } from "./quickstart/convex.js";
import { pack } from "./quickstart/folder.js";
import { checkReadme, followPostgres } from "./quickstart/postgres.js";

const walks = {
  postgres: (tarball: string) => {
    checkReadme();
    return followPostgres(tarball, pack(packed, "packages/stripe-double"));
  },
  convex: followConvex,
} as const;

const { only } = parseArgs({ options: { only: { type: "string" } } }).values;
const packed = mkdtempSync(join(tmpdir(), "quickstart-package-"));
process.on("exit", () => rmSync(packed, { recursive: true, force: true }));

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const tarball = pack(packed);
for (const [name, walk] of Object.entries(walks)) {
  if (only !== undefined && only !== name) continue;
  console.log(`\ndocs/start/${name}.md`);
  const started = performance.now();
  await walk(tarball);
  console.log(`  ${((performance.now() - started) / 1000).toFixed(0)} s`);
}
console.log(`\nThe quick starts hold. Load ${loadavg()[0]?.toFixed(1)}`);
