/** Looks at what the store keeps beside the rows and offers no reading of: receipts and asks. Reads only. */
import { namesIn } from "../postgres/store/names.js";
import type { Connected } from "./connect.js";

export interface StoredReceipt {
  readonly eventId: string;
  readonly type: string;
  /** Milliseconds, at Stripe. */
  readonly created: number;
  readonly objectId: string | null;
  /** Milliseconds, here. */
  readonly receivedAt: number;
}

type Where = Pick<Connected, "pool" | "schema">;
type RawReceipt = { readonly [field in keyof StoredReceipt]: string };

const COLUMNS = `event_id AS "eventId", type, created, object_id AS "objectId", received_at AS "receivedAt"`;

const receiptOf = ({ created, receivedAt, ...rest }: RawReceipt): StoredReceipt => ({
  ...rest,
  created: Number(created) * 1000,
  receivedAt: Number(receivedAt),
});

/** The receipts of these events, by their ids. */
export async function receiptsOf(
  { pool, schema }: Where,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredReceipt>> {
  const { rows } = await pool.query(
    `SELECT ${COLUMNS} FROM ${namesIn(schema).receipts}
     WHERE event_id = ANY(ARRAY(SELECT json_array_elements_text($1::text::json)))`,
    [JSON.stringify(ids)],
  );
  return new Map((rows as RawReceipt[]).map((raw) => [raw.eventId, receiptOf(raw)]));
}

/** The last receipt, and how many came since a moment. */
export async function receivedSince(
  { pool, schema }: Where,
  since: number,
): Promise<{ readonly last: StoredReceipt | undefined; readonly number: number }> {
  const { receipts } = namesIn(schema);
  const [last, counted] = await Promise.all([
    pool.query(`SELECT ${COLUMNS} FROM ${receipts} ORDER BY received_at DESC LIMIT 1`),
    pool.query(`SELECT count(*) AS number FROM ${receipts} WHERE received_at >= $1`, [since]),
  ]);
  const [raw] = last.rows as RawReceipt[];
  const [row] = counted.rows as { number: string }[];
  return { last: raw && receiptOf(raw), number: Number(row?.number ?? 0) };
}

/** Objects that Stripe still has to be asked about, and since when the oldest is due. */
export async function asksOutstanding({
  pool,
  schema,
}: Where): Promise<{ readonly number: number; readonly oldestDue: number | null }> {
  const { rows } = await pool.query(
    `SELECT count(*) AS number, min(ask_at) AS oldest FROM ${namesIn(schema).versions}
     WHERE ask_at IS NOT NULL`,
  );
  const [row] = rows as { number: string; oldest: string | null }[];
  const oldest = row?.oldest ?? null;
  return { number: Number(row?.number ?? 0), oldestDue: oldest === null ? null : Number(oldest) };
}
