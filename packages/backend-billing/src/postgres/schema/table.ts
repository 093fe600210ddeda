/** A table as data, and the names of its columns. */

export interface TableColumn {
  /** The field of a row, as the specification names it. */
  readonly field: string;
  readonly name: string;
  readonly type: "uuid" | "text" | "bigint" | "boolean" | "jsonb";
  readonly nullable: boolean;
  readonly default?: "gen_random_uuid()";
}

export interface TableIndex {
  readonly name: string;
  /** Columns, or one expression in SQL. */
  readonly on: readonly string[] | { readonly expression: string };
  readonly unique: boolean;
  /** A condition in SQL that limits the index. */
  readonly where?: string;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly primaryKey: readonly string[];
  readonly indexes: readonly TableIndex[];
}

export const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const column = (
  field: string,
  type: TableColumn["type"],
  extra: Partial<TableColumn> = {},
): TableColumn => ({ field, name: snake(field), type, nullable: false, ...extra });
