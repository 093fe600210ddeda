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

/** What JSON makes of an object. */
export function copyOf(object: object): object {
  const text = JSON.stringify(object);
  const copy = JSON.parse(text) as object;
  texts.set(copy, text);
  return copy;
}
