/**
 * What the store writes beside commits: times at which asks and records are handed out again,
 * requests of records inside a transaction of the application, and receipts that are too old to
 * matter. It has not even the names of the mirrored tables.
 */
import { beyond } from "../../core/mirror/due.js";
import type {
  Ask,
  RecordRequest,
  RecordWrite,
  Store,
  StoredRecord,
} from "../../core/mirror/store.js";
import type { Queryable } from "../database.js";
import type { Names } from "./names.js";
import { type Numeric, type RawRecord, recordFrom } from "./raw.js";

type Select = <T>(text: string, values: unknown[]) => Promise<T[]>;

export function leasesOn(
  select: Select,
  names: Omit<Names, "table">,
): Pick<Store, "takeAsks" | "postponeAsk" | "takeRecords" | "pruneReceipts"> {
  return {
    takeAsks: async ({ now, lease, limit }) =>
      (
        await select<Numeric<Ask>>(
          `WITH due AS MATERIALIZED (${eitherOf(`SELECT resource, id FROM ${names.versions} WHERE`, "ask_at", "$1", "$4", "$3")})
           UPDATE ${names.versions} v SET ask_at = $1::bigint + $2::bigint FROM due
           WHERE v.resource = due.resource AND v.id = due.id
           RETURNING v.resource, v.id, v.revision`,
          [now, lease, limit, beyond("ask", now)],
        )
      ).map((ask) => ({ ...ask, revision: Number(ask.revision) })),
    postponeAsk: async ({ resource, id, revision }, until) => {
      await select(
        `UPDATE ${names.versions} SET ask_at = $4
         WHERE resource = $1 AND id = $2 AND revision = $3 AND ask_at IS NOT NULL`,
        [resource, id, revision, until],
      );
    },
    takeRecords: async (kind, { now, lease, limit }) =>
      (
        await select<RawRecord>(
          `WITH d AS MATERIALIZED (${eitherOf(`SELECT kind, id FROM ${names.records} WHERE kind = $1 AND`, "due", "$2", "$5", "$4")})
           UPDATE ${names.records} r SET due = $2::bigint + $3::bigint, revision = r.revision + 1 FROM d
           WHERE r.kind = d.kind AND r.id = d.id
           RETURNING r.kind, r.id, r.revision, r.ref, r.due, r.data`,
          [kind, now, lease, limit, beyond(kind, now)],
        )
      ).map(recordFrom),
    pruneReceipts: async (before, limit) => {
      const gone = await select(
        `DELETE FROM ${names.receipts} WHERE event_id IN (
           SELECT event_id FROM ${names.receipts} WHERE received_at < $1
           ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING 1`,
        [before, limit],
      );
      return gone.length;
    },
  };
}

/**
 * Requests a record on one connection, such as one with an open transaction: creates it, or raises
 * the revision and replaces the data of the one that there is, as the core's plan has it. One
 * statement, so that nothing comes between a reading and a writing; what commits first is waited for.
 */
export async function requestRecord(
  connection: Queryable,
  names: Pick<Names, "records">,
  { kind, id, due, data, ref }: RecordRequest,
): Promise<void> {
  await connection.query(
    `INSERT INTO ${names.records} AS r (kind, id, revision, ref, due, data)
     VALUES ($1, $2, 1, $5, $3, $4::text::jsonb)
     ON CONFLICT (kind, id) DO UPDATE SET revision = r.revision + 1, data = EXCLUDED.data,
       due = LEAST(COALESCE(r.due, EXCLUDED.due), EXCLUDED.due)`,
    [kind, id, due, JSON.stringify(data), ref ?? null],
  );
}

/**
 * Stores what a worker has made of a record, or removes it, on one connection, such as one with an open
 * transaction. False if the record has changed since it was read; then it stays.
 */
export async function putHeld(
  connection: Queryable,
  names: Pick<Names, "records">,
  { kind, id, revision }: Pick<StoredRecord, "kind" | "id" | "revision">,
  next: Pick<StoredRecord, "due" | "data"> | null,
): Promise<boolean> {
  const where = "WHERE kind = $1 AND id = $2 AND revision = $3 RETURNING 1";
  const { rows } =
    next === null
      ? await connection.query(`DELETE FROM ${names.records} ${where}`, [kind, id, revision])
      : await connection.query(
          `UPDATE ${names.records} SET revision = revision + 1, due = $4, data = $5::text::jsonb ${where}`,
          [kind, id, revision, next.due, JSON.stringify(next.data)],
        );
  return rows.length > 0;
}

/**
 * Removes a record that a worker has held, and answers in the same statement what `other` selects, its
 * columns null where that is nothing: by `$1` to `$4`, which are the record's kind, id, revision and ref.
 */
export async function removeHeld(
  connection: Queryable,
  names: Pick<Names, "records">,
  { kind, id, revision, ref }: Pick<StoredRecord, "kind" | "id" | "revision" | "ref">,
  other: string,
): Promise<{ readonly isRemoved: boolean; readonly other: object }> {
  const { rows } = await connection.query(
    `WITH removed AS (DELETE FROM ${names.records} WHERE kind = $1 AND id = $2 AND revision = $3 RETURNING 1)
     SELECT EXISTS (SELECT FROM removed) AS is_removed, o.*
     FROM (SELECT) AS one LEFT JOIN LATERAL (${other}) AS o ON true`,
    [kind, id, revision, ref],
  );
  const [{ is_removed: isRemoved, ...found }] = rows as [{ is_removed: boolean }];
  return { isRemoved, other: found };
}

/**
 * Counts an attempt at a record, by itself on a pool; the rest of its data stays. That need not outlive
 * a crash of the server, so nothing waits for the disk: then the attempt was none. False if the record
 * has changed since it was read.
 */
export async function countHeld(
  pool: Queryable,
  names: Pick<Names, "records">,
  { kind, id, revision }: Pick<StoredRecord, "kind" | "id" | "revision">,
  { due, data }: Pick<StoredRecord, "due" | "data">,
): Promise<boolean> {
  const { rows } = await pool.query(
    `UPDATE ${names.records} SET revision = revision + 1, due = $4, data = data || $5::text::jsonb
     WHERE kind = $1 AND id = $2 AND revision = $3
       AND set_config('synchronous_commit', 'off', true) IS NOT NULL RETURNING 1`,
    [kind, id, revision, due, JSON.stringify(data)],
  );
  return rows.length > 0;
}

/**
 * Puts or removes a record on one connection. False if it is not at the revision that is expected;
 * then nothing is written.
 */
export async function putRecord(
  connection: Queryable,
  names: Pick<Names, "records">,
  { kind, id, expect, next }: RecordWrite,
): Promise<boolean> {
  if (expect > 0 || next === null) {
    return putHeld(connection, names, { kind, id, revision: expect }, next);
  }
  const { rows } = await connection.query(
    `INSERT INTO ${names.records} (kind, id, revision, ref, due, data)
     VALUES ($1, $2, 1, $3, $4, $5::text::jsonb) ON CONFLICT (kind, id) DO NOTHING RETURNING 1`,
    [kind, id, next.ref, next.due, JSON.stringify(next.data)],
  );
  return rows.length > 0;
}

/**
 * What is due: up to a time, oldest first, and beyond another, each by the index. One condition with
 * OR would have to look through everything that waits. It is for a CTE that is materialised: as a part
 * of a join PostgreSQL may do it once for each row, and each time with a limit of its own.
 */
function eitherOf(
  select: string,
  column: string,
  now: string,
  beyond: string,
  limit: string,
): string {
  const part = (compare: string) =>
    `SELECT * FROM (${select} ${column} ${compare}::bigint
                    ORDER BY ${column} LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS part`;
  return `${part(`<= ${now}`)} UNION ALL ${part(`> ${beyond}`)} LIMIT ${limit}`;
}
