/** Stands for what a catalogue says: sums that were made by another one are not gone by. */
import { hash } from "../mirror/content/hash.js";
import type { AnyCatalogue } from "../plans/catalogue.js";

const known = new WeakMap<AnyCatalogue, string>();

export function termsOf(catalogue: AnyCatalogue): string {
  const before = known.get(catalogue);
  if (before !== undefined) return before;
  const text = JSON.stringify(catalogue);
  const terms = [hash(text), hash(text, 1)].map((part) => part.toString(36)).join("-");
  known.set(catalogue, terms);
  return terms;
}
