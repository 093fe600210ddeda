/** Removes all that is stored of the usage of an entity that is erased. */
import type { Names } from "../../store/names.js";

/** `$1`: the entity. */
export const forgetUsage = ({ usage }: Names): readonly string[] =>
  Object.values(usage).map((table) => `DELETE FROM ${table} WHERE entity_id = $1`);
