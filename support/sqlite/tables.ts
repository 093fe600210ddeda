/** The tables of the SQLite store, and a small handle on the driver: statements are prepared once. */
// By its default: Node finds no names in what the package exports.
import sqlite, { type Statement } from "node-sqlite3-wasm";

/** What may be bound to a statement. */
export type Value = string | number | null;

/** A row that a statement answers. */
export type Found = Readonly<Record<string, Value>>;

export interface Sql {
  /** All rows. */
  all(text: string, ...values: readonly Value[]): readonly Found[];
  /** The first row. */
  first(text: string, ...values: readonly Value[]): Found | undefined;
  /** How many rows a statement changed. */
  run(text: string, ...values: readonly Value[]): number;
  /** Runs `work` as one transaction. It must not wait for anything: there is one connection. */
  transaction<T>(work: () => T): T;
  /** Removes everything from the tables. */
  empty(): void;
  close(): void;
}

// One table for the rows of all resources. `_id` is never used twice, so that a page can be continued
// after a row that is gone.
const TABLES = `
  create table versions (
    resource text not null, id text not null, revision integer not null, state text not null,
    lo real not null, hi real not null, stale integer not null, first integer not null,
    ask_at integer, primary key (resource, id)
  ) without rowid;
  create index asks on versions (ask_at) where ask_at is not null;
  create table receipts (
    event_id text primary key, type text not null, created integer not null, object_id text,
    received_at integer not null
  ) without rowid;
  create index receipts_by_age on receipts (received_at);
  create table records (
    kind text not null, id text not null, revision integer not null, ref text, due integer,
    data text not null, primary key (kind, id)
  ) without rowid;
  create index records_by_ref on records (kind, ref, id) where ref is not null;
  create index records_by_due on records (kind, due) where due is not null;
  create table mirror (
    _id integer primary key autoincrement, resource text not null, id text, owner text,
    fields text not null, stripe text, unique (resource, id), unique (resource, owner)
  );
  create index mirror_by_customer on mirror (resource, fields ->> 'customerId');
`;

const EMPTY =
  "delete from versions; delete from receipts; delete from records; delete from mirror;";

/** A database in memory with empty tables. */
export function openSql(): Sql {
  const database = new sqlite.Database(":memory:");
  database.exec(TABLES);
  const statements = new Map<string, Statement>();
  const prepared = (text: string): Statement => {
    const statement = statements.get(text) ?? database.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  return {
    all: (text, ...values) => prepared(text).all([...values]) as Found[],
    first: (text, ...values) => (prepared(text).get([...values]) ?? undefined) as Found | undefined,
    run: (text, ...values) => prepared(text).run([...values]).changes,
    transaction(work) {
      database.exec("begin immediate");
      try {
        const result = work();
        database.exec("commit");
        return result;
      } catch (error) {
        database.exec("rollback");
        throw error;
      }
    },
    empty: () => database.exec(EMPTY),
    close() {
      for (const statement of statements.values()) statement.finalize();
      database.close();
    },
  };
}
