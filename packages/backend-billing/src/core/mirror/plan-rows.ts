/**
 * What a batch does to the mirrored rows: those of its objects, the rows of nulls that stand for
 * owners that have nothing, and the links of rows to entities. Pure.
 */
import type { ResourceName } from "../catalogue/catalogue.js";
import {
  type EmptyRows,
  emptyRow,
  emptyRowsOf,
  type Link,
  linkOf,
  ownerOf,
  type RowFields,
  rowFields,
} from "../catalogue/row.js";
import type { Known } from "./facts.js";
import type { Links } from "./plan-records.js";
import { type Judged, keyOf, type LinkRow, type Write } from "./writes.js";

export function planRows(
  objects: Objects,
  links: Links,
  chosen: readonly ResourceName[],
  now: number,
  facts: Known,
): readonly Write[] {
  const link = linkOf(chosen);
  const writes: Write[] = [];
  for (const object of objects.values()) {
    const write = ownRow(object, links, link, now, facts);
    if (write !== undefined) writes.push(write);
  }
  for (const rule of emptyRowsOf(chosen)) writes.push(...emptyRows(rule, objects, now, facts));
  if (link !== undefined) writes.push(...linksAlone(link, objects, links));
  return writes;
}

/** The objects of the batch, by their keys. */
type Objects = ReadonlyMap<string, Judged>;

function ownRow(
  { resource, id, content, wasThere, owner }: Judged,
  links: Links,
  link: Link | undefined,
  now: number,
  facts: Known,
): Write | undefined {
  if (content === undefined) return undefined;
  if (content === null) return wasThere ? { write: "deleteRow", resource, id } : undefined;
  const fields = rowFields(resource, id, content, now, owner);
  if (resource !== link?.resource) return putRow(resource, id, !wasThere, fields, {});
  // A row that is there keeps its link unless a claim of this batch changes it.
  const linked = links.get(id);
  if (wasThere && linked === undefined) {
    return putRow(resource, id, false, fields, { [link.field]: null });
  }
  const entity = linked !== undefined ? linked : facts.recordOn("claim", id);
  if (entity === undefined) return undefined;
  fields[link.field] = entity;
  return putRow(resource, id, !wasThere, fields, {});
}

const putRow = (
  resource: ResourceName,
  id: string,
  isNew: boolean,
  fields: RowFields,
  ifAbsent: RowFields,
): Write => ({ write: "putRow", resource, id, isNew, fields, ifAbsent });

/** The links of rows that the batch does not write otherwise. */
function linksAlone(link: Link, objects: Objects, links: Links): LinkRow[] {
  const isWritten = (id: string) => objects.get(keyOf(link.resource, id))?.content !== undefined;
  return [...links].flatMap(([id, value]) =>
    isWritten(id) ? [] : [{ write: "linkRow", ...link, id, value }],
  );
}

/** What an owner gains and loses by the batch. */
interface Change {
  gains: boolean;
  readonly loses: Set<string>;
}

/**
 * The row of nulls is there exactly when its owner is there and has nothing. Only what appears or
 * goes can change that: the owner of an object never changes.
 */
function emptyRows(rule: EmptyRows, objects: Objects, now: number, facts: Known): Write[] {
  return [...changesOf(rule, objects, facts)].flatMap(([owner, { gains, loses }]): Write[] => {
    // More than it loses, and a row of nulls: then what it keeps is among them.
    const { resource, ownerField: field } = rule;
    const rows = facts.rowsWhere(resource, field, owner, loses.size + 2);
    if (rows === undefined) return [];
    const has = gains || rows.some((id) => id !== null && !loses.has(id));
    const isWanted =
      !has && isThereAfter(objects.get(keyOf(rule.owner, owner)), rule, owner, facts);
    const isThere = rows.includes(null);
    if (isWanted === isThere) return [];
    const key = { resource, id: null, owner: { field, id: owner } } as const;
    if (!isWanted) return [{ write: "deleteRow", ...key }];
    const fields = emptyRow(rule, owner, now);
    return [{ write: "putRow", ...key, isNew: true, fields, ifAbsent: {} }];
  });
}

/** The owners whose row of nulls may come or go: those that appear or go, or gain or lose something. */
function changesOf(rule: EmptyRows, objects: Objects, facts: Known): ReadonlyMap<string, Change> {
  const changes = new Map<string, Change>();
  const changeOf = (owner: string): Change => {
    const change = changes.get(owner) ?? { gains: false, loses: new Set() };
    changes.set(owner, change);
    return change;
  };
  for (const { resource, id, content, wasThere } of objects.values()) {
    if (content === undefined || (content === null) !== wasThere) continue;
    if (resource === rule.owner) changeOf(id);
    if (resource !== rule.resource) continue;
    const owned = content ?? facts.content(resource, id);
    const owner = owned ? ownerOf(rule, owned) : null;
    if (owner === null) continue;
    if (content === null) changeOf(owner).loses.add(id);
    else changeOf(owner).gains = true;
  }
  return changes;
}

function isThereAfter(
  object: Judged | undefined,
  rule: EmptyRows,
  owner: string,
  facts: Known,
): boolean {
  if (object?.content !== undefined) return object.content !== null;
  return facts.version(rule.owner, owner)?.state === "live";
}
