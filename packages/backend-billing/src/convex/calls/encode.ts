/**
 * Stripe's objects as Convex values and back. Convex takes fewer field names than Stripe's metadata
 * has: printable ASCII, not empty, no `$` in front. Names that it takes stay as they are, so raw
 * documents read naturally; the others are escaped, and `decode` gives them back as they were.
 */
import { wellFormed } from "../../core/mirror/content/text.js";

/** What Convex takes as a field name and our own escape sign does not begin. */
const PLAIN = /^[\x20-#%-}][\x20-~]*$/;
const ESCAPE = "~";

/** `clé` becomes `~cl%C3%A9`, the empty name `~`, and what begins with our sign is escaped too. */
function encodeKey(key: string): string {
  if (PLAIN.test(key)) return key;
  const escaped = key.replace(/[^\x20-$&-~]/gu, (char) =>
    isLone(char) ? `%u${char.charCodeAt(0).toString(16)}` : encodeURIComponent(char),
  );
  return ESCAPE + escaped;
}

function decodeKey(key: string): string {
  if (!key.startsWith(ESCAPE)) return key;
  return key
    .slice(ESCAPE.length)
    .replace(
      /%u([0-9a-f]{4})|((?:%[0-9A-F]{2})+)/g,
      (_, lone: string | undefined, bytes: string) =>
        lone === undefined
          ? decodeURIComponent(bytes)
          : String.fromCharCode(Number.parseInt(lone, 16)),
    );
}

/** Half of a surrogate pair, which is no character and has no UTF-8. */
const isLone = (char: string): boolean => /^[\ud800-\udfff]$/.test(char);

/**
 * Plain JSON as Convex takes it, for arguments of `ctx.runAction` and the scheduler: names that Convex
 * refuses are escaped. The internal action `setup` takes them back in its metadata.
 *
 * @example
 * ```ts
 * import { encode } from "backend-billing/convex";
 *
 * const args = { entityId: "user_1", metadata: encode({ clé: "1815" }) };
 * ```
 */
export function encode<T>(value: T): T {
  return mapKeys(value, encodeKey) as T;
}

/**
 * A value of the mirror as Stripe sent it. Only names that Convex refuses differ, which in practice
 * means some metadata keys; the library's own reads have done this already.
 *
 * @example
 * ```ts
 * import { decode } from "backend-billing/convex";
 *
 * const label = (product: { metadata: { [key: string]: string } }): string | undefined =>
 *   decode(product).metadata["clé"];
 * ```
 */
export function decode<T>(value: T): T {
  return mapKeys(value, decodeKey) as T;
}

function mapKeys(value: unknown, rename: (key: string) => string): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map((each) => mapKeys(each, rename));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [rename(key), mapKeys(inner, rename)]),
  );
}
