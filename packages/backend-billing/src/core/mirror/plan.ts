/**
 * Works out what a batch does, down to the last field, without doing it. A store reads the facts that
 * are missing, plans again until none is, and carries out the writes in the same transaction. It
 * decides nothing, so every rule stands here or below and is written once. Pure.
 */
import type { ResourceName } from "../catalogue/catalogue.js";
import { resources } from "../catalogue/resources.js";
import { linkOf } from "../catalogue/row.js";
import { same } from "./content/same.js";
import { creditsRequests } from "./credits.js";
import { type Erasing, storedPart, storedRequests } from "./erased.js";
import { createAnswers, type Known, type Need, noting, type Reads, readMissing } from "./facts.js";
import { planChanges } from "./plan-changes.js";
import { movedIn, planRecords } from "./plan-records.js";
import { planRows } from "./plan-rows.js";
import { ASK_DELAY, judge } from "./rule.js";
import { formerBy, shareRecords } from "./shares.js";
import type {
  Batch,
  Outcome,
  Receipt,
  RecordKey,
  RecordRequest,
  Snapshot,
  UnitOutcome,
} from "./store.js";
import { type Judged, keyOf, type PutVersion, type Write } from "./writes.js";

/** What a batch does. */
export interface Decided {
  readonly outcomes: readonly UnitOutcome[];
  readonly writes: readonly Write[];
  /** Judged and left alone: the judgement holds only while they are at this revision. */
  readonly unchanged: readonly {
    readonly resource: ResourceName;
    readonly id: string;
    readonly revision: number;
  }[];
}

/** The facts that must be read before the batch can be planned. */
export interface Undecided {
  readonly missing: readonly Need[];
}

/** A record is not at the revision expected, or its customer is claimed: nothing is written. */
export interface Refused {
  readonly committed: false;
  readonly conflict: RecordKey;
}

export type Plan = Decided | Undecided | Refused;

/**
 * Judges every snapshot, those of one object in the order in which they stand in the batch. For a store
 * that `copies` contents, none is asked for only to be told of.
 */
export function planCommit(
  batch: Batch,
  chosen: readonly ResourceName[],
  known: Known,
  copies = false,
): Plan {
  // What is refused needs no other fact: a store would lock it, and wait for it in vain.
  const moved = movedIn(batch.records ?? [], known);
  if (moved !== undefined) return { committed: false, conflict: moved };
  const missing: Need[] = [];
  const facts = noting(known, missing);
  const objects = new Map<string, Judged>();
  const receipts = new Map<string, Receipt>();
  const requests: RecordRequest[] = [];
  const erasing = { objects, chosen, facts };

  const outcomes = batch.units.map((unit): UnitOutcome => {
    const { receipt } = unit;
    if (receipt !== undefined) {
      // mutant "receipts ignored": facts.received(receipt.eventId) -> missing.length > 9_999
      if (facts.received(receipt.eventId) || receipts.has(receipt.eventId)) {
        return { duplicate: true };
      }
      receipts.set(receipt.eventId, receipt);
    }
    requests.push(...storedRequests(unit.requests ?? [], erasing));
    const snapshots = unit.snapshots ?? [];
    return {
      duplicate: false,
      outcomes: snapshots.map((snapshot) => apply(snapshot, objects, known, erasing, batch)),
    };
  });

  const judged = [...objects.values()];
  requests.push(...creditsRequests(judged, chosen, batch.now, facts));
  const records = planRecords(batch.records ?? [], requests, facts);
  const rows = planRows(objects, records.links, chosen, batch.now, facts);
  const copied = copies ? known : undefined;
  const changes = planChanges(judged, records.links, batch, chosen, facts, copied);
  if (missing.length > 0) return { missing };
  if (records.conflict !== undefined) return { committed: false, conflict: records.conflict };
  return {
    outcomes,
    writes: [
      ...judged.flatMap((object) => versionWrite(object, batch.now)),
      ...[...receipts.values()].map(
        (receipt) => ({ write: "putReceipt", receipt, receivedAt: batch.now }) as const,
      ),
      ...records.writes,
      ...rows,
      ...changes,
      ...shareRecords(judged, batch),
    ],
    unchanged: judged
      .filter(({ version, before }) => version === before)
      .map(({ resource, id, before }) => ({ resource, id, revision: before?.revision ?? 0 })),
  };
}

/** Plans, reading each fact when it turns out to be missing. For a store that is in a transaction. */
export async function planReading(
  batch: Batch,
  chosen: readonly ResourceName[],
  reads: Reads,
): Promise<Decided | Refused> {
  const answers = createAnswers();
  for (;;) {
    const plan = planCommit(batch, chosen, answers.known);
    if (!("missing" in plan)) return plan;
    await readMissing(reads, plan.missing, answers);
  }
}

/** Stands for what is not known yet; it is thrown away with the rest of this attempt. */
const LATER: Outcome = { act: "drop", revision: 0 };

function apply(
  seen: Snapshot,
  objects: Map<string, Judged>,
  known: Known,
  erasing: Erasing,
  { source, now, shares = false }: Batch,
): Outcome {
  const { resource, id } = seen;
  const { facts } = erasing;
  const looks = source !== "event" && linkOf(erasing.chosen)?.resource === resource;
  const object = objectOf(seen, objects, known, facts, looks);
  if (object === undefined) return LATER;
  const snapshot = storedPart(seen, object, erasing);
  if (snapshot === undefined) return LATER;
  const isFirst = object.version === null && snapshot.origin === "event";
  const watermark = isFirst ? facts.watermark(resource) : null;
  if (watermark === undefined) return LATER;
  const verdict = judge(object.version ?? undefined, snapshot, {
    // mutant "ids that return are not known": "idsReturn" -> "neverReturn"
    idsReturn: "idsReturn" in resources[resource],
    watermark: watermark ?? undefined,
    equal: equality(object, snapshot, known),
  });
  if (verdict.act === "compare") {
    facts.content(resource, id);
    return LATER;
  }
  if (verdict.act !== "drop" && verdict.act !== "retry") {
    object.version = verdict.next;
    if (verdict.content === "set") {
      if (shares) leave(object, snapshot, facts, now);
      object.content = snapshot.content;
      object.owner = snapshot.owner;
      if (source !== "page" && isRecent(snapshot)) object.isBorn = true;
    }
    if (verdict.content === "clear") object.content = null;
  }
  const { act } = verdict;
  const { revision = 0, stale = false } = object.version ?? {};
  const isKept = stale && act !== "ask" && act !== "retry"; // who gets these goes on with it
  return { act, revision, ...(isKept ? { isInDoubt: true } : {}) };
}

/** Keeps what an object was before a snapshot, where that is to be given. */
function leave(object: Judged, snapshot: Snapshot, facts: Known, now: number): void {
  const { resource, id, before, content } = object;
  if (resource !== "subscriptions") return;
  const was =
    content !== undefined || before?.state !== "live" ? content : facts.content(resource, id);
  const former = was ? formerBy(was, snapshot, now) : undefined;
  if (former !== undefined) object.former = [...(object.former ?? []), former];
}

/** Seconds: an invoice may be a draft for an hour before anything else is said of it. */
const RECENT = 2 * 3600;

/** Whether something is shown that was made not long before. */
function isRecent({ kind, content, lo }: Snapshot): boolean {
  const { created } = (content ?? {}) as { readonly created?: unknown };
  return kind === "created" || (typeof created === "number" && created > lo - RECENT);
}

function objectOf(
  { resource, id }: Snapshot,
  objects: Map<string, Judged>,
  known: Known,
  facts: Known,
  looks: boolean,
): Judged | undefined {
  const key = keyOf(resource, id);
  const found = objects.get(key);
  if (found !== undefined) return found;
  const before = facts.version(resource, id);
  if (before === undefined) return undefined;
  // A row that was removed behind the library's back is put back whole where that is noticed: with the
  // link to its entity, by what Stripe was asked for. An event has the time of its reading alone.
  const content = (looks && before?.state === "live" ? facts : known).content(resource, id);
  const wasThere = before?.state === "live" && content !== null;
  const made: Judged = { resource, id, before, wasThere, version: before, content: undefined };
  objects.set(key, made);
  return made;
}

/** Whether the snapshot says what is known already; undefined if what is known was not read. */
function equality(object: Judged, snapshot: Snapshot, known: Known): boolean | undefined {
  if (snapshot.content === null) return false;
  const content =
    object.content !== undefined ? object.content : known.content(object.resource, object.id);
  return content === undefined ? undefined : content !== null && same(content, snapshot.content);
}

function versionWrite({ resource, id, before, version }: Judged, now: number): PutVersion[] {
  if (version === null || version === before) return [];
  const askAt = !version.stale ? null : before?.stale ? "keep" : now + ASK_DELAY;
  return [{ write: "putVersion", resource, id, from: before, next: version, askAt }];
}
