/** Where the mirror and Stripe disagree: counts, and a few examples. Pure. */
import { same } from "../../mirror/content/same.js";
import type { Drift, Example } from "../../runtime/reports.js";

const MOST_EXAMPLES = 10;
const MOST_FIELDS = 5;

export const NO_DRIFT: Drift = { missing: 0, different: 0, ghost: 0, examples: [] };

export function withExamples(drift: Drift, found: readonly Example[]): Drift {
  const count = (kind: Example["kind"]) =>
    drift[kind] + found.filter((each) => each.kind === kind).length;
  return {
    missing: count("missing"),
    different: count("different"),
    ghost: count("ghost"),
    examples: [...drift.examples, ...found].slice(0, MOST_EXAMPLES),
  };
}

export function sumDrift(all: readonly Drift[]): Drift {
  return all.reduce(
    (sum, each) => ({
      missing: sum.missing + each.missing,
      different: sum.different + each.different,
      ghost: sum.ghost + each.ghost,
      examples: [...sum.examples, ...each.examples].slice(0, MOST_EXAMPLES),
    }),
    NO_DRIFT,
  );
}

export const driftCount = ({ missing, different, ghost }: Drift): number =>
  missing + different + ghost;

/** What a partition that compares adds to its resource's report. */
export const reportDrift = ({ drift }: { readonly drift?: Drift }): { readonly drift?: Drift } =>
  drift === undefined ? {} : { drift };

/** Names of fields in which two objects differ, at the first level where they do. */
export function differingFields(a: object, b: object): readonly string[] {
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return names.filter((name) => !same(left[name], right[name])).slice(0, MOST_FIELDS);
}
