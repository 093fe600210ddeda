/**
 * What the store needs of a PostgreSQL client: a pool that answers queries and lends connections.
 * It is `pg`'s interface, taken structurally, so no driver is imported here.
 */

export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface Connection extends Queryable {
  /**
   * `pg` tells of a connection that broke between two queries this way, and ends the process if
   * there is no listener.
   */
  on?(event: "error", listener: () => void): unknown;
  removeListener?(event: "error", listener: () => void): unknown;
  /** Gives the connection back; with `true` it is closed instead, because its state is unknown. */
  release(destroy?: boolean): void;
}

export interface PoolLike extends Queryable {
  connect(): Promise<Connection>;
  /** `pg` reports an idle connection that ended this way, and ends the process if nothing listens. */
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/**
 * Runs `work` in one transaction. Nothing is left open on the connection, whatever happens. `begin`
 * may set something for the transaction, where the client takes several statements at once.
 */
export async function transaction<T>(
  pool: PoolLike,
  work: (connection: Queryable) => Promise<T>,
  begin = "BEGIN",
): Promise<T> {
  const connection = await pool.connect();
  let clean = false;
  const noticed = () => {}; // the next query on it fails, and that is where it is dealt with
  connection.on?.("error", noticed);
  try {
    await connection.query(begin);
    const result = await work(connection);
    await connection.query("COMMIT");
    clean = true;
    return result;
  } catch (error) {
    clean = await connection.query("ROLLBACK").then(
      () => true,
      () => false, // the connection is gone, and with it the transaction
    );
    throw error;
  } finally {
    connection.removeListener?.("error", noticed);
    connection.release(!clean);
  }
}

/** PostgreSQL's five-character code of an error, where it is PostgreSQL's: a system's begin with E. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[0-9FHPX][0-9A-Z]{4}$/.test(code) ? code : undefined;
}

/** A key is there already. */
export const UNIQUE_VIOLATION = "23505";

/** An identifier, quoted: the schema's name comes from the application. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
