import { openPostgres } from "./postgres.js";
import { describeSpec } from "./rules.js";
import { postgresSkips } from "./skips.js";

describeSpec("PostgreSQL", openPostgres, postgresSkips);
