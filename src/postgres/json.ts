/** JSON that `jsonb` accepts. */

import { textOf } from "../core/text.js";

/** NUL and half of a surrogate pair can stand in JSON but not in `jsonb`. */
const UNSTORABLE = /\\u0000|\\ud[89a-f]/i;

/** Whether it may have to be changed. Hardly any text has an escape, and to look for one is quick. */
const isSuspect = (text: string): boolean => text.includes("\\u") && UNSTORABLE.test(text);

/** The value as JSON. What `jsonb` cannot hold is replaced by the sign for it, never refused. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  return isSuspect(text) ? JSON.stringify(storable(value)) : text;
}

/** The same of a content, whose text may have been made already. */
export function contentText(content: object): string {
  const text = textOf(content);
  return isSuspect(text) ? JSON.stringify(storable(content)) : text;
}

function storable(value: unknown): unknown {
  if (typeof value === "string") {
    return value
      .replaceAll("\u0000", "\u2400")
      .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
  }
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [storable(key) as string, storable(inner)]),
  );
}
