/**
 * Rules of the specification, each broken in a way that a weaker test of the rule did not notice.
 * The test must fail, and with the words that belong to this fault.
 */
import type { RuleId } from "../../support/spec/catalogue.js";

export interface BrokenRule {
  readonly platform: "convex" | "postgres";
  /** The rules whose tests must all fail. */
  readonly rules: readonly RuleId[];
  /** What the failure must say, so that another fault does not count. */
  readonly because: string;
}

const breaks = (
  platform: BrokenRule["platform"],
  rules: readonly RuleId[],
  because: string,
): { readonly breaks: BrokenRule } => ({ breaks: { platform, rules, because } });

const INTERNAL: readonly RuleId[] = ["1.6#internal", "5.4#internal", "5.4#wrapped"];
const REACHED = "expected 'answered' to be 'refused'";
const CRONS: readonly RuleId[] = ["4.2#cron-current", "4.2#sync-b-cron"];
const TOO_RARE = "to be less than or equal to";
const PORTAL: readonly RuleId[] = ["4.2#portal-single-argument"];
const MISSING: readonly RuleId[] = ["2#table-products-fields", "2#table-customers-fields"];

export const specMutants = {
  "public actions": breaks("convex", INTERNAL, REACHED),
  "a public store": breaks("convex", INTERNAL, REACHED),
  "a second argument of portal on Convex": breaks("convex", PORTAL, "provider_error"),
  "a second argument of portal on PostgreSQL": breaks(
    "postgres",
    PORTAL,
    "Stripe refused or failed",
  ),
  "a reconcile on 29 February on Convex": breaks("convex", CRONS, TOO_RARE),
  "a catch-up once a year on Convex": breaks("convex", CRONS, TOO_RARE),
  "a catch-up on 29 February on PostgreSQL": breaks("postgres", CRONS, TOO_RARE),
  "a missing `sync` is not named": breaks(
    "convex",
    ["1 step 7#missing"],
    "Attempted to schedule function",
  ),
  "the field `stripe` may be missing on Convex": breaks("convex", MISSING, "may be missing"),
  "a row of nulls with an object": breaks(
    "convex",
    ["2#table-subscriptions-fields"],
    "deeply equal",
  ),
  "an equal page writes the row again": breaks("convex", ["2#last-synced-at"], "to be"),
  "variant B sells once": breaks("convex", ["9.2#planned"], "promise resolved"),
  "variant B keeps credits": breaks("convex", ["9.2#planned"], "what is new in variant B"),
} as const;
