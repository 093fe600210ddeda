/** What a batch does to records, and by its claims to the links of customers. Pure. */
import type { Known, RecordState } from "./facts.js";
import type { RecordKey, RecordRequest, RecordWrite } from "./store.js";
import { type PutRecord, recordKey, type Write } from "./writes.js";

/** The entity that an object belongs to after the batch, for objects where that changes. */
export type Links = ReadonlyMap<string, string | null>;

export interface PlannedRecords {
  readonly conflict: RecordKey | undefined;
  readonly writes: readonly Write[];
  readonly links: Links;
}

export function planRecords(
  records: readonly RecordWrite[],
  requests: readonly RecordRequest[],
  facts: Known,
): PlannedRecords {
  const writes = new Map<string, Write | undefined>();
  for (const request of merged(requests))
    writes.set(recordKey(request.kind, request.id), granted(request, facts));
  // A write replaces a request for the same record: the record is there then, as was requested.
  for (const record of records)
    writes.set(recordKey(record.kind, record.id), written(record, facts));
  return {
    conflict: conflictOf(records, facts),
    writes: [...writes.values()].filter((write) => write !== undefined),
    links: linksOf(records, facts),
  };
}

/** One request per record: the data of the last one, the earliest of the due times. */
function merged(requests: readonly RecordRequest[]): readonly RecordRequest[] {
  const found = new Map<string, RecordRequest>();
  for (const request of requests) {
    const due = Math.min(
      found.get(recordKey(request.kind, request.id))?.due ?? request.due,
      request.due,
    );
    found.set(recordKey(request.kind, request.id), { ...request, due });
  }
  return [...found.values()];
}

function granted(request: RecordRequest, facts: Known): Write | undefined {
  const before = facts.record(request.kind, request.id);
  return before === undefined ? undefined : grantedOver(request, before);
}

/** A new record, or the existing one: revision raised, data replaced, never due later than before. */
export function grantedOver(
  { kind, id, due: requested, data, ref }: RecordRequest,
  before: RecordState | null,
): PutRecord {
  const from = before?.revision ?? 0;
  const due = Math.min(before?.due ?? requested, requested);
  return {
    write: "putRecord",
    kind,
    id,
    from,
    rescheduled: due !== before?.due,
    record: { revision: from + 1, ref: before?.ref ?? ref ?? null, due, data },
  };
}

function written(
  { kind, id, expect, revision, next }: RecordWrite,
  facts: Known,
): Write | undefined {
  const before = facts.record(kind, id);
  if (before === undefined) return undefined;
  if (next === null) {
    return before === null ? undefined : { write: "deleteRecord", kind, id, from: expect };
  }
  const { ref, due, data } = next;
  return {
    write: "putRecord",
    kind,
    id,
    from: expect,
    rescheduled: due !== (before?.due ?? null),
    record: { revision: revision ?? expect + 1, ref, due, data },
  };
}

/** The customer that a claim comes to point at; null if it points at none, or did so before. */
function claimedBy({ kind, id, next }: RecordWrite, facts: Known): string | null {
  if (kind !== "claim" || next === null) return null;
  const before = facts.record(kind, id);
  return before === undefined || before?.ref === next.ref ? null : next.ref;
}

/** The first write that is known not to find the revision it expects. */
export function movedIn(records: readonly RecordWrite[], known: Known): RecordKey | undefined {
  const found = records.find(({ kind, id, expect }) => {
    const before = known.record(kind, id);
    return before !== undefined && (before?.revision ?? 0) !== expect;
  });
  return found && { kind: found.kind, id: found.id };
}

/** The first write that claims what is claimed already. */
function conflictOf(records: readonly RecordWrite[], facts: Known): RecordKey | undefined {
  const claimed = new Set<string>();
  const found = records.find((write) => {
    const { id } = write;
    const customer = claimedBy(write, facts);
    if (customer === null) return false;
    const isTaken = (facts.recordOn("claim", customer) ?? id) !== id || claimed.has(customer);
    claimed.add(customer);
    return isTaken;
  });
  return found && { kind: found.kind, id: found.id };
}

/** A claim that moves or goes leaves its customer without an entity, and gives the new one its own. */
function linksOf(records: readonly RecordWrite[], facts: Known): Links {
  const links = new Map<string, string | null>();
  for (const { kind, id, next } of records) {
    const left = kind === "claim" ? facts.record(kind, id)?.ref : null;
    if (left == null || left === next?.ref) continue;
    if (facts.recordOn("claim", left) === id) links.set(left, null);
  }
  for (const write of records) {
    const customer = claimedBy(write, facts);
    if (customer !== null) links.set(customer, write.id);
  }
  return links;
}
