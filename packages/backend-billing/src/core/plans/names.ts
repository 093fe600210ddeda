/**
 * How a catalogue's things are called at Stripe. Ids of products are chosen here, so that Stripe
 * itself refuses a second one, and a product's id says which plan it is without a read.
 */
import type { AnyCatalogue, AnyPlan } from "./catalogue.js";

/** The group of plans that name none. */
export const MAIN_GROUP = "main";

export const groupOfPlan = ({ group }: Pick<AnyPlan, "group">): string => group ?? MAIN_GROUP;

/** The product of a plan. Its name at the first push stays in the id. */
export const planProductId = (app: string, name: string, { was }: Pick<AnyPlan, "was">): string =>
  `${app}_${was ?? name}`;

/** The product of a pack. */
export const packProductId = (app: string, pack: string): string => `${app}_pack_${pack}`;

/** The key of a plan's price, as applications write it. */
export const priceKey = (plan: string, price: string): string => `${plan}:${price}`;

/**
 * The key of what a plan bills by usage beside one of its prices. It is a price of the plan's own
 * product, so that it has the plan's group, and a change of plans takes it along.
 */
export const usageKey = (plan: string, price: string, feature: string): string =>
  `${plan}:${price}:${feature}`;

/** A key as Stripe has it: of one application. */
export const stripeKey = (app: string, key: string): string => `${app}:${key}`;

/** A key of Stripe's as the application writes it; others stay as they are. */
export function ownKey(
  catalogue: Pick<AnyCatalogue, "app"> | undefined,
  key: string | null,
): string | null {
  const prefix = catalogue?.app == null ? undefined : `${catalogue.app}:`;
  return prefix !== undefined && key?.startsWith(prefix) ? key.slice(prefix.length) : key;
}

/** The name of the plan that a product is; undefined if it is none of this catalogue's. */
export function planOfProduct(
  { app, plans }: Pick<AnyCatalogue, "app" | "plans">,
  productId: string,
): string | undefined {
  if (app === null || !productId.startsWith(`${app}_`)) return undefined;
  return Object.keys(plans).find(
    (name) => planProductId(app, name, plans[name] ?? {}) === productId,
  );
}

/** The pack that a product is; undefined if it is none of this catalogue's. */
export function packOfProduct(
  { app, packs }: Pick<AnyCatalogue, "app" | "packs">,
  productId: string,
): AnyCatalogue["packs"][string] | undefined {
  if (app === null) return undefined;
  const name = Object.keys(packs).find((each) => packProductId(app, each) === productId);
  return name === undefined ? undefined : packs[name];
}

/** The group of a product that is a plan; undefined if it is none of this catalogue's. */
export function planGroup(
  catalogue: Pick<AnyCatalogue, "app" | "plans">,
  productId: string,
): string | undefined {
  const name = planOfProduct(catalogue, productId);
  return name === undefined ? undefined : groupOfPlan(catalogue.plans[name] ?? {});
}

/** The plan that entities of a group have who have no other; null if there is none. */
export function defaultPlan({ plans }: Pick<AnyCatalogue, "plans">, group: string): string | null {
  const found = Object.entries(plans).find(
    ([, plan]) => plan.default === true && groupOfPlan(plan) === group,
  );
  return found?.[0] ?? null;
}
