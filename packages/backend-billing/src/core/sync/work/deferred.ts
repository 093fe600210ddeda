/**
 * A store that keeps the records of runs in memory until `flush`: a run that is opened, worked at and
 * done within one call then costs its pages and one commit. What a page shows is committed at once, so
 * a process that dies loses no more than the run's own records, and the next schedule begins anew.
 * For one caller and a short time: other processes do not see the run before it is flushed.
 */
import { creditsLeftBy } from "../../mirror/credits.js";
import { isDue } from "../../mirror/due.js";
import { sharesLeftBy } from "../../mirror/shares.js";
import type {
  Batch,
  Committed,
  Lease,
  RecordKind,
  RecordWrite,
  Store,
  StoredRecord,
  UnitOutcome,
} from "../../mirror/store.js";
import { recordKey } from "../../mirror/writes.js";
import { records as named } from "../../runtime/records/records.js";

/** A record as it is in memory. */
interface Entry {
  /** The revision in the store, 0 for none. */
  readonly from: number;
  readonly record: StoredRecord | undefined;
  readonly isChanged: boolean;
}

export interface Deferred {
  readonly store: Store;
  /** Takes what is due in one call; the next calls that take work from `store` are given it. */
  takeAhead(
    leases: { readonly [kind in "asks" | "refresh" | "claim" | "lapse"]: Lease } & {
      readonly [kind in "erased" | "seats" | "batch" | "credits" | "share"]?: Lease;
    },
  ): Promise<unknown>;
  /** Writes the records. False if another process has changed one of them; then none is written. */
  flush(now: number): Promise<boolean>;
}

const PACE = recordKey(named.pace.kind, named.pace.id);
const SHARED = new Set([PACE, recordKey(named.runs.kind, named.runs.id)]);
const ENDING = ["refresh", "claim", "erased", "lapse"] as const;
const TAKEN = [...ENDING, "seats", "batch", "credits", "share"] as const;
const KINDS: ReadonlySet<RecordKind> = new Set(["run", "partition", "watermark"]);

export function deferRecords(store: Store): Deferred {
  const entries = new Map<string, Entry>();
  /** Runs that were opened here: nothing of theirs is in the store. */
  const opened: string[] = [];
  /** What the store had none of when it was last asked, and nothing written here has changed that. */
  const none = new Set<string>();
  /** What was taken ahead, for the first who asks. */
  const ahead = new Map<string, Promise<readonly unknown[]>>();
  /** All watermarks, once they are read. */
  let marks: Promise<void> | undefined;
  /** Settings that were read, for those who read them again. */
  const reads = new Map<string, Promise<StoredRecord | undefined>>();

  const isOpened = (id: string) => opened.some((run) => id.includes(run));
  const isKept = (kind: RecordKind, id: string) =>
    KINDS.has(kind) || SHARED.has(recordKey(kind, id)) || isOpened(id);

  async function entryOf(kind: RecordKind, id: string): Promise<Entry> {
    const key = recordKey(kind, id);
    const known = entries.get(key);
    if (known !== undefined) return known;
    const record = isOpened(id) ? undefined : await readOnce(kind, id);
    return entries.get(key) ?? learn(key, record);
  }

  function readOnce(kind: RecordKind, id: string): Promise<StoredRecord | undefined> {
    const key = recordKey(kind, id);
    const reading = reads.get(key) ?? store.record(kind, id);
    reads.set(key, reading);
    return reading;
  }

  function learn(key: string, record: StoredRecord | undefined): Entry {
    const entry = { from: record?.revision ?? 0, record, isChanged: false };
    entries.set(key, entry);
    return entry;
  }

  function learnAll(page: readonly StoredRecord[]): void {
    for (const record of page) {
      const key = recordKey(record.kind, record.id);
      if (isKept(record.kind, record.id) && !entries.has(key)) learn(key, record);
    }
  }

  function change({ from }: Entry, record: StoredRecord | undefined, key: string): void {
    entries.set(key, { from, record, isChanged: true });
  }

  function write(writes: readonly RecordWrite[]): RecordWrite | undefined {
    const known = writes.map(({ kind, id }) => entries.get(recordKey(kind, id)));
    const refused = writes.findIndex(
      ({ expect }, index) => (known[index]?.record?.revision ?? 0) !== expect,
    );
    if (refused !== -1) return writes[refused];
    for (const [index, { kind, id, expect, revision = expect + 1, next }] of writes.entries()) {
      const record = next === null ? undefined : { kind, id, ...next, revision };
      change(
        known[index] ?? { from: 0, record: undefined, isChanged: false },
        record,
        recordKey(kind, id),
      );
    }
    return undefined;
  }

  /** What the store is asked for once, and again only when a commit may have brought some. */
  async function unlessNone<T>(key: string, ask: () => Promise<readonly T[]>) {
    if (none.has(key)) return [];
    const taken = ahead.get(key) as Promise<readonly T[]> | undefined;
    ahead.delete(key);
    const found = await (taken ?? ask());
    if (found.length === 0) none.add(key);
    return found;
  }

  async function commit(batch: Batch): Promise<Committed> {
    const { records = [], ...rest } = batch;
    for (const { kind, id, expect } of records) if (kind === "run" && expect === 0) opened.push(id);
    const kept = records.filter(({ kind, id }) => isKept(kind, id));
    const others = records.filter(({ kind, id }) => !isKept(kind, id));
    await Promise.all(kept.map(({ kind, id }) => entryOf(kind, id)));
    for (const { kind, id } of others) reads.delete(recordKey(kind, id));
    let units: readonly UnitOutcome[] = [];
    if (batch.units.length > 0 || others.length > 0) {
      const result = await store.commit(others.length === 0 ? rest : { ...rest, records: others });
      if (!result.committed) return result;
      units = result.units;
      if (leavesWork(batch, units) || others.length > 0) none.clear();
    }
    const conflict = write(kept);
    if (conflict === undefined) return { committed: true, units };
    return { committed: false, conflict: { kind: conflict.kind, id: conflict.id } };
  }

  const partitions = () =>
    [...entries.values()].flatMap(({ record, isChanged }) =>
      isChanged && record?.kind === "partition" ? [record] : [],
    );

  return {
    store: {
      ...store,
      commit,
      async record(kind, id) {
        if (isKept(kind, id)) return (await entryOf(kind, id)).record;
        return kind === "setting" ? readOnce(kind, id) : store.record(kind, id);
      },
      async recordsOf(kind, ref, after, limit) {
        const page = isOpened(ref) ? [] : await store.recordsOf(kind, ref, after, limit);
        learnAll(page);
        // Beyond a full page there may be others in the store.
        const last = page.length < limit ? undefined : page.at(-1)?.id;
        const kept = [...entries.values()]
          .flatMap(({ record }) => record ?? [])
          .filter((each) => each.kind === kind && each.ref === ref && each.id > after)
          .filter(({ id }) => last === undefined || id <= last);
        const others = page.filter(({ id }) => !isKept(kind, id));
        return [...others, ...kept].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
      },
      async records(kind, after, limit) {
        const ask = () => store.records(kind, after, limit);
        if (kind === "watermark") {
          marks ??= ask().then(learnAll);
          await marks;
          const all = [...entries.values()].flatMap(({ record }) => record ?? []);
          return all.filter((each) => each.kind === kind && each.id > after);
        }
        const page = await (kind === "aside" ? unlessNone(kind, ask) : ask());
        learnAll(page);
        return page;
      },
      takeAsks: (lease) => unlessNone("ask", () => store.takeAsks(lease)),
      async takeRecords(kind, lease) {
        if (kind !== "partition") {
          return unlessNone(kind, () => store.takeRecords(kind, lease));
        }
        // Those in the store have workers of their own.
        const due = partitions()
          .filter((each) => isDue(kind, each.due, lease.now))
          .sort((a, b) => (a.due ?? 0) - (b.due ?? 0))
          .slice(0, lease.limit);
        return due.map((each) => {
          const key = recordKey(kind, each.id);
          const taken = { ...each, revision: each.revision + 1, due: lease.now + lease.lease };
          change(entries.get(key) ?? learn(key, each), taken, key);
          return taken;
        });
      },
    },
    takeAhead({ asks, ...records }) {
      ahead.set("ask", store.takeAsks(asks));
      for (const kind of TAKEN) {
        const lease = records[kind];
        if (lease !== undefined) ahead.set(kind, store.takeRecords(kind, lease));
      }
      return Promise.all(ahead.values());
    },
    async flush(now) {
      const records: RecordWrite[] = [];
      for (const [key, { from, record, isChanged }] of entries) {
        // The pace is that of this process alone: its requests are few.
        if (!isChanged || key === PACE || (from === 0 && record === undefined)) continue;
        records.push(writeOf(key, from, record));
      }
      if (records.length === 0) return true;
      return (await store.commit({ source: "record", now, units: [], records })).committed;
    },
  };
}

function writeOf(key: string, expect: number, record: StoredRecord | undefined): RecordWrite {
  if (record !== undefined) {
    const { kind, id, ref, due, data } = record;
    return { kind, id, expect, next: { ref, due, data } };
  }
  const [kind = ""] = key.split(" ", 1);
  return { kind: kind as RecordKind, id: key.slice(kind.length + 1), expect, next: null };
}

/** Whether a commit leaves something to ask, to refresh, to credit, to include or to report. */
function leavesWork({ units, shares }: Batch, outcomes: readonly UnitOutcome[]): boolean {
  return (
    units.some(({ requests = [] }) => requests.length > 0) ||
    units.some((unit, at) => creditsLeftBy(unit, outcomes[at])) ||
    (shares && units.some((unit, at) => sharesLeftBy(unit, outcomes[at]))) ||
    outcomes.some((unit) => !unit.duplicate && unit.outcomes.some(({ act }) => act === "ask"))
  );
}
