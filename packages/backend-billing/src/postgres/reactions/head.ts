/** What is told next: the oldest change of an object that is not parked. It only reads. */
import { beyond } from "../../core/mirror/due.js";
import { LISTENING, type StoredListening } from "../../core/mirror/listening.js";
import type { StoredRecord } from "../../core/mirror/store.js";
import type { Queryable } from "../database.js";
import type { Names } from "../store/names.js";
import { type RawRecord, recordFrom } from "../store/raw.js";

/** An object's oldest change, and by how much the database's clock is ahead of this process's. */
export type Head = StoredRecord & { readonly isDue: boolean; readonly ahead: number };

/** Objects that are looked at at once: other workers may hold the first of them. */
const LOOKED_AT = 50;

/** The time of the statement: with `clock_timestamp()`, which moves on within one, no index can be used. */
const NOW = "floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint";

/** Later than anything is put off: a machine whose clock was wrong wrote it down. */
const BEYOND = `${NOW} + ${beyond("change", 0)}`;

/** The objects whose oldest change is due, the longest waiting first. What is parked has no due time. */
export async function dueObjects({
  pool,
  names,
  occasions,
}: {
  readonly pool: Queryable;
  readonly names: Names;
  readonly occasions: readonly string[];
}): Promise<readonly string[]> {
  // Each by the index: one condition with OR would have to look through everything that waits. So it would
  // without CASE, as PostgreSQL takes it that hardly any row has a resource that is asked for.
  const heads = (due: string) => `(SELECT r.ref FROM ${names.records} r
     WHERE r.kind = 'change' AND r.due ${due}
       AND CASE WHEN split_part(r.ref, ' ', 1) = ANY($1) THEN true END
       AND NOT EXISTS (SELECT FROM ${names.records} e WHERE e.kind = 'change' AND e.ref = r.ref
         AND e.id < r.id AND CASE WHEN e.due IS NOT NULL THEN true END)
     ORDER BY r.due LIMIT ${LOOKED_AT})`;
  const { rows } = await pool.query(`${heads(`<= ${NOW}`)} UNION ALL ${heads(`> ${BEYOND}`)}`, [
    occasions,
  ]);
  return (rows as { ref: string }[]).map(({ ref }) => ref);
}

/**
 * The oldest change of an object that is not parked. Where the statistics are of a time at which nothing
 * waited, as they mostly are, PostgreSQL would look through all that waits, by the index of due times. So
 * it is not shown that one fits, and asked for the order of the index by objects.
 */
function oldest(names: Names, columns: string, ref: string, but = "true"): string {
  // mutant "changes are told in the order of time": ORDER BY ref, id -> ORDER BY due
  // mutant "what is parked blocks others": CASE WHEN due IS NOT NULL THEN true END -> true
  return `SELECT ${columns} FROM ${names.records} WHERE kind = 'change' AND ref >= ${ref} AND ref <= ${ref}
    AND ${but} AND CASE WHEN due IS NOT NULL THEN true END ORDER BY ref, id LIMIT 1`;
}

const HEAD = `kind, id, revision, ref, due, data, ${NOW} AS now, due <= ${NOW} OR due > ${BEYOND} AS is_due`;

type RawHead = RawRecord & { readonly is_due: boolean; readonly now: string | number };

export async function headOf(on: Queryable, names: Names, ref: string): Promise<Head | undefined> {
  const { rows } = await on.query(oldest(names, HEAD, "$1"), [ref]);
  const [found] = rows as RawHead[];
  return found && headFrom(found);
}

/** Selects the oldest change but one, by parameters of these names. */
export const otherHead = (names: Names, ref: string, id: string): string =>
  oldest(names, HEAD, ref, `id <> ${id}`);

/** The head that was selected so, if any was: the columns are null where none is. */
export const otherFrom = (raw: object): Head | undefined =>
  (raw as RawHead).id === null ? undefined : headFrom(raw as RawHead);

function headFrom({ is_due: isDue, now, ...record }: RawHead): Head {
  return { ...recordFrom(record), isDue, ahead: Number(now) - Date.now() };
}

/** What a worker finds that is about to tell a change. */
export interface Locked {
  /** False if another worker has the object. */
  readonly isFree: boolean;
  /** The oldest change, by its id and revision. */
  readonly id: string | null;
  readonly revision: number;
  /** What any process listens to. */
  readonly listening: StoredListening | undefined;
}

/**
 * Locks an object for this transaction, and looks at its oldest change in the same statement, which
 * may not see what another worker committed a moment before it let go. That cannot matter: a change
 * that was counted by this worker is at a revision that no other one knows, so none can have told it.
 */
export async function lockHead(tx: Queryable, names: Names, ref: string): Promise<Locked> {
  const { rows } = await tx.query(
    `SELECT pg_try_advisory_xact_lock(hashtextextended('backend_billing change ' || $1, 0)) AS ok, h.id, h.revision,
       (SELECT l.data FROM ${names.records} l WHERE l.kind = '${LISTENING.kind}' AND l.id = '${LISTENING.id}') AS listening
     FROM (SELECT) AS one LEFT JOIN LATERAL (${oldest(names, "id, revision", "$1")}) AS h ON true`,
    [ref],
  );
  const [found] = rows as {
    ok: boolean;
    id: string | null;
    revision: string | number | null;
    listening: StoredListening | null;
  }[];
  const { ok = false, id = null, revision = null, listening = null } = found ?? {};
  return {
    isFree: ok === true,
    id,
    revision: Number(revision),
    listening: listening ?? undefined,
  };
}
