/** What SQLite answers, as the port's types have it. */
import type {
  ResourceName,
  Row,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { Version } from "../../packages/backend-billing/src/core/mirror/rule.js";
import type {
  RecordKind,
  StoredRecord,
} from "../../packages/backend-billing/src/core/mirror/store.js";
import type { Found, Sql, Value } from "./tables.js";

export function readVersion(sql: Sql, resource: ResourceName, id: string): Version | undefined {
  const found = sql.first(
    "select revision, state, lo, hi, stale, first from versions where resource = ? and id = ?",
    resource,
    id,
  );
  if (found === undefined) return undefined;
  return { ...found, stale: found.stale === 1, first: found.first === 1 } as unknown as Version;
}

/** The records that a condition selects, with what follows it. */
export function readRecords(
  sql: Sql,
  condition: string,
  ...values: readonly Value[]
): readonly StoredRecord[] {
  return sql
    .all(`select kind, id, revision, ref, due, data from records where ${condition}`, ...values)
    .map(
      (found) => ({ ...found, data: JSON.parse(found.data as string) }) as unknown as StoredRecord,
    );
}

export const readRecord = (sql: Sql, kind: RecordKind, id: string): StoredRecord | undefined =>
  readRecords(sql, "kind = ? and id = ?", kind, id)[0];

/** The rows of a resource that a condition selects, with what follows it. */
export function readRows<N extends ResourceName>(
  sql: Sql,
  resource: N,
  condition: string,
  ...values: readonly Value[]
): readonly Row<N>[] {
  const text = `select _id, fields, stripe from mirror where resource = ? and ${condition}`;
  return sql.all(text, resource, ...values).map((found) => rowOf(found) as Row<N>);
}

const rowOf = ({ _id, fields, stripe }: Found): unknown => ({
  _id: String(_id),
  ...JSON.parse(fields as string),
  stripe: stripe === null ? null : JSON.parse(stripe as string),
});
