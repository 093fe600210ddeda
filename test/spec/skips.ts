/** Rules that a platform does not run: why, and which part of the work brings them. */
import type { RuleId } from "./catalogue.js";

export interface Skip {
  readonly rule: RuleId;
  readonly reason: string;
}

const CRON = "comes with the cron jobs on pg-boss";

export const postgresSkips: readonly Skip[] = [
  { rule: "1.3#cron", reason: CRON },
  { rule: "1 step 9#cron", reason: CRON },
  { rule: "2#cron", reason: CRON },
  { rule: "4.2#sync-b-cron", reason: CRON },
  { rule: "4.2#cron-startup", reason: CRON },
  { rule: "4.2#cron-current", reason: CRON },
  { rule: "9.2#cron", reason: CRON },
  {
    rule: "1 step 7#missing",
    reason: "only Convex finds functions by the names of exports; comes with the Convex platform",
  },
];
