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

export function recordFrom(raw: RawRecord): StoredRecord {
  return { ...raw, revision: Number(raw.revision), due: raw.due === null ? null : Number(raw.due) };
}

export function rowFrom<N extends ResourceName>(raw: RawRow): Row<N> {
  return { ...raw, last_synced_at: Number(raw.last_synced_at) } as unknown as Row<N>;
}
