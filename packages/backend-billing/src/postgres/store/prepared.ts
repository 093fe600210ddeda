/**
 * Statements that PostgreSQL parses and plans once for each connection. A pool of `pg` can do
 * that; through anything else, statements are sent as they are.
 */
import { createHash } from "node:crypto";
import { type PoolLike, type Queryable, sqlState } from "../database.js";
import type { Statement } from "./statement.js";

/** Runs a statement and answers its rows. */
export type Run = (statement: Statement) => Promise<unknown[]>;

export interface Prepared {
  /** Runs on the pool. */
  readonly run: Run;
  /** Runs on a connection of the pool, inside a transaction. */
  on(connection: Queryable): Run;
  /** So many rows were written. A plan that was made for small tables is wrong for large ones. */
  grown(rows: number): void;
}

/** A connection keeps the text of what it has prepared: the same string each time, not a copy for each connection. */
interface Named {
  readonly name: string;
  readonly text: string;
}

/** What `pg` takes in place of a text. */
interface NamedQuery extends Named {
  readonly values: unknown[];
}

interface PgQueryable {
  query(query: NamedQuery): Promise<{ rows: unknown[] }>;
}

/** A connection keeps what it has prepared. The first are the most frequent; the rest goes without. */
const MOST_NAMES = 50;

/** Statements are planned anew whenever so many times more rows have been written. */
const GROWTH = 4;

/**
 * What PostgreSQL says when the connection behind a proxy is not the one that a statement was
 * prepared on, or when the tables have changed since. Each is said before anything is done.
 */
const NOT_PREPARED = new Set(["26000", "42P05", "0A000"]);

export function isNotPrepared(error: unknown): boolean {
  return NOT_PREPARED.has(sqlState(error) ?? "");
}

/** Runs statements, prepared where the pool can do it and as long as nothing speaks against it. */
export function prepareOn(pool: PoolLike, takesNames: boolean): Prepared {
  if (!takesNames) return { run: plainly(pool), on: plainly, grown() {} };
  const known = new Map<string, Named>();
  let refused = false;
  let rows = 0;
  let next = GROWTH;

  const prepared =
    (db: Queryable): Run =>
    async (statement) => {
      const { text, values } = statement;
      const named = known.get(text) ?? (known.size < MOST_NAMES ? namedAs(text, next) : undefined);
      if (refused || named === undefined) return plainly(db)(statement);
      known.set(text, named);
      try {
        return (await (db as unknown as PgQueryable).query({ ...named, values: [...values] })).rows;
      } catch (error) {
        if (isNotPrepared(error)) refused = true;
        throw error;
      }
    };

  return {
    run: (statement) =>
      prepared(pool)(statement).catch((error: unknown) => {
        if (isNotPrepared(error)) return plainly(pool)(statement);
        throw error;
      }),
    on: prepared,
    grown(more) {
      rows += more;
      if (rows < next) return;
      next = rows * GROWTH;
      known.clear();
    },
  };
}

/** What runs a text with its values, where that is asked for. */
export const queryableBy = (run: Run): Queryable => ({
  query: async (text, values = []) => ({ rows: await run({ text, values }) }),
});

function plainly(db: Queryable): Run {
  return async ({ text, values }) => (await db.query(text, [...values])).rows;
}

/** The name says what is behind it, in every process: behind a proxy they share connections. */
function namedAs(text: string, generation: number): Named {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 24);
  return { name: `backend_billing_${hash}_${generation}`, text };
}
