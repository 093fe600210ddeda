/** Comma-separated values as RFC 4180 has them: quotes, quotes inside quotes, lines inside quotes. Pure. */
import { BillingError } from "../../core/runtime/errors.js";

/** One row of a file, with the line that it begins on, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly fields: readonly string[];
}

/** A field with what ends it: a comma, a line's end, or the end of the text. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

/** The rows of a text. Empty lines are none. */
export function parseCsv(text: string): readonly CsvRow[] {
  const rows: CsvRow[] = [];
  let [at, line, begun] = [text.startsWith("\uFEFF") ? 1 : 0, 1, 1];
  let fields: string[] = [];
  while (at < text.length || fields.length > 0) {
    FIELD.lastIndex = at;
    const match = FIELD.exec(text);
    if (match === null) throw misquoted(begun);
    const [whole, quoted, plain = "", end] = match;
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    at += whole.length;
    line += whole.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === ",") continue;
    if (fields.length > 1 || quoted !== undefined || plain !== "")
      rows.push({ line: begun, fields });
    [fields, begun] = [[], line];
  }
  return rows;
}

function misquoted(line: number): BillingError {
  return new BillingError(
    "invalid_argument",
    `The row that begins on line ${line} has a quote that is not closed, or one in the middle of a field. Write a field with quotes as "a ""quoted"" word".`,
  );
}

/** Rows as a text. */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((fields) => `${fields.map(written).join(",")}\n`).join("");

const written = (field: string): string =>
  /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
