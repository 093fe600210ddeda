/**
 * Reads the results back from the page, so that some of them can be written anew where the others were
 * never run on this machine.
 */
import type { Results } from "./report.js";
import type { Family, Outcome } from "./scenario.js";
import type { Subject } from "./subject.js";

const RESULTS: { readonly [symbol: string]: Outcome["result"] } = {
  "✓": "pass",
  "✗": "fail",
  "–": "not offered",
  "·": "not run",
};
const NOT_RUN = "not run, ";

/** What the page says of each subject, whose columns are in this order. */
export function resultsIn(
  page: string,
  families: readonly Family[],
  subjects: readonly Subject[],
): Results {
  const results: Results = Object.fromEntries(subjects.map(({ name }) => [name, {}]));
  for (const section of page.split("\n### ").slice(1)) {
    const family = families.find(({ title }) => section.startsWith(`${title}\n`));
    const reasons = reasonsIn(section);
    for (const [, scenario = "", cells = ""] of section.matchAll(
      /^\| \*\*(\S+)\*\* .*?\* \| (.*) \|$/gm,
    )) {
      cells.split(" | ").forEach((symbol, index) => {
        const result = RESULTS[symbol];
        const subject = subjects[index];
        if (family === undefined || result === undefined || subject === undefined) return;
        const reason = reasons.get(`${scenario} ${letter(index)}`) ?? "";
        const outcome = outcomeOf(result, reason);
        const of = results[subject.name] ?? {};
        of[`${family.name}/${scenario}`] = { outcome, seconds: 0 };
      });
    }
  }
  return results;
}

const letter = (index: number) => String.fromCharCode(65 + index);

function outcomeOf(result: Outcome["result"], reason: string): Outcome {
  if (result === "pass") return { result };
  if (result === "fail") return { result, wrong: reason };
  return { result, why: reason.startsWith(NOT_RUN) ? reason.slice(NOT_RUN.length) : reason };
}

/** By scenario and subject: `- race. H, J: there are 20 customers; K: there are 19.` */
function reasonsIn(section: string): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const [, scenario = "", line = ""] of section.matchAll(/^- ([\w-]+)\. (.*)\.$/gm)) {
    for (const part of line.split(/; (?=[A-Z](?:, [A-Z])*: )/)) {
      const [names = "", ...text] = part.split(": ");
      for (const name of names.split(", ")) reasons.set(`${scenario} ${name}`, text.join(": "));
    }
  }
  return reasons;
}
