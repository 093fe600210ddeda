/** Prints the tables as SQL. It knows what they look like, not when they are created. */
import { identifier } from "../database.js";
import type { Table, TableColumn, TableIndex } from "./table.js";

/** A name inside a schema, quoted. */
export function qualified(schema: string, name: string): string {
  return `${identifier(schema)}.${identifier(name)}`;
}

/** The statements that create a table and its indexes, without semicolons. */
export function createTable(schema: string, table: Table): readonly string[] {
  const lines = [...table.columns.map(printColumn), printPrimaryKey(table)];
  return [
    `CREATE TABLE ${qualified(schema, table.name)} (\n  ${lines.join(",\n  ")}\n)`,
    ...table.indexes.map((index) => createIndex(schema, table, index)),
  ];
}

function printColumn({ name, type, default: value, nullable }: TableColumn): string {
  const clauses = [value && `DEFAULT ${value}`, !nullable && "NOT NULL"].filter(Boolean);
  return [identifier(name), type, ...clauses].join(" ");
}

/** The constraint gets the name that PostgreSQL would give it, so that Drizzle can name it too. */
export const primaryKeyName = (table: Table): string => `${table.name}_pkey`;

function printPrimaryKey(table: Table): string {
  const columns = table.primaryKey.map(identifier).join(", ");
  return `CONSTRAINT ${identifier(primaryKeyName(table))} PRIMARY KEY (${columns})`;
}

export function createIndex(
  schema: string,
  table: Table,
  { name, on, unique, where }: TableIndex,
): string {
  const create = unique ? "CREATE UNIQUE INDEX" : "CREATE INDEX";
  const key = "expression" in on ? on.expression : on.map(identifier).join(", ");
  const condition = where ? ` WHERE ${where}` : "";
  return `${create} ${identifier(name)} ON ${qualified(schema, table.name)} (${key})${condition}`;
}
