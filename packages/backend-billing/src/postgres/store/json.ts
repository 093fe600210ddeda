/** JSON that `jsonb` accepts. */

import { isSuspect, mended, textOf } from "../../core/mirror/content/text.js";

/** The value as JSON. What `jsonb` cannot hold is replaced by the sign for it, never refused. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  return isSuspect(text) ? JSON.stringify(mended(value)) : text;
}

/** The same of a content, whose text may have been made already. */
export function contentText(content: object): string {
  const text = textOf(content);
  return isSuspect(text) ? JSON.stringify(mended(content)) : text;
}
