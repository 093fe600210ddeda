import { describeConvergence } from "../../../../../support/convergence/describe.js";
import { openSqlite } from "../../../../../support/convergence/stores/sqlite.js";

describeConvergence("SQLite", openSqlite, { histories: 200 });
