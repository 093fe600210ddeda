/** Reads the facts that a plan asks for. It decides nothing and writes nothing. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { isEventRequest } from "../../core/mirror/changes.js";
import {
  type Answers,
  createAnswers,
  type Fact,
  type Known,
  type Need,
  noting,
  type RecordState,
} from "../../core/mirror/facts.js";
import { listenedIn } from "../../core/mirror/listening.js";
import { type Decided, planCommit, type Refused, type Undecided } from "../../core/mirror/plan.js";
import type { Version } from "../../core/mirror/rule.js";
import type { Batch, RecordKind, RecordWrite, StoredRecord } from "../../core/mirror/store.js";
import { keyOf, recordKey } from "../../core/mirror/writes.js";
import type { Names } from "../store/names.js";
import type { Run } from "../store/prepared.js";
import { readKnown } from "./known.js";
import { byKey, compare, type ObjectKey, readContents } from "./sql.js";

/** The objects of a batch, each once, in the order in which every commit locks them. */
export function objectsIn(batch: Batch): ObjectKey[] {
  const found = new Map<string, ObjectKey>();
  for (const { snapshots = [] } of batch.units) {
    for (const { resource, id } of snapshots) found.set(keyOf(resource, id), { resource, id });
  }
  return [...found.values()].sort(byKey);
}

export interface Reading {
  readonly names: Names;
  readonly chosen: readonly ResourceName[];
  readonly run: Run;
  /** Locks owners before what depends on them is read. Without it nothing is locked. */
  readonly hold?: (owners: readonly string[]) => Promise<void>;
  /** What the plan will probably ask for. It is read before anything is planned. */
  readonly expected?: readonly Need[];
  /** Whether the write copies what was in a row that is told of; otherwise that is read. */
  readonly copies: boolean;
}

/**
 * What was planned; or, because some of it must be locked, everything that it depends on. And the
 * facts as far as they are known.
 */
export interface Planned {
  readonly plan: Decided | Refused | Undecided;
  readonly known: Known;
  readonly listening: ListeningRecord | undefined;
}

/** What the application listens to, as it was read. */
export type ListeningRecord = Pick<StoredRecord, "revision" | "data">;

/** No application listens to anything. */
const UNHEARD: ListeningRecord = { revision: 0, data: {} };

/** Plans the batch, reading what the plan asks for. */
export async function planned(batch: Batch, reading: Reading): Promise<Planned> {
  const { hold, expected = [] } = reading;
  const answers = createAnswers();
  const { known } = answers;
  const needed = [expected];
  let missing = expected;
  let listening: ListeningRecord | undefined;
  for (;;) {
    if (missing.length > 0) {
      await hold?.(ownersIn(missing));
      listening = (await read(reading, missing, answers)) ?? listening;
    }
    const plan = planCommit(batch, reading.chosen, known, reading.copies);
    if (!("missing" in plan)) return { plan, known, listening };
    missing = plan.missing;
    needed.push(missing);
    if (hold === undefined && ownersIn(missing).length > 0) {
      return { plan: { missing: needed.flat() }, known, listening };
    }
  }
}

/**
 * The owners of facts that no revision guards: which rows an owner has, and who has claimed it. Such
 * a fact holds only in a transaction that has locked the owner.
 */
export function ownersIn(needs: readonly Need[]): readonly string[] {
  const owners = new Set<string>();
  for (const need of needs) {
    if (need.fact === "recordOn") owners.add(need.of[1]);
    if (need.fact === "rowsWhere") owners.add(need.of[2]);
  }
  return [...owners];
}

/** What is asked for, by fact. A page of objects asks for thousands, so they are gone through once. */
type Asked = { readonly [F in Fact]: Need<F>["of"][] };

function askedIn(needs: readonly Need[]): Asked {
  const asked: Asked = {
    version: [],
    content: [],
    watermark: [],
    received: [],
    record: [],
    recordOn: [],
    rowsWhere: [],
    listened: [],
  };
  for (const { fact, of } of needs) (asked[fact] as (typeof of)[]).push(of);
  return asked;
}

async function read(
  reading: Reading,
  needs: readonly Need[],
  answers: Answers,
): Promise<ListeningRecord | undefined> {
  const asked = askedIn(needs);
  const contents = asked.content;
  const listening =
    contents.length < needs.length ? await readAll(reading, asked, answers) : undefined;
  for (const resource of new Set(contents.map(([name]) => name))) {
    const ids = contents.filter(([name]) => name === resource).map(([, id]) => id);
    for (const id of ids) answers.add("content", [resource, id], null);
    const stored = await reading.run(readContents(reading.names, resource, ids));
    for (const { id, content } of stored as { id: string; content: object | null }[]) {
      answers.add("content", [resource, id], content);
    }
  }
  return listening;
}

/** A row of nothing but nulls, or no list at all, is what there is of objects that are not known. */
interface Read {
  readonly listening?: ListeningRecord | null;
  readonly versions?: readonly (Version & ObjectKey)[] | readonly [null] | null;
  readonly receipts?: readonly string[] | null;
  readonly watermarks?: Partial<Record<ResourceName, number>> | null;
  readonly records?: readonly (RecordState & { kind: RecordKind; id: string })[] | null;
  readonly pointing?: readonly { kind: RecordKind; ref: string; id: string }[] | null;
  readonly owned?: readonly { owner: string; ids: readonly (string | null)[] | null }[] | null;
}

/** Everything but contents, in one round trip. */
async function readAll(
  { names, run, hold }: Reading,
  asked: Asked,
  answers: Answers,
): Promise<ListeningRecord | undefined> {
  const objects = asked.version.map(([resource, id]) => ({ resource, id })).sort(byKey);
  const events = asked.received.map(([eventId]) => eventId);
  const records = asked.record
    .map(([kind, id]) => ({ kind, id }))
    .sort((a, b) => compare(a.kind, b.kind) || compare(a.id, b.id));
  const pointing = asked.recordOn.map(([kind, ref]) => ({ kind, ref }));
  const owned = asked.rowsWhere;
  const watermarks = asked.watermark.map(([resource]) => resource);
  const wanted = {
    objects,
    events,
    records,
    pointing,
    owned,
    watermarks: watermarks.length > 0,
    listening: asked.listened.length > 0,
  };
  const [found = {}] = (await run(readKnown(names, wanted, hold !== undefined))) as [Read?];

  for (const { resource, id } of objects) answers.add("version", [resource, id], null);
  for (const each of found.versions ?? []) {
    if (each !== null) answers.add("version", [each.resource, each.id], each);
  }
  // They are read along with versions if one of these is not there.
  const known = (found.versions ?? []).filter((each) => each !== null).length;
  const along = known < objects.length ? objects.map((each) => each.resource) : [];
  for (const resource of new Set([...watermarks, ...along])) {
    answers.add("watermark", [resource], found.watermarks?.[resource] ?? null);
  }
  const isRead = objects.length > 0 || asked.listened.length > 0;
  const listening = found.listening ?? UNHEARD;
  if (isRead) {
    const abouts = [...objects.map((each) => each.resource), ...asked.listened.flat()];
    for (const about of new Set([...abouts, "link" as const, "erased" as const])) {
      answers.add("listened", [about], listenedIn(listening.data, about));
    }
  }
  const received = new Set(found.receipts);
  for (const eventId of events) answers.add("received", [eventId], received.has(eventId));
  for (const { kind, id } of records) answers.add("record", [kind, id], null);
  for (const { kind, id, ...state } of found.records ?? [])
    answers.add("record", [kind, id], state);
  for (const { kind, ref } of pointing) answers.add("recordOn", [kind, ref], null);
  for (const { kind, ref, id } of found.pointing ?? []) answers.add("recordOn", [kind, ref], id);
  const rows = new Map((found.owned ?? []).map(({ owner, ids }) => [owner, ids ?? []]));
  for (const of of owned) answers.add("rowsWhere", of, rows.get(of[2]) ?? []);
  return isRead ? listening : undefined;
}

/**
 * The facts as they probably are: versions and what is listened to as this process remembers them,
 * events new, and records at the revision that is expected of them; the write finds out. What else is asked for is missing.
 */
export function guessed(
  batch: Batch,
  versions: ReadonlyMap<string, Version>,
  listening?: ListeningRecord,
): Known {
  const requests = batch.units.flatMap((unit) => unit.requests ?? []);
  const expected = new Map([
    ...requests.filter(isEventRequest).map(({ kind, id }) => [recordKey(kind, id), null] as const),
    ...(batch.records ?? []).map(
      (write) => [recordKey(write.kind, write.id), stateBefore(write)] as const,
    ),
  ]);
  return {
    ...createAnswers().known,
    version: (resource, id) => versions.get(keyOf(resource, id)),
    received: () => false,
    record: (kind, id) => expected.get(recordKey(kind, id)),
    listened: (resource) => listening && listenedIn(listening.data, resource),
  };
}

/**
 * The record that a write expects to find; undefined where it must be read: a claim whose customer is
 * not told, and what is neither there nor made, which leaves the write nothing to find out by.
 */
function stateBefore({ kind, expect, was, next }: RecordWrite): RecordState | null | undefined {
  if (expect === 0) return next === null ? undefined : null;
  if (was !== undefined) return { revision: expect, ...was };
  return kind === "claim" ? undefined : { revision: expect, ref: null, due: null };
}

/**
 * Whether a claim of the batch comes to point at a customer: mostly one that was just made. To find
 * out by reading that it must be locked would be a round trip in vain.
 */
export function givesCustomer({ units, records = [] }: Batch): boolean {
  const isLink = ({ kind, was, next }: RecordWrite): boolean =>
    kind === "claim" && next !== null && next.ref !== null && next.ref !== (was?.ref ?? null);
  return units.length > 0 && records.some(isLink);
}

/** What must be read to commit the batch if none of its objects is known yet. */
export function neededIfNew(batch: Batch, chosen: readonly ResourceName[]): readonly Need[] {
  const needs: Need[] = [];
  const unread = noting(createAnswers().known, needs);
  const guess = guessed(batch, new Map());
  planCommit(batch, chosen, {
    ...unread,
    version: (resource, id) => unread.version(resource, id) ?? null,
    content: () => undefined, // what is new has none
    watermark: () => null, // they are read along with versions
    listened: () => null, // so is this
    received: (eventId) => unread.received(eventId) ?? false,
    record: (kind, id) => unread.record(kind, id) ?? guess.record(kind, id),
  });
  return needs;
}
