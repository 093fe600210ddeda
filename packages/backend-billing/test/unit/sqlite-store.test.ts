import { CONFORMING } from "../../../../support/conformance/fixtures.js";
import { describeStore } from "../../../../support/conformance/store.js";
import { createSqliteStore } from "../../../../support/sqlite/store.js";
import { openSql } from "../../../../support/sqlite/tables.js";

describeStore("SQLite, as a test of the port", async () => {
  const sql = openSql();
  return {
    create: async () => {
      sql.empty();
      return createSqliteStore(sql, CONFORMING);
    },
    close: async () => sql.close(),
  };
});
