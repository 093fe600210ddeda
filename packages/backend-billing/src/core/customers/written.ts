/**
 * Remembers what was written to a customer without keeping it: keyed digests, by which a later call
 * can tell whether a value at Stripe is still the one that was written here. The key comes from the
 * API key and is not in the database. After a roll of the API key nothing is recognised, until
 * a caller confirms a value by giving the one that is there.
 */

import { secretKey } from "../runtime/config.js";
import { defineLocal } from "../runtime/local.js";
import type { Runtime } from "../runtime/runtime.js";

/** Digests of values by digests of the names of their fields. */
export type Written = { readonly [field: string]: string };

/** What a caller may give of a customer: `email`, and each key of `metadata`, is a field. */
export interface Details {
  readonly email?: string | null | undefined;
  readonly metadata?: { readonly [key: string]: unknown } | null | undefined;
}

const METADATA = "metadata.";

/** The fields that have a value. An empty value is none: Stripe removes a field that is set to it. */
export function fieldsOf({ email, metadata }: Details): Map<string, string> {
  const entries = Object.entries(metadata ?? {}).map(([key, value]) => [METADATA + key, value]);
  const all = [...(email ? [["email", email]] : []), ...entries] as [string, string][];
  return new Map(all);
}

/** The parameters that set these fields. */
export function paramsOf(fields: ReadonlyMap<string, string>): {
  readonly email?: string;
  readonly metadata?: { readonly [key: string]: string };
} {
  const email = fields.get("email");
  const metadata = [...fields]
    .filter(([field]) => field.startsWith(METADATA))
    .map(([field, value]) => [field.slice(METADATA.length), value]);
  return {
    ...(email === undefined ? {} : { email }),
    ...(metadata.length === 0 ? {} : { metadata: Object.fromEntries(metadata) }),
  };
}

/** A field and its value as they are remembered. */
export interface Digests {
  readonly field: string;
  readonly value: string;
}

/** Of one field of a customer. */
export async function digestsOf(
  runtime: Runtime,
  customer: string,
  field: string,
  value: string,
): Promise<Digests> {
  const [name, content] = await Promise.all([
    digest(runtime, [customer, field]),
    digest(runtime, [customer, field, value]),
  ]);
  return { field: name.slice(0, 16), value: content.slice(0, 32) };
}

/** What to remember after these fields were seen to have the values that a caller gave. */
export async function writtenOf(
  runtime: Runtime,
  customer: string,
  fields: ReadonlyMap<string, string>,
): Promise<Written> {
  const all = await Promise.all(
    [...fields].map(([field, value]) => digestsOf(runtime, customer, field, value)),
  );
  return Object.fromEntries(all.map(({ field, value }) => [field, value]));
}

const memoryOf = defineLocal<{ key?: Promise<CryptoKey> }>(
  "runtime",
  "key of what was written",
  () => ({}),
);

/** A key for this purpose alone. */
async function importKey(runtime: Runtime): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = new TextEncoder();
  const secret = bytes.encode(secretKey(runtime.config));
  const root = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  const purpose = bytes.encode("backend-billing, what was written to a customer");
  const derived = await crypto.subtle.sign("HMAC", root, purpose);
  return crypto.subtle.importKey("raw", derived, algorithm, false, ["sign"]);
}

async function digest(runtime: Runtime, parts: readonly string[]): Promise<string> {
  const memory = memoryOf(runtime);
  memory.key ??= importKey(runtime);
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", await memory.key, bytes));
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
