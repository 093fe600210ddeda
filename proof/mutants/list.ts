/**
 * Every mutant, by its name, and how it must be caught. What a mutant breaks stands where it breaks
 * it: in a directive of the sources (./directives.ts), or in support/convergence/broken.ts.
 */
import type { Fault } from "../../support/convergence/broken.js";
import type { StoryName } from "../../support/convergence/stories.js";
import { type BrokenRule, specMutants } from "./spec.js";

export type Expected =
  /**
   * Random histories must end wrong, of these resources if it is not the usual ones that show it,
   * and so must the smallest one, which is this story.
   */
  | { readonly story: StoryName; readonly fault?: Fault; readonly resources?: "all" }
  /** This test must fail: random histories come to it too rarely, or cannot. */
  | { readonly test: string }
  /** It changes no outcome, only the work: it must survive. */
  | { readonly survives: true }
  /** These rules of the specification must fail. */
  | { readonly breaks: BrokenRule };

const GUARD = "packages/backend-billing/test/unit/guard-stories.test.ts";
const MEMORY_STORE = "packages/backend-billing/test/unit/memory-store.test.ts";
const DELIVERY = "packages/backend-billing/test/postgres/reactions/deliver.test.ts";
const SEATS = "packages/backend-billing/test/unit/core/subscriptions/seats-following.test.ts";
const CLAIMS = "packages/backend-billing/test/unit/core/claims.test.ts";
const ASKS = "packages/backend-billing/test/unit/convergence/asks.test.ts";

const PERIODS = "packages/backend-billing/test/postgres/usage/periods.test.ts";
const PUSH = "packages/backend-billing/test/unit/push/plan.test.ts";

export const mutants: { readonly [name: string]: Expected } = {
  "ties written": { story: "two changes of one second, told in the wrong order" },
  "tombstones ignored": { story: "a creation told after the deletion" },
  "compare-and-set dropped": { story: "a change told while an answer is under way" },
  "intervals not widened": { story: "a deletion dated before the creation" },
  "lists that never lag": { story: "a list that lags behind an event" },
  "equal content without a raised revision": {
    story: "A, B and A again, told while the answer B is under way",
  },
  "equal content does not extend": { story: "A, B and A again, with B told last" },
  "an ask without a raised revision": { story: "a doubt while an answer is under way" },
  "joining an earlier fetch": {
    story: "a doubt while an answer is under way for longer than its lease",
    fault: "joining an earlier fetch",
  },
  "an overtaken answer written after all": {
    story: "a change told while somebody comes back from a checkout",
    fault: "an overtaken answer written after all",
  },
  "receipt before a durable ask": {
    story: "killed between its first commit and the answer to Stripe",
    fault: "receipt before a durable ask",
  },
  "classify and write in two steps": {
    story: "an old event and a new one, handled at once",
    fault: "classify and write in two steps",
  },
  "no watchdog": { story: "killed while it asks Stripe" },
  "a creation over what exists": { story: "a creation told after an update of its second" },
  "the watermark ignored": { story: "an old event of what was deleted before we knew it" },
  "a newer event settles an ask": { story: "a thin event, and then an older full one" },
  "another API version believed": { story: "an event of another API version" },
  "a cut list believed": { story: "a subscription with more items than are shown" },
  "ids that return are not known": {
    story: "a product that was deleted and made again, the deletion told last",
  },
  "an id that returns has a first event": {
    story: "a deletion told after the second creation of its second",
  },
  "a hint is not followed": { story: "a subscription of which only a payment tells" },
  "a hint that names its subscription has a list read": {
    story: "a subscription of which only an invoice tells",
  },
  "deletions are not followed": {
    story: "an invoice item that is deleted",
    resources: "all",
  },
  "an event of another object is not followed": {
    story: "a charge of which only its dispute tells",
    resources: "all",
  },
  "lists for each owner are not read": {
    story: "a payment method from before the mirror",
    resources: "all",
  },
  "what no owner has is left out by night": {
    story: "a tax id of the account, of which nothing tells",
    resources: "all",
  },
  "another application's key taken": { test: PUSH },
  "another application's product taken": { test: PUSH },
  "seats marked on a price in use": { test: PUSH },
  "a plan with subscribers dropped": { test: PUSH },
  "an edit by hand overwritten": { test: PUSH },
  "random keys of prices": { test: "packages/backend-billing/test/unit/push/random.test.ts" },
  "a 404 is final": { test: "packages/backend-billing/test/unit/core/mirror.test.ts" },
  "a refresh dropped by an earlier reading": { test: ASKS },
  "reading one subscription answers for the others": { test: ASKS },
  "what the first listing finds is told": { test: MEMORY_STORE },
  "written whatever is listened to": {
    test: "packages/backend-billing/test/postgres/memory.test.ts",
  },
  "a change is written after its row": { test: DELIVERY },
  "changes are told in the order of time": { test: DELIVERY },
  "what is parked blocks others": { test: DELIVERY },
  "a change is acknowledged before its handler": { test: DELIVERY },
  "random keys of claims": { test: CLAIMS },
  "a claim's counter rises on a refusal": { test: CLAIMS },
  "a claim freed while its key is under way": { test: CLAIMS },
  "an adoption learns no counter": { test: CLAIMS },
  "the guard leaves another page open": { test: GUARD },
  "the guard gives the page of another order": { test: GUARD },
  "the guard lists no open pages": { test: GUARD },
  "the guard believes an empty mirror": { test: GUARD },
  "the guard writes without comparing": { test: GUARD },
  "the guard hands out a page that no record names": { test: GUARD },
  "the guard's revisions repeat": { test: GUARD },
  "the guard hands out a late page at once": { test: GUARD },
  "the guard trusts a page that was recorded late": { test: GUARD },
  "a link is remembered for ever": { test: GUARD },
  "seats are sent without a pause": { test: SEATS },
  "a change during a count is lost": { test: SEATS },
  "a late effect of a failure stays": { test: SEATS },
  "a month without the day goes over": { test: PERIODS },
  "what is past due includes again": { test: PERIODS },
  "what is included is sold while past due": {
    test: "packages/backend-billing/test/postgres/usage/usage.test.ts",
  },
  "a better plan gives a second share": { test: PERIODS },
  "receipts ignored": { survives: true },
  ...specMutants,
};
