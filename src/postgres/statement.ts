/** Puts statements together: values, and lists of rows, become parameters and the SQL that reads them. */
import { contentText, jsonText } from "./json.js";

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The values of a statement that is being written. */
export interface Parameters {
  /** Whether every list has at most one element. */
  readonly single: boolean;
  readonly values: readonly unknown[];
  /** Adds a value and answers how the statement names it. */
  add(value: unknown): string;
}

export function parameters(single: boolean): Parameters {
  const values: unknown[] = [];
  return { single, values, add: (value) => `$${values.push(value)}` };
}

export type Columns = { readonly [column: string]: "text" | "bigint" | "boolean" | "jsonb" };

/**
 * Rows as something to select from. A single row goes in as plain values, because PostgreSQL plans
 * and reads those faster; several go in as JSON text, because drivers agree on nothing else. So
 * there are two texts for a statement and not one for each number of rows.
 */
export function rowsOf<C extends Columns>(
  into: Parameters,
  name: string,
  columns: C,
  rows: readonly { readonly [K in keyof C]: unknown }[],
): string {
  const [row] = rows;
  if (into.single && row !== undefined) {
    const values = Object.entries(columns).map(([column, type]) =>
      type === "jsonb"
        ? `${into.add(jsonText(row[column]))}::text::jsonb AS ${column}`
        : `${into.add(row[column])}::${type} AS ${column}`,
    );
    return `(SELECT ${values.join(", ")}) AS ${name}`;
  }
  const types = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
  return `json_to_recordset(${into.add(jsonText(rows))}::text::json) AS ${name}(${types.join(", ")})`;
}

/** Texts as something to select from: its one column is `name`. */
export function textsOf(into: Parameters, name: string, texts: readonly string[]): string {
  if (into.single && texts.length > 0)
    return `(SELECT ${into.add(texts[0])}::text AS ${name}) AS ${name}s`;
  return `json_array_elements_text(${into.add(JSON.stringify(texts))}::text::json) AS ${name}s(${name})`;
}

/**
 * JSON documents beside the ids that they belong to, with columns `id` and `content`. OFFSET keeps
 * PostgreSQL from parsing a document again wherever it is mentioned.
 */
export function documentsOf(
  into: Parameters,
  name: string,
  documents: readonly { readonly id: string; readonly content: object }[],
): string {
  const contents = documents.map(({ content }) => contentText(content));
  const [only] = documents;
  if (into.single && only !== undefined) {
    return `(SELECT ${into.add(only.id)}::text AS id, ${into.add(contents[0])}::text::jsonb AS content OFFSET 0) AS ${name}`;
  }
  // A line each, so that the list itself needs no parsing: JSON never holds a bare line break.
  const ids = into.add(JSON.stringify(documents.map(({ id }) => id)));
  const lines = into.add(contents.join("\n"));
  return `(SELECT id, line::jsonb AS content FROM ROWS FROM (json_array_elements_text(${ids}::text::json),
    unnest(string_to_array(${lines}::text, E'\\n'))) AS d(id, line) OFFSET 0) AS ${name}`;
}
