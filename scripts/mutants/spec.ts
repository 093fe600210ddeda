/**
 * Rules of the specification, each broken by a change of the text that a weaker test of the rule
 * did not notice. The test must fail, and with the words that belong to this fault.
 */
import type { RuleId } from "../../test/spec/catalogue.js";
import type { Edit, Mutant } from "./list.js";

export interface BrokenRule {
  readonly platform: "convex" | "postgres";
  /** The rules whose tests must all fail. */
  readonly rules: readonly RuleId[];
  /** What the failure must say, so that another fault does not count. */
  readonly because: string;
}

const ACTIONS = "src/convex/actions.ts";
const MUTATION = "src/convex/calls/mutation.ts";
const TABLES = "src/convex/tables.ts";
const CONVEX = "src/convex/billing.ts";

const breaking = (
  name: string,
  platform: BrokenRule["platform"],
  rules: readonly RuleId[],
  because: string,
  ...edits: readonly Edit[]
): Mutant => ({ name, breaks: { platform, rules, because }, edits });

const INTERNAL: readonly RuleId[] = ["1.6#internal", "5.4#internal", "5.4#wrapped"];
const REACHED = "expected 'answered' to be 'refused'";
const CRONS: readonly RuleId[] = ["4.2#cron-current", "4.2#sync-b-cron"];
const TOO_RARE = "to be less than or equal to";

const publicActions: Edit = {
  file: ACTIONS,
  find: "import { internalActionGeneric,",
  replace: "import { actionGeneric as internalActionGeneric,",
};
const publicStore: Edit = {
  file: MUTATION,
  find: "  internalMutationGeneric,",
  replace: "  mutationGeneric as internalMutationGeneric,",
};

export const specMutants: readonly Mutant[] = [
  breaking("public actions", "convex", INTERNAL, REACHED, publicActions),
  breaking("a public store", "convex", INTERNAL, REACHED, publicStore),
  breaking(
    "a second argument of portal on Convex",
    "convex",
    ["4.2#portal-single-argument"],
    "provider_error",
    {
      file: CONVEX,
      find: "portal: (ctx, args) => convex.run(ctx, (runtime) => links.plainPortal(runtime, args))",
      replace:
        "portal: (ctx, args, ...more: never[]) => convex.run(ctx, (runtime) => links.portal(runtime, args, ...more))",
    },
  ),
  breaking(
    "a second argument of portal on PostgreSQL",
    "postgres",
    ["4.2#portal-single-argument"],
    "Stripe refused or failed",
    {
      file: "src/postgres/billing.ts",
      find: "portal: (args) => node.run(undefined, (runtime) => links.plainPortal(runtime, args))",
      replace:
        "portal: (args, ...more: never[]) => node.run(undefined, (runtime) => links.portal(runtime, args, ...more))",
    },
  ),
  breaking("a reconcile on 29 February on Convex", "convex", CRONS, TOO_RARE, {
    file: "src/convex/crons.ts",
    find: '"37 3 * * *"',
    replace: '"37 3 29 2 *"',
  }),
  breaking("a catch-up once a year on Convex", "convex", CRONS, TOO_RARE, {
    file: "src/convex/crons.ts",
    find: "catchUp = { minutes: 5 }",
    replace: "catchUp = { minutes: 525_600 }",
  }),
  breaking("a catch-up on 29 February on PostgreSQL", "postgres", CRONS, TOO_RARE, {
    file: "src/postgres/crons.ts",
    find: '"*/5 * * * *"',
    replace: '"0 0 29 2 *"',
  }),
  breaking(
    "a missing `sync` is not named",
    "convex",
    ["1 step 7#missing"],
    "Attempted to schedule function",
    {
      file: "src/convex/errors.ts",
      find: "/Attempted to schedule function, but",
      replace: "/Tried to schedule function, but",
    },
  ),
  breaking(
    "the field `stripe` may be missing on Convex",
    "convex",
    ["2#table-products-fields", "2#table-customers-fields"],
    "may be missing",
    { file: TABLES, find: "stripe: v.any(),", replace: "stripe: v.optional(v.any())," },
  ),
  breaking(
    "a row of nulls with an object",
    "convex",
    ["2#table-subscriptions-fields"],
    "deeply equal",
    { file: "src/core/catalogue/row.ts", find: "stripe: null,", replace: "stripe: {}," },
  ),
  breaking("an equal page writes the row again", "convex", ["2#last-synced-at"], "to be", {
    file: "src/core/mirror/rule.ts",
    find: "again && at.equal ? touched(known, sight) : ",
    replace: "",
  }),
  breaking("variant B sells once", "convex", ["9.2#planned"], "promise resolved", {
    file: "src/core/links/sessions.ts",
    find: 'mode: "subscription",',
    replace: 'mode: "payment",',
  }),
  breaking("variant B keeps credits", "convex", ["9.2#planned"], "what is new in variant B", {
    file: CONVEX,
    find: "addHttpRoutes: (http) =>",
    replace: "topUp: () => {},\n    addHttpRoutes: (http) =>",
  }),
];
