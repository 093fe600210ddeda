/**
 * The changes that a batch tells the application of. Each is a record that is written with the row:
 * it is told if, and only if, the row was stored, from wherever that was learnt. Pure.
 */
import type { ResourceName } from "../catalogue/catalogue.js";
import { changeId, changeRecord, type StoredChange } from "./changes.js";
import { same } from "./content/same.js";
import type { Known } from "./facts.js";
import { formerRequest } from "./former.js";
import { grantedOver, type Links } from "./plan-records.js";
import { scrubbed } from "./scrub.js";
import type { Batch } from "./store.js";
import type { Judged, PutRecord } from "./writes.js";

export const planChanges = (
  objects: readonly Judged[],
  links: Links,
  batch: Batch,
  chosen: readonly ResourceName[],
  facts: Known,
  /** What was read, for a store that copies the other contents by itself. */
  copied: Known | undefined,
): readonly PutRecord[] => [
  ...rowChanges(objects, batch, facts, copied),
  ...linkChanges(links, batch, chosen, facts),
  ...formerOwners(objects, batch, chosen, facts),
];

function rowChanges(
  objects: readonly Judged[],
  { now, draw = "" }: Batch,
  facts: Known,
  copied: Known | undefined,
): readonly PutRecord[] {
  const writes: PutRecord[] = [];
  for (const object of objects) {
    const { resource, id, content: after, version } = object;
    if (after === undefined || version === null) continue;
    const listened = facts.listened(resource);
    if (!listened || (listened === "existence" && object.wasThere && after !== null)) continue;
    const key = `${draw}.${id}.${version.revision}`;
    const isCopied =
      after !== null && copied && !object.isErased && contentBefore(object, copied) === undefined;
    if (isCopied) {
      writes.push(copiedChange(version.revision, { key, resource, id, at: now }));
      continue;
    }
    const stored = contentBefore(object, facts);
    // What was personal is left out here, too: that is no change, and must not be told.
    const before = stored && object.isErased ? scrubbed(stored) : stored;
    if (before === undefined || isNone(before, after)) continue;
    // mutant "what the first listing finds is told": before === null && isFound(object, facts) -> false
    if (before === null && isFound(object, facts)) continue;
    const change: StoredChange = { key, resource, id, before, after, at: now };
    const isGone = resource === "customers" && after === null;
    const entityId = isGone ? facts.recordOn("claim", id) : null;
    writes.push(putChange(version.revision, entityId == null ? change : { ...change, entityId }));
  }
  return writes;
}

function putChange(number: number, change: StoredChange): PutRecord {
  const { kind, id, ref, due, data } = changeRecord(change, number);
  const record = { revision: 1, ref, due, data };
  return { write: "putRecord", kind, id, from: 0, rescheduled: true, record };
}

/** The change of a row whose contents the store copies. */
function copiedChange(
  number: number,
  change: Omit<StoredChange, "before" | "after"> & { readonly resource: ResourceName },
): PutRecord {
  const put = putChange(number, { ...change, before: null, after: null });
  const { before: _before, after: _after, ...data } = put.record.data;
  return { ...put, record: { ...put.record, data }, copies: change.resource };
}

/** Whose the customers were that go, where anything is listened to: what follows is told of them, too. */
function formerOwners(
  objects: readonly Judged[],
  { now }: Batch,
  chosen: readonly ResourceName[],
  facts: Known,
): readonly PutRecord[] {
  return objects.flatMap(({ resource, id, content, before }) => {
    const isGone = resource === "customers" && content === null && before?.state === "live";
    if (!isGone || !chosen.some((each) => facts.listened(each))) return [];
    const entityId = facts.recordOn("claim", id);
    if (entityId == null) return []; // not read yet, or none
    const request = formerRequest(id, entityId, now);
    const known = facts.record(request.kind, request.id);
    return known === undefined ? [] : [grantedOver(request, known)];
  });
}

/** How many subscriptions of a customer are told when it is linked. */
const PRESENT = 100;

/**
 * The customers that come to belong to an entity, each with a change of nothing for what it has: that
 * is told once, before anything that becomes of it. What the first listing finds linked is no news,
 * unlike the customer that a call has made or adopted for its entity meanwhile.
 */
function linkChanges(
  links: Links,
  { source, now, draw = "" }: Batch,
  chosen: readonly ResourceName[],
  facts: Known,
): readonly PutRecord[] {
  return [...links].flatMap(([id, entityId]) => {
    if (entityId === null) return [];
    const listened = facts.listened("link");
    if (!listened) return [];
    const isCalled = source === "call" || facts.record("claim", entityId) != null;
    const isNews = listened === "everything" || isCalled;
    if (!isNews && facts.watermark("customers") == null) return []; // not read yet, or none
    const nothing = { before: null, after: null, at: now };
    const owned = chosen.includes("subscriptions")
      ? (facts.rowsWhere("subscriptions", "customerId", id, PRESENT) ?? [])
      : [];
    return [
      putChange(now, { ...nothing, key: `${draw}.${id}.link`, resource: "link", id, entityId }),
      ...owned
        .filter((each) => each !== null)
        .filter((each) => facts.record("change", changeId("subscriptions", each)) === null)
        .map((each) =>
          putChange(0, {
            ...nothing,
            key: `${draw}.${each}.0`,
            resource: "subscriptions",
            id: each,
          }),
        ),
    ];
  });
}

/** What the row had; undefined if that was not read yet. */
const contentBefore = (
  { resource, id, before }: Judged,
  facts: Known,
): object | null | undefined => (before?.state === "live" ? facts.content(resource, id) : null);

/** Nothing was there and nothing is, or the same. */
const isNone = (before: object | null, after: object | null): boolean =>
  before === null || after === null ? before === after : same(before, after);

/**
 * Whether the object may be older than the library's knowledge of its resource, which was never
 * listed to its end: what is found then is what there is, and no news.
 */
function isFound({ resource, isBorn }: Judged, facts: Known): boolean {
  if (isBorn || facts.listened(resource) === "everything") return false;
  return facts.watermark(resource) == null; // not read yet, or none
}
