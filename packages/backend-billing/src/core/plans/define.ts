/** Makes a catalogue of what an application says of it. */
import { DEFAULT_ACCESS } from "./access.js";
import type { Catalogue, CatalogueDefinition, Features, Packs, Plans } from "./catalogue.js";
import { CatalogueError, problemsOf } from "./check.js";
import { priceKey } from "./names.js";

/**
 * Checks a catalogue and completes it with the defaults. What is wrong in it is thrown when the file
 * is loaded, all at once, each with what to change.
 *
 * @example
 * ```ts
 * import { defineCatalogue, usd } from "backend-billing/catalogue";
 *
 * export const catalogue = defineCatalogue({
 *   app: "acme",
 *   features: { sso: "boolean", projects: "limit" },
 *   plans: {
 *     free: { name: "Free", default: true, features: { projects: 3 } },
 *     pro: {
 *       name: "Pro",
 *       prices: { monthly: usd("20").monthly(), yearly: usd("200").yearly() },
 *       features: { sso: true, projects: 100 },
 *     },
 *   },
 * });
 * ```
 */
export function defineCatalogue<
  const F extends Features = Record<never, never>,
  const P extends Plans = Record<never, never>,
  const K extends Packs = Record<never, never>,
>(definition: CatalogueDefinition<F, P, K>): Catalogue<F, P, K> {
  const { app, features, plans, packs, access, taxBehavior } = definition;
  const data = {
    app: app ?? null,
    features: (features ?? {}) as F,
    plans: (plans ?? {}) as P,
    packs: (packs ?? {}) as K,
    access: access ?? DEFAULT_ACCESS,
    taxBehavior: taxBehavior ?? null,
  };
  const problems = problemsOf(data);
  if (problems.length > 0) throw new CatalogueError(problems);
  const keys = keysOf(data.plans);
  const all = new Set(Object.values(keys).flatMap((each) => Object.values(each)));
  return {
    ...data,
    keys: keys as Catalogue<F, P, K>["keys"],
    isKey: (value): value is never => typeof value === "string" && all.has(value),
  };
}

function keysOf(plans: Plans): { [plan: string]: { [price: string]: string } } {
  return Object.fromEntries(
    Object.entries(plans).map(([name, { prices = {} }]) => [
      name,
      Object.fromEntries(Object.keys(prices).map((price) => [price, priceKey(name, price)])),
    ]),
  );
}
