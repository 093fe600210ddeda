/** Contents as JSON text, made once: it is needed to copy an object, to weigh it and to store it. */

const texts = new WeakMap<object, string>();

/** The JSON of a content that nobody changes. */
export function textOf(content: object): string {
  const known = texts.get(content);
  if (known !== undefined) return known;
  const text = JSON.stringify(content);
  texts.set(content, text);
  return text;
}

/** What JSON makes of an object: the object itself, if it is that already. */
export function plainOf(object: object): object {
  if (isPlain(object)) return object;
  const text = JSON.stringify(object);
  const copy = JSON.parse(text) as object;
  texts.set(copy, text);
  return copy;
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
