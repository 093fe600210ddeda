/** The database as the `store` mutation sees it: its own tables typed, the mirror's by name. */
import type {
  DataModelFromSchemaDefinition,
  GenericDatabaseReader,
  GenericDatabaseWriter,
  GenericDocument,
  IndexRange,
  SchemaDefinition,
} from "convex/server";
import type { GenericId } from "convex/values";
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import { orderedIndex } from "./ordered.js";
import type { bookkeeping } from "./tables.js";

type Bookkeeping = DataModelFromSchemaDefinition<SchemaDefinition<typeof bookkeeping, true>>;

/** A document of one of its own tables. */
export type OwnDocument<T extends keyof Bookkeeping> = Bookkeeping[T]["document"];

/** A row of any mirrored table. */
export type MirrorDocument = {
  readonly _id: GenericId<string>;
  readonly _creationTime: number;
  readonly stripe: object | null;
  readonly last_synced_at: number;
  readonly [field: string]: unknown;
};

type MirrorInfo = {
  document: GenericDocument;
  fieldPaths: string;
  indexes: { [index: string]: string[] };
  searchIndexes: Record<never, never>;
  vectorIndexes: Record<never, never>;
};

type Mirror = { [table: string]: MirrorInfo };

export type Db = GenericDatabaseWriter<Bookkeeping>;
type MirrorWriter = GenericDatabaseWriter<Mirror>;
export type MirrorReader = GenericDatabaseReader<Mirror>;

/** The same database, seen as the mirrored tables. */
export const mirrorOf = (db: Db): MirrorReader => db as unknown as MirrorReader;
/** The same, to write to them: only a commit does, and the linter sees to it. */
export const mirrorWriterOf = (db: Db): MirrorWriter => db as unknown as MirrorWriter;

/** The documents of a mirrored table, as far as they are asked for: never all at once. */
export interface MirrorRows {
  first(): Promise<MirrorDocument | null>;
  take(limit: number): Promise<MirrorDocument[]>;
}

/** The rows whose indexed field has this value. */
export function rowsBy(
  db: MirrorReader,
  resource: ResourceName,
  index: string,
  value: unknown,
): MirrorRows {
  const path = pathOf(resource, index);
  return db
    .query(resources[resource].table)
    .withIndex(index, (range) => range.eq(path, value as never)) as unknown as MirrorRows;
}

/** What an index covers. */
function pathOf(resource: ResourceName, index: string): string {
  const { indexes, table } = resources[resource];
  const path = (indexes as { [name: string]: string })[index];
  if (path === undefined) throw new RangeError(`${table} has no index ${index}`);
  return path;
}

/** The newest rows whose indexed field has this value: by Stripe's time, where there is an index for that. */
export async function latestBy(
  db: MirrorReader,
  resource: ResourceName,
  index: string,
  value: unknown,
  limit: number,
): Promise<MirrorDocument[]> {
  const { table } = resources[resource];
  const path = pathOf(resource, index);
  const found = db
    .query(table)
    .withIndex(orderedIndex(resource, index) ?? index, (range) => range.eq(path, value as never));
  return (await found.order("desc").take(limit)) as unknown as MirrorDocument[];
}

/** A range of an index, of which every one has the creation time as its last field. */
interface ByCreation {
  gt(field: "_creationTime", after: number): IndexRange;
}

/** The rows whose indexed field has this value, made after a moment, oldest first. */
export async function rowsSince(
  db: MirrorReader,
  resource: ResourceName,
  index: string,
  value: unknown,
  after: number,
  limit: number,
): Promise<MirrorDocument[]> {
  const { table } = resources[resource];
  const path = pathOf(resource, index);
  const found = db
    .query(table)
    .withIndex(index, (range) =>
      (range.eq(path, value as never) as unknown as ByCreation).gt("_creationTime", after),
    );
  return (await found.take(limit)) as unknown as MirrorDocument[];
}

/** The rows after a document id, in the order of their ids. */
export function rowsAfter(db: MirrorReader, resource: ResourceName, after: string): MirrorRows {
  return db
    .query(resources[resource].table)
    .withIndex("by_id", (range) => range.gt("_id", after as never)) as unknown as MirrorRows;
}

/** The index that covers a field. */
export function indexOn(resource: ResourceName, field: string): string {
  const indexes = Object.entries<string>(resources[resource].indexes);
  const found = indexes.find(([, path]) => path === field);
  if (found === undefined) throw new RangeError(`${resource} has no index on ${field}`);
  return found[0];
}

/** The row of one object. */
export function rowOf(
  db: MirrorReader,
  resource: ResourceName,
  id: string,
): Promise<MirrorDocument | null> {
  const { idField } = resources[resource];
  return rowsBy(db, resource, indexOn(resource, idField), id).first();
}

/** Documents of several ranges, those of the first before those of the next, up to a limit. */
export async function takeInTurn<T>(
  limit: number,
  ranges: readonly { take(limit: number): Promise<T[]> }[],
): Promise<T[]> {
  const found: T[] = [];
  for (const range of ranges) {
    if (found.length < limit) found.push(...(await range.take(limit - found.length)));
  }
  return found;
}
