// Builds the package twice, for `import` and for `require`: dist/esm and dist/cjs.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");

rmSync(path("dist"), { recursive: true, force: true });
for (const kind of ["esm", "cjs"]) {
  execFileSync(process.execPath, [tsc, "-p", path(`tsconfig.${kind}.json`)], { stdio: "inherit" });
}
// The package itself is `"type": "module"`.
writeFileSync(path("dist/cjs/package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
