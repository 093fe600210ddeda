/** SQLite, for histories: one database in memory, emptied for each. */
import { resourceNames } from "../../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { createSqliteStore } from "../../sqlite/store.js";
import { openSql } from "../../sqlite/tables.js";
import type { OpenStore } from "./memory.js";

export async function openSqlite(): Promise<OpenStore> {
  const sql = openSql();
  return {
    fresh: async () => {
      sql.empty();
      return { connect: () => createSqliteStore(sql, resourceNames) };
    },
    close: async () => sql.close(),
  };
}
