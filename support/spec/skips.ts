/** Rules that a platform does not run: why, and which part of the work brings them. */
import type { RuleId } from "./catalogue.js";

export interface Skip {
  readonly rule: RuleId;
  readonly reason: string;
}

export const postgresSkips: readonly Skip[] = [
  {
    rule: "1 step 7#missing",
    reason:
      "only Convex finds functions by the names of exports; here the compiler sees what is missing",
  },
];

/** On Convex there is nothing that cannot be shown. */
export const convexSkips: readonly Skip[] = [];
