/** Reads what a batch touches and has the core judge it. It decides nothing and writes nothing. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { type EmptyRows, emptyRowsOf, ownerOf } from "../../core/catalogue/row.js";
import {
  type Known,
  keyOf,
  type Planned,
  planCommit,
  type VersionWrite,
} from "../../core/mirror/plan.js";
import type { Version } from "../../core/mirror/rule.js";
import type { Batch } from "../../core/mirror/store.js";
import type { Names } from "../store/names.js";
import type { Run } from "../store/prepared.js";
import { byKey, type ObjectKey, readContents, readKnown, readOwners } from "./sql.js";

/** The objects of a batch, each once, in the order in which everybody locks them. */
export function objectsIn(batch: Batch): ObjectKey[] {
  const found = new Map<string, ObjectKey>();
  for (const { snapshots = [] } of batch.units) {
    for (const { resource, id } of snapshots) found.set(keyOf(resource, id), { resource, id });
  }
  return [...found.values()].sort(byKey);
}

/** A row of nothing but nulls, or no list at all, is what there is of objects that are not known. */
interface Read {
  readonly versions: readonly (Version & ObjectKey)[] | readonly [null] | null;
  readonly receipts: readonly string[] | null;
  readonly watermarks: Partial<Record<ResourceName, number>> | null;
}

const NOTHING: Read = { versions: null, receipts: null, watermarks: null };

/** What was planned, and the versions by which it was judged. */
export interface Judged {
  readonly planned: Planned;
  readonly was: Known["version"];
}

/** Reads and judges the batch, fetching stored contents where the rule needs them. */
export async function judge(
  names: Names,
  run: Run,
  batch: Batch,
  objects: readonly ObjectKey[],
  lock: boolean,
): Promise<Judged> {
  const events = batch.units.flatMap((unit) => (unit.receipt ? [unit.receipt.eventId] : []));
  const nothing = objects.length + events.length === 0;
  const [found] = nothing
    ? [NOTHING]
    : ((await run(readKnown(names, objects, events, lock))) as [Read]);
  const versions = new Map(
    (found.versions ?? []).flatMap((each) => (each ? [[keyOf(each.resource, each.id), each]] : [])),
  );
  const receipts = new Set(found.receipts);
  const contents = new Map<string, object | null>();
  const was: Known["version"] = (resource, id) => versions.get(keyOf(resource, id));
  for (;;) {
    const planned = planCommit(batch, {
      version: was,
      content: (resource, id) => contents.get(keyOf(resource, id)),
      watermark: (resource) => found.watermarks?.[resource],
      seen: (eventId) => receipts.has(eventId),
    });
    if (!("compare" in planned)) return { planned, was };
    for (const resource of new Set(planned.compare.map((each) => each.resource))) {
      const ids = planned.compare.filter((each) => each.resource === resource).map(({ id }) => id);
      for (const id of ids) contents.set(keyOf(resource, id), null);
      const stored = await run(readContents(names, resource, ids));
      for (const { id, content } of stored as { id: string; content: object | null }[]) {
        contents.set(keyOf(resource, id), content);
      }
    }
  }
}

/**
 * Judges the batch by versions of all its objects that may be out of date, and as if its events
 * were new; the write finds out. Undefined if more must be known, or an object would not be written
 * and so nothing could find out.
 */
export function judgeBy(batch: Batch, versions: ReadonlyMap<string, Version>): Judged | undefined {
  const was: Known["version"] = (resource, id) => versions.get(keyOf(resource, id));
  const planned = planCommit(batch, {
    version: was,
    content: () => undefined,
    watermark: () => undefined, // only asked for where no version is known
    seen: () => false,
  });
  if ("compare" in planned || planned.versions.length < versions.size) return undefined;
  return { planned, was };
}

/** Owners whose row of nulls may have to come or go because of what was planned. */
export interface Affected {
  readonly rule: EmptyRows;
  /** They appear, and nothing of theirs appears with them. */
  readonly appearing: readonly string[];
  /** Something of theirs appears. */
  readonly filled: readonly string[];
  /** They go, or something of theirs does. */
  readonly emptied: readonly string[];
}

export async function ownersAffected(
  names: Names,
  chosen: readonly ResourceName[],
  run: Run,
  { planned }: Judged,
): Promise<readonly Affected[]> {
  const structural = planned.versions.filter(isStructural);
  if (structural.length === 0) return [];
  const all = emptyRowsOf(chosen).map(async (rule): Promise<Affected> => {
    const writes = (resource: ResourceName) =>
      structural.filter((each) => each.resource === resource);
    const owners = writes(rule.owner);
    const members = writes(rule.resource);
    const filled = members.flatMap(({ content }) => (content && ownerOf(rule, content)) ?? []);
    const had = new Set(filled);
    const gone = members.flatMap(({ id, content }) => (content === null ? [id] : []));
    const stored = gone.length === 0 ? [] : await run(readOwners(names, rule, gone));
    return {
      rule,
      appearing: owners.flatMap(({ id, content }) => (content && !had.has(id) ? [id] : [])),
      filled: [...had],
      emptied: [
        ...owners.flatMap(({ id, content }) => (content === null ? [id] : [])),
        ...(stored as { owner: string }[]).map(({ owner }) => owner),
      ],
    };
  });
  return (await Promise.all(all)).filter((each) => allOf([each]).length > 0);
}

/** All these owners, each once. */
export function allOf(affected: readonly Affected[]): readonly string[] {
  return [
    ...new Set(affected.flatMap((each) => [...each.appearing, ...each.filled, ...each.emptied])),
  ];
}

/** Whether a row appears or goes, rather than changes. A row that was never live counts as absent. */
function isStructural({ content, wasLive }: VersionWrite): boolean {
  return content === null || (content !== undefined && !wasLive);
}
