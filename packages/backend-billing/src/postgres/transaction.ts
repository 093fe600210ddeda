/**
 * A transaction of the application's own, as something that runs a statement: a client of `pg`, or
 * Drizzle's, whose driver is looked up and not imported.
 */
import { BillingError } from "../core/runtime/errors.js";
import type { Queryable } from "./database.js";

/** A `pg` client, or a Drizzle transaction over `pg`, postgres.js or PGlite. */
export type Tx =
  | Queryable
  | {
      /** Drizzle's own: the library's statements are run by it. */
      execute(query: never): PromiseLike<unknown>;
    };

/** What Drizzle's transactions have of their driver. */
interface DrizzleTx {
  readonly _?: { readonly session?: { readonly client?: DriverClient } };
}

interface DriverClient {
  query?: Queryable["query"];
  unsafe?(text: string, values?: unknown[]): PromiseLike<readonly unknown[]>;
}

/** One for each client: what goes by the connection, such as the order of calls, knows it again. */
const known = new WeakMap<DriverClient, Queryable>();

export function queryableOf(tx: Tx): Queryable {
  if ("query" in tx && typeof tx.query === "function") return tx;
  const client = (tx as DrizzleTx)._?.session?.client;
  const queryable = client && (known.get(client) ?? queryableOver(client));
  if (client !== undefined && queryable !== undefined) {
    known.set(client, queryable);
    return queryable;
  }
  throw new BillingError(
    "invalid_argument",
    "`store.in` takes a client of `pg` with an open transaction, or the transaction that Drizzle gives, over `pg`, postgres.js or PGlite.",
  );
}

function queryableOver(client: DriverClient): Queryable | undefined {
  const { query, unsafe } = client;
  if (typeof query === "function") {
    return { query: (text, values) => query.call(client, text, values) };
  }
  if (typeof unsafe !== "function") return undefined;
  return {
    query: async (text, values = []) => ({ rows: [...(await unsafe.call(client, text, values))] }),
  };
}
