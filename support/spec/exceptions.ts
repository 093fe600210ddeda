/** Rules that say nothing about a platform, each with the reason. No test is written for them there. */
import type { RuleId } from "./catalogue.js";

export interface Exception {
  readonly rule: RuleId;
  readonly reason: string;
}

export const postgresExceptions: readonly Exception[] = [
  {
    rule: "1 step 7#missing",
    reason:
      "only Convex finds functions by the names of exports; here the compiler sees what is missing",
  },
];

/** Every rule says something about Convex. */
export const convexExceptions: readonly Exception[] = [];
