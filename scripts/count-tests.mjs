// Prints "N passed, N failed" over the vitest JSON reports in a folder, for the end of a CI run.
// Usage: node scripts/count-tests.mjs <exit status so far> <folder>
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [status, folder] = process.argv.slice(2);
let passed = 0;
let failed = 0;
let skipped = 0;
for (const file of readdirSync(folder)) {
  const report = JSON.parse(readFileSync(join(folder, file), "utf8"));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  skipped += report.numPendingTests + report.numTodoTests;
}
// A step that failed outside a test is a failure too, and so is a run without tests.
if (failed === 0 && (status !== "0" || passed === 0)) failed = 1;

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 ? 1 : 0;
