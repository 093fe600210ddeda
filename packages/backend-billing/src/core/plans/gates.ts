/**
 * What an entity may use, from the products that it has access to: pure, so that both platforms and
 * every way of reading answer the same. A catalogue in code says what each product includes; without
 * one, the product's own metadata and Stripe's features do.
 */
import type { AnyCatalogue, FeatureKind, FeatureValue } from "./catalogue.js";
import { kindOf } from "./kind.js";
import { defaultPlan, groupOfPlan, MAIN_GROUP, planOfProduct } from "./names.js";

/** What a plan says of its features. */
export type Values = { readonly [feature: string]: FeatureValue<FeatureKind> };

/** What one product gives, in which group; from the best subscription to the worst. */
export interface Granted {
  readonly group: string;
  readonly values: Values;
}

/** The plan of a group, given the products that an entity has access to, the best first. */
export function planFor(
  catalogue: AnyCatalogue,
  productIds: readonly string[],
  group: string = MAIN_GROUP,
): string | null {
  const held = productIds
    .map((id) => planOfProduct(catalogue, id))
    .find((name) => name !== undefined && groupOf(catalogue, name) === group);
  return held ?? defaultPlan(catalogue, group);
}

/** What a catalogue grants to one that has access to these products. Groups without one have their default. */
export function grantedBy(
  catalogue: AnyCatalogue,
  productIds: readonly string[],
): readonly Granted[] {
  const held = new Set(productIds.flatMap((id) => planOfProduct(catalogue, id) ?? []));
  const groups = new Set([...held].map((name) => groupOf(catalogue, name)));
  const all = Object.entries(catalogue.plans).filter(
    ([name, plan]) => held.has(name) || (plan.default === true && !groups.has(groupOfPlan(plan))),
  );
  return all.map(([, plan]) => ({ group: groupOfPlan(plan), values: plan.features ?? {} }));
}

const groupOf = (catalogue: AnyCatalogue, name: string): string =>
  groupOfPlan(catalogue.plans[name] ?? {});

/** Whether a feature is on, or a unit of its balance is included or sold. */
export const isOn = (granted: readonly Granted[], feature: string): boolean =>
  granted.some(({ values }) => gives(values[feature]));

function gives(value: Values[string] | undefined): boolean {
  if (value === undefined || typeof value === "boolean") return value === true;
  if (typeof value !== "object") return value === "unlimited" || value > 0;
  return (value.included ?? 0) > 0 || "overage" in value;
}

/**
 * The number of a limit, `Infinity` if it has none. In one group the highest counts, because its plans
 * exclude each other; over groups they add up, or the highest counts if the feature says so.
 */
export function limitOf(
  granted: readonly Granted[],
  feature: string,
  kind: FeatureKind | undefined,
): number {
  const byGroup = new Map<string, number>();
  for (const { group, values } of granted) {
    byGroup.set(group, Math.max(byGroup.get(group) ?? 0, numberOf(values[feature])));
  }
  const numbers = [...byGroup.values()];
  const isHighest = typeof kind === "object" && "limit" in kind && kind.limit === "highest";
  if (isHighest) return Math.max(0, ...numbers);
  return numbers.reduce((sum, each) => sum + each, 0);
}

function numberOf(value: Values[string] | undefined): number {
  if (value === "unlimited") return Number.POSITIVE_INFINITY;
  return typeof value === "number" ? value : 0;
}

/** Refuses a feature that the catalogue does not have, or that is of another kind. */
export function checkFeature(
  { features }: AnyCatalogue,
  feature: string,
  call: "can" | "limit",
): string | undefined {
  if (Object.keys(features).length === 0) return undefined;
  const kind = kindOf(features[feature]);
  if (kind === undefined) {
    return `The catalogue has no feature ${feature}. It has ${Object.keys(features).join(", ")}.`;
  }
  if (call === "limit" && kind !== "limit") {
    return `The feature ${feature} is no limit. Ask \`can\` for it.`;
  }
  if (call === "can" && kind === "limit") {
    return `The feature ${feature} is a limit. Ask \`limit\` for its number.`;
  }
  return undefined;
}
