/** What a plan is made of: the writes that a store carries out, and the objects that were judged. */
import type { ResourceName } from "../catalogue/catalogue.js";
import type { RowFields } from "../catalogue/row.js";
import type { Version } from "./rule.js";
import type { Receipt, RecordData, RecordKind, StoredRecord } from "./store.js";

/** One write. All writes of a plan are about different things, so their order does not matter. */
export type Write =
  | PutVersion
  | { readonly write: "putReceipt"; readonly receipt: Receipt; readonly receivedAt: number }
  | PutRecord
  | {
      readonly write: "deleteRecord";
      readonly kind: RecordKind;
      readonly id: string;
      readonly from: number;
    }
  | PutRow
  | ({ readonly write: "deleteRow" } & RowKey)
  | LinkRow;

export interface PutVersion {
  readonly write: "putVersion";
  readonly resource: ResourceName;
  readonly id: string;
  /** The version that was judged; null if there was none. The write holds only while it is this. */
  readonly from: Version | null;
  readonly next: Version;
  /** When Stripe is to be asked, null for not at all, or `keep` for when it is to be asked already. */
  readonly askAt: number | null | "keep";
}

export interface PutRecord {
  readonly write: "putRecord";
  readonly kind: RecordKind;
  readonly id: string;
  /** The revision that was read, 0 for none. The write holds only while it is this. */
  readonly from: number;
  /** Whether it falls due at another time than before. */
  readonly rescheduled: boolean;
  readonly record: Pick<StoredRecord, "revision" | "ref" | "due" | "data">;
  /**
   * The data lacks `before` and `after`: the contents of the row of this resource with the id in the
   * data, as the store finds it and as it puts it. It writes nothing where they are the same.
   */
  readonly copies?: ResourceName;
}

/** The row of an object, or with the id null the row of nulls of an owner. */
export type RowKey =
  | { readonly resource: ResourceName; readonly id: string }
  | { readonly resource: ResourceName; readonly id: null; readonly owner: Owner };

export interface Owner {
  /** The field that names the owner. */
  readonly field: string;
  readonly id: string;
}

export type PutRow = {
  readonly write: "putRow";
  /** Whether there is no such row yet. */
  readonly isNew: boolean;
  /** What is set. A row that is there keeps what is not named. */
  readonly fields: RowFields;
  /** What a row has beside them that is not there, though it should be. */
  readonly ifAbsent: RowFields;
} & RowKey;

/** Sets the link of a row, if the row is there. */
export interface LinkRow {
  readonly write: "linkRow";
  readonly resource: ResourceName;
  readonly id: string;
  readonly field: string;
  readonly value: string | null;
}

/** One object of the batch: what it was, and what it is after the snapshots that were judged so far. */
export interface Judged {
  readonly resource: ResourceName;
  readonly id: string;
  readonly before: Version | null;
  /** Whether there is a row, as far as is known. */
  readonly wasThere: boolean;
  version: Version | null;
  /** A content to store, null to remove the row, or undefined to leave it as it is. */
  content: object | null | undefined;
  /** Whose the content is, where it does not say so. */
  owner?: string | undefined;
  /** Whether something else than a listing showed that it was made not long ago. */
  isBorn?: true;
  /** Its customer was erased. */
  isErased?: true;
  /** What it was within its period, where that is to be given; see shares.ts. */
  former?: readonly Former[];
}

/** What a subscription was, and until when, in milliseconds. */
export interface Former extends RecordData {
  readonly before: object;
  readonly at: number;
}

export const keyOf = (resource: ResourceName, id: string): string => `${resource} ${id}`;

export const recordKey = (kind: RecordKind, id: string): string => `${kind} ${id}`;
