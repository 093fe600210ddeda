/**
 * What was done to a double, so that another one can be brought to the same state: the same seed and
 * the same requests, calls and moves of the clock at the same times give the same objects and ids.
 * Where the journal is kept is not decided here; state-file.ts keeps one in a file.
 */
import { createHash } from "node:crypto";
import type { Incoming, Outgoing } from "../http/handle.js";

/** One request that may have changed something. */
export interface RequestEntry {
  /** Milliseconds of the double's time. */
  readonly at: number;
  /** How many requests had an id before it; those that only read are not kept. */
  readonly requests: number;
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** A sum of what was answered, by which a replay that went another way is known. */
  readonly answer: string;
}

/** One call of the double's own interface that may have changed something, such as a payment. */
export interface CallEntry {
  readonly at: number;
  readonly requests: number;
  readonly call: string;
  readonly args: readonly unknown[];
}

/** The clock was moved ahead of the wall clock. */
export interface MoveEntry {
  readonly at: number;
  readonly to: number;
}

export type JournalEntry = RequestEntry | CallEntry | MoveEntry;

export interface Journal {
  /** What was done before, oldest first. */
  readonly entries: readonly JournalEntry[];
  append(entry: JournalEntry): void;
  /** Forgets everything, for a double that begins anew with this seed. */
  clear(seed: string | number): void;
  /** Lets go of where it is kept. */
  close?(): void;
}

/** The headers that decide what a request does. */
const HEADERS = [
  "authorization",
  "content-type",
  "idempotency-key",
  "stripe-account",
  "stripe-version",
];

/**
 * Reading the API changes nothing. A page of the portal remembers that it was seen; a payment link
 * and the recovery of a checkout make a new session.
 */
export const isKept = ({ method, url }: Incoming): boolean =>
  method !== "GET" || /^\/(b|p)\/|^\/c\/pay\/\w+\/recover/.test(url);

export function entryOf(
  { method, url, headers, body }: Incoming,
  outgoing: Outgoing,
  at: number,
  requests: number,
): RequestEntry {
  const kept = HEADERS.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value]] : [];
  });
  const answer = sumOf(outgoing);
  return { at, requests, method, url, headers: Object.fromEntries(kept), body, answer };
}

/** Of a page only the status: its links hold the double's address, and that may be another one. */
export function sumOf({ status, headers, body }: Outgoing): string {
  const isApi = body !== "" && (headers["Content-Type"] ?? "").startsWith("application/json");
  const { id } = isApi ? (JSON.parse(body) as { id?: unknown }) : {};
  const text = `${status} ${typeof id === "string" ? id : ""}`;
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** The double that replays a journal answered otherwise than the one that wrote it. */
export class JournalMismatch extends Error {
  constructor({ method, url }: RequestEntry) {
    super(`${method} ${url} was answered in another way than when it was first asked.`);
  }
}
