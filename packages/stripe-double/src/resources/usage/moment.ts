/** Times as version 2 of the API writes them. */
import { invalid } from "../../api/errors.js";
import { type Field, word } from "../../api/params.js";

/** A time of the form 2026-01-31T10:00:00.000Z, as whole seconds. */
export const moment: Field<number> = {
  parse(raw, path) {
    const time = Date.parse(word.parse(raw, path));
    if (Number.isNaN(time)) throw invalid(`Invalid timestamp: ${String(raw)}`, path);
    return Math.floor(time / 1000);
  },
};

export const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();
