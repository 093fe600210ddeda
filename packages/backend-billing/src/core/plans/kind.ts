/** The kinds of features. In a file of its own: gates need them without all that checks a catalogue. */
import type { FeatureKind } from "./catalogue.js";

/** What sort of thing a feature is; undefined if it is none. */
export function kindOf(
  kind: FeatureKind | undefined,
): "boolean" | "limit" | "credits" | "meter" | undefined {
  if (kind === "boolean" || kind === "limit" || kind === "credits") return kind;
  if (typeof kind !== "object" || kind === null) return undefined;
  if ("meter" in kind) return typeof kind.meter === "string" ? "meter" : undefined;
  return kind.limit === "sum" || kind.limit === "highest" ? "limit" : undefined;
}
