// Usage on PostgreSQL.
import { describeUsage } from "../../../../../support/usage/cases.js";
import { openUsage } from "./kit.js";

describeUsage(openUsage);
