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
  objects: readonly Judged[],
  links: Links,
  chosen: readonly ResourceName[],
  now: number,
  facts: Known,
): readonly Write[] {
  const link = linkOf(chosen);
  return [
    ...objects.flatMap((object) => ownRow(object, links, link, now, facts)),
    ...emptyRowsOf(chosen).flatMap((rule) => emptyRows(rule, objects, now, facts)),
    ...(link === undefined ? [] : linksAlone(link, objects, links)),
  ];
}

function ownRow(
  { resource, id, content, wasThere }: Judged,
  links: Links,
  link: Link | undefined,
  now: number,
  facts: Known,
): Write[] {
  if (content === undefined) return [];
  if (content === null) return wasThere ? [{ write: "deleteRow", resource, id }] : [];
  const put = (linked: RowFields, ifAbsent: RowFields = {}): Write => {
    const fields = { ...rowFields(resource, id, content, now), ...linked };
    return { write: "putRow", resource, id, isNew: !wasThere, fields, ifAbsent };
  };
  if (resource !== link?.resource) return [put({})];
  // A row that is there keeps its link unless a claim of this batch changes it.
  const linked = links.get(id);
  if (wasThere && linked === undefined) return [put({}, { [link.field]: null })];
  const entity = linked !== undefined ? linked : facts.recordOn("claim", id);
  return entity === undefined ? [] : [put({ [link.field]: entity })];
}

/** The links of rows that the batch does not write otherwise. */
function linksAlone(link: Link, objects: readonly Judged[], links: Links): LinkRow[] {
  if (links.size === 0) return [];
  const written = new Set(
    objects.flatMap(({ resource, id, content }) =>
      resource === link.resource && content !== undefined ? [id] : [],
    ),
  );
  return [...links].flatMap(([id, value]) =>
    written.has(id) ? [] : [{ write: "linkRow", ...link, id, value }],
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
function emptyRows(
  rule: EmptyRows,
  objects: readonly Judged[],
  now: number,
  facts: Known,
): Write[] {
  const byKey = new Map(objects.map((object) => [keyOf(object.resource, object.id), object]));
  return [...changesOf(rule, objects, facts)].flatMap(([owner, { gains, loses }]): Write[] => {
    // More than it loses, and a row of nulls: then what it keeps is among them.
    const { resource, ownerField: field } = rule;
    const rows = facts.rowsWhere(resource, field, owner, loses.size + 2);
    if (rows === undefined) return [];
    const has = gains || rows.some((id) => id !== null && !loses.has(id));
    const isWanted = !has && isThereAfter(byKey.get(keyOf(rule.owner, owner)), rule, owner, facts);
    const isThere = rows.includes(null);
    if (isWanted === isThere) return [];
    const key = { resource, id: null, owner: { field, id: owner } } as const;
    if (!isWanted) return [{ write: "deleteRow", ...key }];
    const fields = emptyRow(rule, owner, now);
    return [{ write: "putRow", ...key, isNew: true, fields, ifAbsent: {} }];
  });
}

/** The owners whose row of nulls may come or go: those that appear or go, or gain or lose something. */
function changesOf(
  rule: EmptyRows,
  objects: readonly Judged[],
  facts: Known,
): ReadonlyMap<string, Change> {
  const changes = new Map<string, Change>();
  const changeOf = (owner: string): Change => {
    const change = changes.get(owner) ?? { gains: false, loses: new Set() };
    changes.set(owner, change);
    return change;
  };
  for (const { resource, id, content, wasThere } of objects) {
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
