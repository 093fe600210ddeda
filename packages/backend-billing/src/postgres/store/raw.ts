/** Rows and records as a client of PostgreSQL gives them, and as the port has them. */
import type { ResourceName, Row } from "../../core/catalogue/catalogue.js";
import type { RecordData, RecordKind, StoredRecord } from "../../core/mirror/store.js";

/** `pg` gives `bigint` as text, because a number might not hold it; ours all fit. */
export type Numeric<T> = { [K in keyof T]: T[K] extends number ? number | string : T[K] };
export type RawRecord = Numeric<StoredRecord> & {
  due: string | number | null;
  kind: RecordKind;
  data: RecordData;
};
export type RawRow = {
  readonly [field: string]: unknown;
  readonly last_synced_at: string | number;
};

/** Another role of the database may have written something else than fields as its data: then it has none. */
export function recordFrom(raw: RawRecord): StoredRecord {
  const { revision, due, data } = raw;
  return {
    ...raw,
    revision: Number(revision),
    due: due === null ? null : Number(due),
    data: typeof data === "object" && data !== null ? data : {},
  };
}

export function rowFrom<N extends ResourceName>(raw: RawRow): Row<N> {
  return { ...raw, last_synced_at: Number(raw.last_synced_at) } as unknown as Row<N>;
}
