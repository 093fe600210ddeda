/**
 * Typed records: a small document under a fixed id, with a type, that is changed by compare-and-set.
 * records.ts lists them all; no other file names a setting by its id.
 */
import { isAhead } from "../../mirror/due.js";
import type {
  RecordData,
  RecordKind,
  RecordWrite,
  Store,
  StoredRecord,
} from "../../mirror/store.js";
import { type CommitContext, commit } from "../commit/commit.js";
import { AGAIN, inRounds } from "../rounds.js";

/** A record as it was read. */
export interface Read<T> {
  /** 0 where there is none. */
  readonly revision: number;
  readonly data: T | undefined;
}

/** Where a record is read from: a runtime, or a store alone. */
export interface Reading {
  readonly store: Pick<Store, "record">;
}

/** One record of a type. */
export interface TypedRecord<T extends object> {
  readonly kind: RecordKind;
  readonly id: string;
  read(from: Reading): Promise<Read<T>>;
  /** As it was read along with others. */
  among(found: readonly StoredRecord[]): Read<T>;
  /** The write that puts `data` over what was read, to be committed with others. */
  write(over: Read<T>, data: T): RecordWrite;
  /** Puts `data` over what was read. False if it has changed since; then nothing is written. */
  put(context: CommitContext, over: Read<T>, data: T): Promise<boolean>;
  /**
   * Changes the record: `change` is given what is stored, and again whatever another caller has made
   * of it meanwhile. Answers what was written; undefined if `change` answered undefined, which
   * leaves the record as it is.
   */
  update(
    context: CommitContext,
    change: (stored: T | undefined) => T | undefined,
  ): Promise<T | undefined>;
  /** Removes the record. False if it has changed since it was read; then it stays. */
  remove(context: CommitContext, over: Pick<Read<T>, "revision">): Promise<boolean>;
}

/** What a record is beside its id and its type. */
export interface RecordOptions<T> {
  /** Default `setting`. */
  readonly kind?: RecordKind;
  /** What it points at. */
  readonly ref?: string;
  /** Milliseconds at which it is due; a setting is removed then. Never, if left out. */
  due?(data: T): number;
  /** How often `update` tries, if not as often as everything else. */
  readonly rounds?: number;
  /** The revision of each write, where a counter will not do. */
  revision?(): number;
}

export function defineRecord<T extends object>(
  id: string,
  { kind = "setting", ref, due, rounds, revision: drawn }: RecordOptions<T> = {},
): TypedRecord<T> {
  const write: TypedRecord<T>["write"] = ({ revision }, data) => ({
    kind,
    id,
    expect: revision,
    ...(drawn === undefined ? {} : { revision: drawn() }),
    next: { ref: ref ?? null, due: due?.(data) ?? null, data: { ...data } as RecordData },
  });
  const committed = async (context: CommitContext, one: RecordWrite): Promise<boolean> =>
    (await commit(context, { source: "record", records: [one] })).committed;
  const readFrom = (found: StoredRecord | undefined): Read<T> => ({
    revision: found?.revision ?? 0,
    data: found?.data as T | undefined,
  });
  const record: TypedRecord<T> = {
    kind,
    id,
    read: async ({ store }) => readFrom(await store.record(kind, id)),
    among: (found) => readFrom(found.find((each) => each.kind === kind && each.id === id)),
    write,
    put: (context, over, data) => committed(context, write(over, data)),
    update: (context, change) =>
      inRounds(
        `The record "${id}"`,
        async () => {
          const over = await record.read(context);
          const next = change(over.data);
          if (next === undefined) return undefined;
          return (await record.put(context, over, next)) ? next : AGAIN;
        },
        rounds,
      ),
    remove: (context, { revision }) => committed(context, removal({ kind, id, revision })),
  };
  return record;
}

/** The write that removes a record, unless it has changed since it was read. */
export function removal({
  kind,
  id,
  revision,
}: Pick<StoredRecord, "kind" | "id" | "revision">): RecordWrite {
  return { kind, id, expect: revision, next: null };
}

/** The write that adds to a record's data, unless it has changed since it was read. */
export function amended(
  { kind, id, revision, ref, due, data }: StoredRecord,
  more: RecordData,
  dueThen = due,
): RecordWrite & { readonly next: object } {
  return { kind, id, expect: revision, next: { ref, due: dueThen, data: { ...data, ...more } } };
}

/** How long a process has for the removal of settings that it has taken. */
const LEASE = 60_000;

/** Takes settings that are over: only those that are meant to end have a due time. */
export function takeEnded(
  { store, now }: Pick<CommitContext, "store" | "now">,
  limit: number,
): Promise<readonly StoredRecord[]> {
  return store.takeRecords("setting", { now: now(), lease: LEASE, limit });
}

/** Some of the settings that point at something. */
export function settingsOf(
  { store }: Pick<CommitContext, "store">,
  ref: string,
  limit: number,
): Promise<readonly StoredRecord[]> {
  return store.recordsOf("setting", ref, "", limit);
}

/** A record that one caller holds until a time. */
export interface Lock {
  /** Milliseconds. */
  readonly until: number;
}

/** A lock, by which one caller at a time does something. */
export interface LockRecord extends TypedRecord<Lock> {
  /** Holds it for so many milliseconds; undefined if another caller holds it. */
  take(context: CommitContext, lease: number): Promise<Read<Lock> | undefined>;
}

export function defineLock(id: string): LockRecord {
  const record = defineRecord<Lock>(id);
  return {
    ...record,
    take: async (context, lease) => {
      const over = await record.read(context);
      const now = context.now();
      if (isAhead(Number(over.data?.until ?? 0), now)) return undefined;
      const data = { until: now + lease };
      const isMine = await record.put(context, over, data);
      return isMine ? { revision: over.revision + 1, data } : undefined;
    },
  };
}
