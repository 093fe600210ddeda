/**
 * The statements of a commit, as text. They depend on nothing but the schema's name and the
 * chosen resources, hold no session state, and lock rows in the order in which they are given.
 *
 * PostgreSQL does not know how many rows a parameter holds, guesses a hundred, and would rather
 * read a whole table than look up a hundred keys. So lookups stand in lateral subqueries, which
 * leave it no choice: every one of them is a search in an index, however large or small the table.
 */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import { snake } from "../schema/table.js";
import type { Names } from "../store/names.js";
import {
  fill,
  type List,
  type Parameters,
  type Statement,
  template,
  textsOf,
} from "../store/statement.js";

/** Which object: its row in the table of versions. */
export interface ObjectKey {
  readonly resource: ResourceName;
  readonly id: string;
}

/** The order in which every commit locks objects. */
export function byKey(a: ObjectKey, b: ObjectKey): number {
  return compare(a.resource, b.resource) || compare(a.id, b.id);
}

export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A statement for this once. */
export function statement(write: (into: Parameters<void>) => string): Statement {
  return fill(template(write), undefined);
}

/** A list that is there already. */
export function given<T>(elements: readonly T[]): List<void, T> {
  return { single: elements.length === 1, of: () => elements };
}

/** The stored contents of objects of one resource, with columns `id` and `content`. */
export function readContents(
  names: Names,
  resource: ResourceName,
  ids: readonly string[],
): Statement {
  const column = snake(resources[resource].idField);
  return statement(
    (into) => `SELECT id, t.content FROM ${textsOf(into, "id", given(ids))} CROSS JOIN LATERAL (
  SELECT stripe AS content FROM ${names.table(resource)} WHERE ${column} = id LIMIT 1) t`,
  );
}

/** Held until the transaction ends: no other commit adds to or takes from what these owners have. */
export function lockOwners(owners: readonly string[]): Statement {
  return statement((into) => lockFrom(textsOf(into, "owner", given(owners))));
}

/** The same without parameters, to be sent in one message with others. In hex there is nothing to escape. */
export function lockOwnersPlainly(owners: readonly string[]): string {
  const texts = owners.map(
    (owner) => `(convert_from(decode('${Buffer.from(owner).toString("hex")}', 'hex'), 'UTF8'))`,
  );
  return lockFrom(`(VALUES ${texts.join(", ")}) AS owners(owner)`);
}

const lockFrom = (owners: string): string => `SELECT pg_advisory_xact_lock(key) FROM (
  SELECT DISTINCT hashtextextended('backend_billing ' || owner, 0) AS key FROM ${owners} ORDER BY key
) AS keys`;
