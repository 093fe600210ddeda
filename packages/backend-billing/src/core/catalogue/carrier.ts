/**
 * Which entity a customer's metadata names, and whether it is one of this application's. Anyone who
 * may write customers may write metadata, so it is checked before it is used.
 */

/** The metadata key under which a customer carries its entity. */
export const ENTITY_KEY = "entityId";
/** The metadata key under which a customer carries the application that made it. */
export const APP_KEY = "billingApp";

/** The keys that `setup` writes itself. */
export const RESERVED_KEYS: readonly string[] = [ENTITY_KEY, APP_KEY];

/** What a customer of an entity carries. */
export const marksOf = (
  entityId: string,
  app: string | undefined,
): { readonly [key: string]: string } => ({
  [ENTITY_KEY]: entityId,
  ...(app === undefined ? {} : { [APP_KEY]: app }),
});

const LONGEST_ENTITY_ID = 500;

/** Whether a value can be an entity's id: `setup` refuses what is not, and metadata is not followed. */
export function isEntityId(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value !== "" &&
    value.length <= LONGEST_ENTITY_ID &&
    [...value].every(isText)
  );
}

/** Not a control character, nor half of a surrogate pair: Stripe and databases do not keep those. */
function isText(character: string): boolean {
  const point = character.codePointAt(0) ?? 0;
  return point >= 0x20 && (point < 0xd800 || point > 0xdfff);
}

/** Whether a value can be the name of an application. */
export function isAppName(value: unknown): value is string {
  return (
    typeof value === "string" && /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,38}[A-Za-z0-9])?$/.test(value)
  );
}

/**
 * What a customer's metadata says. `none`: no entity. `ours`: an entity of this application.
 * `foreign`: an entity of another application, or, where this one has a name, of one without
 * (`app` is null; also when the name cannot be one). `malformed`: what cannot be an entity's id.
 */
export type EntityInMetadata =
  | { readonly is: "none" }
  | { readonly is: "ours"; readonly entityId: string }
  | { readonly is: "foreign"; readonly entityId: string; readonly app: string | null }
  | { readonly is: "malformed" };

/** Reads untrusted metadata, with the application's own name if it has one. */
export function entityInMetadata(metadata: unknown, app: string | undefined): EntityInMetadata {
  if (typeof metadata !== "object" || metadata === null) return { is: "none" };
  const fields = metadata as { readonly [key: string]: unknown };
  const entityId = Object.hasOwn(fields, ENTITY_KEY) ? fields[ENTITY_KEY] : undefined;
  const named = Object.hasOwn(fields, APP_KEY) ? fields[APP_KEY] : undefined;
  if (entityId === undefined || entityId === null || entityId === "") return { is: "none" };
  if (!isEntityId(entityId)) return { is: "malformed" };
  const other = named === undefined || named === null || named === "" ? undefined : named;
  if (other === app) return { is: "ours", entityId };
  return { is: "foreign", entityId, app: isAppName(other) ? other : null };
}
