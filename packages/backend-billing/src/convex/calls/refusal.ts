/**
 * Which of Convex's errors are about the value that was to be stored. What is stored is fitted to
 * the limits before, so these are what the fitting does not know of. Pure.
 */
import { unstorable } from "../../core/runtime/commit/set-aside.js";

const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/Value is too (large|nested) \(/, "it is larger or deeper than a document may be"],
  [/(Array length is too long|Object has too many fields)/, "it has more parts than one may have"],
  [/is not a (supported|valid) Convex (type|value)/, "it has a value that documents cannot hold"],
  [
    /Field name [\s\S]* (exceeds maximum|starts with|has invalid)/,
    "it has a name that fields cannot have",
  ],
];

/** Why the content cannot be stored; undefined if the error says nothing of the kind. */
export function refusalOf(error: unknown): string | undefined {
  const said = error instanceof Error ? error.message : String(error);
  const why = REFUSALS.find(([words]) => words.test(said))?.[1];
  return why && `Convex refuses it: ${why}.`;
}

/** The error as the core knows it: refused content by its own code, anything else as it is. */
export function refused(error: unknown): unknown {
  const reason = refusalOf(error);
  return reason === undefined ? error : unstorable(reason, error);
}
