/**
 * Every statement with values is parsed and planned once for each connection, whether or not its sender
 * asked for that. A proof that runs the same statements a million times takes a fifth less by it.
 */
import type pg from "pg";

type Query = (...args: unknown[]) => unknown;

/** Answers the pool. It must not have connected yet. */
export function preparing(pool: pg.Pool): pg.Pool {
  const names = new Map<string, string>();
  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `prepared_${names.size}`;
    names.set(text, name);
    return name;
  };
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as Query;
    const prepared: Query = (text, values, ...rest) =>
      typeof text === "string" && Array.isArray(values) && values.length > 0
        ? query({ name: nameOf(text), text, values }, ...rest)
        : query(text, values, ...rest);
    client.query = prepared as typeof client.query;
  });
  return pool;
}
