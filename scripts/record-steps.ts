// Adds new migration steps to test/postgres/steps.sql, which remembers the SQL of each. Run by
// `npm run generate`. It never rewrites a step that is there: a released one has run in databases we
// do not see. One that was never released may be removed from the file by hand.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { allSteps, type Step } from "../packages/backend-billing/src/postgres/schema/steps.js";

const file = new URL("../packages/backend-billing/test/postgres/steps.sql", import.meta.url);

export const printStep = ({ id, statements }: Step): string =>
  [`-- ${id}`, ...statements("public").map((statement) => `${statement};`)].join("\n");

/** The recorded steps by their id, each as `printStep` printed it. */
export function recordedSteps(): ReadonlyMap<string, string> {
  const texts = readFileSync(file, "utf8").split(/^(?=-- )/m);
  return new Map(texts.map((text) => [/^-- (.*)/.exec(text)?.[1] ?? "", text.trimEnd()]));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const recorded = recordedSteps();
  const added = allSteps.filter((step) => !recorded.has(step.id)).map(printStep);
  writeFileSync(file, `${[...recorded.values(), ...added].filter(Boolean).join("\n\n")}\n`);
}
