/**
 * A plan's features in the metadata of its product, one key each: `feature_sso` is `true`,
 * `feature_projects` is `100` or `unlimited`. Push writes them, and gates without a catalogue in code
 * read them, whether push wrote them or a person did.
 */
import type { Metered } from "./catalogue.js";
import type { Values } from "./gates.js";
import { amountText, money } from "./money.js";

const PREFIX = "feature_";

export interface Metadata {
  readonly [key: string]: string;
}

/** The metadata for what a plan says of its features. */
export function featureMetadata(values: Values): Metadata {
  return Object.fromEntries(
    Object.entries(values).map(([feature, value]) => [`${PREFIX}${feature}`, textOf(value)]),
  );
}

function textOf(value: Values[string]): string {
  if (typeof value !== "object") return String(value);
  const { included = 0, overage, cap } = value as Metered;
  const beyond =
    overage === undefined
      ? []
      : [`overage ${amountText(overage.amount, overage.currency)} ${overage.currency}`];
  return [`included ${included}`, ...beyond, ...(cap === undefined ? [] : [`cap ${cap}`])].join(
    ", ",
  );
}

/** What a product's metadata says of features. What cannot be read counts as left out. */
export function valuesIn(metadata: Metadata): Values {
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([key, text]) => {
      const value = key.startsWith(PREFIX) ? parsed(text.trim()) : undefined;
      return value === undefined ? [] : [[key.slice(PREFIX.length), value] as const];
    }),
  );
}

const METERED = /^included (\d+)(?:, overage ([\d.]+) ([a-z]{3}))?(?:, cap (\d+))?$/;

function parsed(text: string): Values[string] | undefined {
  if (text === "true" || text === "false") return text === "true";
  if (text === "unlimited") return text;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const [, included, amount, currency, cap] = METERED.exec(text) ?? [];
  if (included === undefined) return undefined;
  return {
    included: Number(included),
    ...(amount && currency ? { overage: money(amount, currency) } : {}),
    ...(cap === undefined ? {} : { cap: Number(cap) }),
  };
}
