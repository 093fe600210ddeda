/**
 * Puts statements together: values, and lists of rows, become parameters and the SQL that reads
 * them. What a statement says and what it is filled with are apart, so that one that is run often
 * is put together once.
 */
import { contentText, jsonText } from "./json.js";

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A statement without its values. */
export interface Template<D> {
  readonly text: string;
  /** For each parameter, where its value is found. */
  readonly values: readonly ((data: D) => unknown)[];
}

/** The parameters of a statement that is being written. */
export interface Parameters<D> {
  /** Adds a value and answers how the statement names it. */
  add(value: (data: D) => unknown): string;
}

/** A list that the statement is filled with. */
export interface List<D, T> {
  /** Whether it will have exactly one element; otherwise it may have any number. */
  readonly single: boolean;
  readonly of: (data: D) => readonly T[];
}

export function template<D>(write: (into: Parameters<D>) => string): Template<D> {
  const values: ((data: D) => unknown)[] = [];
  return { text: write({ add: (value) => `$${values.push(value)}` }), values };
}

export function fill<D>({ text, values }: Template<D>, data: D): Statement {
  return { text, values: values.map((value) => value(data)) };
}

export type Columns = { readonly [column: string]: "text" | "bigint" | "boolean" | "jsonb" };

/**
 * Rows as something to select from. A single row goes in as plain values, because PostgreSQL plans
 * and reads those faster; several go in as JSON text, because drivers agree on nothing else. So
 * there are two texts for a statement and not one for each number of rows.
 */
export function rowsOf<D, C extends Columns>(
  into: Parameters<D>,
  name: string,
  columns: C,
  rows: List<D, { readonly [K in keyof C]: unknown }>,
): string {
  if (rows.single) {
    const values = Object.entries(columns).map(([column, type]) => {
      const value = (data: D) => rows.of(data)[0]?.[column];
      return type === "jsonb"
        ? `${into.add((data) => jsonText(value(data)))}::text::jsonb AS ${column}`
        : `${into.add(value)}::${type} AS ${column}`;
    });
    return `(SELECT ${values.join(", ")}) AS ${name}`;
  }
  const types = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
  const json = into.add((data) => jsonText(rows.of(data)));
  return `json_to_recordset(${json}::text::json) AS ${name}(${types.join(", ")})`;
}

/** Texts as something to select from: its one column is `name`. */
export function textsOf<D>(into: Parameters<D>, name: string, texts: List<D, string>): string {
  if (texts.single) {
    return `(SELECT ${into.add((data) => texts.of(data)[0])}::text AS ${name}) AS ${name}s`;
  }
  const json = into.add((data) => JSON.stringify(texts.of(data)));
  return `json_array_elements_text(${json}::text::json) AS ${name}s(${name})`;
}

export interface Document {
  readonly id: string;
  readonly content: object;
  /** What else the row has, by the names that the statement gives. */
  readonly columns: { readonly [name: string]: string | null };
}

/**
 * JSON documents beside the ids that they belong to, with columns `id`, `content` and those that are
 * named. OFFSET keeps PostgreSQL from parsing a document again wherever it is mentioned.
 */
export function documentsOf<D>(
  into: Parameters<D>,
  name: string,
  columns: readonly string[],
  documents: List<D, Document>,
): string {
  if (documents.single) {
    const only = (data: D) => documents.of(data)[0] as Document;
    const id = into.add((data) => only(data).id);
    const content = into.add((data) => contentText(only(data).content));
    const others = columns.map(
      (column) => `, ${into.add((data) => only(data).columns[column])}::text AS "${column}"`,
    );
    return `(SELECT ${id}::text AS id, ${content}::text::jsonb AS content${others.join("")} OFFSET 0) AS ${name}`;
  }
  const texts = (of: (document: Document) => string | null | undefined) => {
    const json = into.add((data) => JSON.stringify(documents.of(data).map(of)));
    return `json_array_elements_text(${json}::text::json)`;
  };
  const ids = texts(({ id }) => id);
  // A line each, so that the list itself needs no parsing: JSON never holds a bare line break.
  const lines = into.add((data) =>
    documents
      .of(data)
      .map(({ content }) => contentText(content))
      .join("\n"),
  );
  const others = columns.map((column) => `, ${texts((each) => each.columns[column] ?? null)}`);
  const names = columns.map((column) => `, "${column}"`).join("");
  return `(SELECT id, line::jsonb AS content${names} FROM ROWS FROM (${ids},
    unnest(string_to_array(${lines}::text, E'\\n'))${others.join("")}) AS d(id, line${names}) OFFSET 0) AS ${name}`;
}
