import { postgresExceptions } from "../../../../support/spec/exceptions.js";
import { openPostgres } from "../../../../support/spec/platforms/postgres.js";
import { describeSpec } from "../../../../support/spec/rules.js";

describeSpec("PostgreSQL", openPostgres, postgresExceptions);
