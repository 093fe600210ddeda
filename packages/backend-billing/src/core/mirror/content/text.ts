/** Contents as JSON text, made once: it is needed to copy an object, to weigh it and to store it. */

/** What no table can hold: NUL, and half of a pair of UTF-16. */
const UNSTORABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what it looks for
  /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text as it is stored: NUL becomes its symbol, and half of a pair the unknown character. */
export function wellFormed(text: string): string {
  return text.replace(UNSTORABLE, (found) => (found === "\u0000" ? "\u2400" : "\ufffd"));
}

/** Whether it is a text, with something in it, that tables hold as it is. */
export const isStorableText = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && wellFormed(value) === value;

const texts = new WeakMap<object, string>();

/** The JSON of a content, cached by identity: the object must not be changed afterwards. */
export function textOf(content: object): string {
  const known = texts.get(content);
  if (known !== undefined) return known;
  const text = JSON.stringify(content);
  texts.set(content, text);
  return text;
}

/** What JSON makes of an object that can be stored: the object itself, if it is that already. */
export function plainOf(object: object): object {
  if (isPlain(object)) return storable(object);
  const text = JSON.stringify(object);
  const copy = JSON.parse(text) as object;
  texts.set(copy, text);
  return storable(copy);
}

/**
 * The content with all its texts and names as they are stored. Every snapshot is made of this, so
 * that what is compared with the tables is what the tables would hold.
 */
export function storable(content: object): object {
  return isSuspect(textOf(content)) ? (mended(content) as object) : content;
}

/** NUL and half of a pair as JSON writes them. */
const ESCAPED = /\\u0000|\\ud[89a-f]/i;

/** Whether JSON may hold what is to be mended. Hardly any has an escape, and to look for one is quick. */
export const isSuspect = (json: string): boolean => json.includes("\\u") && ESCAPED.test(json);

/** A plain value with every text and every name well formed. */
export function mended(value: unknown): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [wellFormed(key), mended(inner)]),
  );
}

function isPlain(value: unknown): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every(isPlain);
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key in value) if (!isPlain((value as Record<string, unknown>)[key])) return false;
  return true;
}
