/** What the routes of most objects share: metadata, addresses, retrieving and listing. */
import { ApiError, invalid } from "../api/errors.js";
import { createdShape, type ListPage, listPage, type PageParams, pageShape } from "../api/list.js";
import { group, MOST_KEYS, optionalGroup, text, word } from "../api/params.js";
import type { Call } from "../http/route.js";
import type { Kind, Objects, World } from "../world/world.js";

export const listShape = { ...pageShape, ...createdShape };

const addressFields = {
  city: text,
  country: text,
  line1: text,
  line2: text,
  postal_code: text,
  state: text,
};
export const addressShape = optionalGroup(addressFields);
export const shippingShape = optionalGroup({
  address: group(addressFields),
  name: word,
  phone: text,
});

type AddressParams = { [K in keyof typeof addressFields]: string | null | undefined };

/** An address with every field there, as Stripe shows it. */
export function address(params: AddressParams) {
  return {
    city: params.city ?? null,
    country: params.country ?? null,
    line1: params.line1 ?? null,
    line2: params.line2 ?? null,
    postal_code: params.postal_code ?? null,
    state: params.state ?? null,
  };
}

/** Metadata after a change: keys are merged, an empty value removes one, null removes all. */
export function mergeMetadata(
  before: { readonly [key: string]: string },
  change: { readonly [key: string]: string } | null | undefined,
): { [key: string]: string } {
  if (change === null) return {};
  const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== "");
  if (merged.length > MOST_KEYS) {
    throw invalid(`Metadata can have up to ${MOST_KEYS} keys`, "metadata");
  }
  return Object.fromEntries(merged);
}

/** `fields` without those that were not given, so that a change leaves the rest alone. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** A page of one kind. `equal` holds filters that compare a field with a parameter, where given. */
export function listKind<K extends Kind>(
  call: Call,
  kind: K,
  params: PageParams,
  options: {
    readonly url: string;
    readonly equal?: Partial<Record<keyof Objects[K] & string, unknown>>;
    readonly matches?: (object: Objects[K]) => boolean;
    /** An indexed field that narrows the list before anything is compared. */
    readonly where?: { readonly field: string; readonly value: string | undefined };
  },
): ListPage<Objects[K]> {
  const equal = Object.entries(options.equal ?? {}).filter(([, value]) => value !== undefined);
  const where = options.where;
  return listPage<Objects[K]>(call.world.objects[kind] as never, params, {
    url: options.url,
    kind,
    asOf: call.asOf,
    where: where?.value === undefined ? undefined : { field: where.field, value: where.value },
    matches: (object) =>
      equal.every(([field, value]) => (object as Record<string, unknown>)[field] === value) &&
      (options.matches?.(object) ?? true),
  });
}

/** The object that a parameter names. Where a path would answer 404, a parameter answers 400. */
export function referenced<K extends Kind>(
  world: World,
  kind: K,
  id: string,
  param: string,
): Objects[K] {
  if (world.objects[kind].get(id) === undefined) {
    throw new ApiError(400, world.missing(kind, id, param).body);
  }
  return world.find(kind, id);
}

/** Refuses a filter by a customer that there never was. One that was deleted still has a history. */
export function knownCustomer(world: World, id: string): void {
  if (world.deleted.get(id) !== "customer") referenced(world, "customer", id, "customer");
}
