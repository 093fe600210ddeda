// Usage on PostgreSQL, and the credits that are bought.
import { describeUsage } from "../../../../../support/usage/cases.js";
import { describeCredits } from "../../../../../support/usage/credits.js";
import { openUsage } from "./kit.js";

describeUsage(openUsage);
describeCredits(openUsage);
