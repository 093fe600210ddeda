import { openPostgres } from "../../../../support/spec/platforms/postgres.js";
import { describeSpec } from "../../../../support/spec/rules.js";
import { postgresSkips } from "../../../../support/spec/skips.js";

describeSpec("PostgreSQL", openPostgres, postgresSkips);
