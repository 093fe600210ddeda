/** The fields of a mirrored row beside its document id: what every store writes for an object. */
import { columnsOf, ownerFieldOf, type ResourceName } from "./catalogue.js";
import { resources } from "./resources.js";

export type RowFields = { readonly [field: string]: unknown };

/** `a.b` of an object, as a string; null where there is none. */
export function fieldAt(content: object, path: string): string | null {
  let value: unknown = content;
  for (const key of path.includes(".") ? path.split(".") : [path]) {
    if (typeof value !== "object" || value === null) return null;
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === "string" ? value : null;
}

/**
 * The row of an object, without its link to an entity, which is not in the object. The owner is that
 * of an object which does not name it.
 */
export function rowFields(
  resource: ResourceName,
  id: string,
  content: object,
  last_synced_at: number,
  owner?: string,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  fields[resources[resource].idField] = id;
  for (const { field, from } of columnsOf(resource)) {
    if (from !== "link" && from !== "owner") fields[field] = fieldAt(content, from);
  }
  const ownerField = ownerFieldOf(resource);
  if (ownerField !== undefined) fields[ownerField] = owner;
  fields.stripe = content;
  fields.last_synced_at = last_synced_at;
  return fields;
}

/** A resource whose rows stand, one of nulls each, for owners that have nothing. */
export interface EmptyRows {
  readonly resource: ResourceName;
  readonly owner: ResourceName;
  /** The field that names the owner, the same in both tables: `customerId`. */
  readonly ownerField: string;
  /** Where the owner's id is inside the object: `customer`. */
  readonly ownerPath: string;
}

/** Those resources among the chosen ones, when their owners are chosen too. */
export function emptyRowsOf(chosen: readonly ResourceName[]): readonly EmptyRows[] {
  return chosen.flatMap((resource) => {
    const entry = resources[resource];
    if (!("emptyRowPer" in entry)) return [];
    const owner = entry.emptyRowPer;
    if (!chosen.includes(owner)) return [];
    const ownerField = resources[owner].idField;
    const column: { from: string } | undefined = entry.columns[ownerField];
    return column === undefined ? [] : [{ resource, owner, ownerField, ownerPath: column.from }];
  });
}

/** The owner of an object of such a resource. */
export function ownerOf(rows: EmptyRows, content: object): string | null {
  return fieldAt(content, rows.ownerPath);
}

/** A resource whose rows carry a link to an entity, and the field that holds it. */
export interface Link {
  readonly resource: ResourceName;
  readonly field: string;
}

/** That resource, if it is among the chosen ones. */
export function linkOf(chosen: readonly ResourceName[]): Link | undefined {
  for (const resource of chosen) {
    const link = columnsOf(resource).find(({ from }) => from === "link");
    if (link !== undefined) return { resource, field: link.field };
  }
  return undefined;
}

/** The row that stands for an owner that has nothing. */
export function emptyRow(rows: EmptyRows, owner: string, last_synced_at: number): RowFields {
  return {
    [resources[rows.resource].idField]: null,
    [rows.ownerField]: owner,
    // mutant "a row of nulls with an object": null -> {}
    stripe: null,
    last_synced_at,
  };
}
