/** The balance of billing credits: what a customer has, and the transactions that it came from. */
import { invalid, missing } from "../../api/errors.js";
import { pageShape } from "../../api/list.js";
import { group, oneOf, type Parsed, required, word } from "../../api/params.js";
import { creditSummary, type SummaryFilter } from "../../billing/credits/summary.js";
import { route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { knownCustomer, listKind, referenced } from "../common.js";
import { scopeOf, scopeShape } from "./credit-grants.js";

const KIND = "billing.credit_balance_transaction";
const BASE = "/v1/billing/credit_balance_transactions";

const filterShape = {
  applicability_scope: group(scopeShape),
  credit_grant: word,
  type: required(oneOf("applicability_scope", "credit_grant")),
};

/** What a summary counts, by the one parameter that `type` names. */
function filterOf(
  world: World,
  customer: string,
  { type, applicability_scope: scope, credit_grant: grant }: Parsed<typeof filterShape>,
): SummaryFilter {
  const at = `filter[${type}]`;
  if (type === "credit_grant" && grant !== undefined) {
    return { grant: ownGrant(world, grant, customer, at) };
  }
  if (type === "applicability_scope" && scope !== undefined) {
    return { scope: scopeOf(world, scope, at) };
  }
  throw invalid(`Missing required param: ${at}.`, at, "parameter_missing");
}

/** Refuses a grant of another customer, as if there were none. */
function ownGrant(world: World, id: string, customer: string, param: string): string {
  const grant = referenced(world, "billing.credit_grant", id, param);
  if (grant.customer !== customer) throw missing("billing.credit_grant", id, param);
  return id;
}

export const creditBalance = [
  route(
    "GET /v1/billing/credit_balance_summary",
    { customer: required(word), filter: required(group(filterShape)) },
    ({ world }, { customer, filter }) => {
      knownCustomer(world, customer);
      return creditSummary(world, customer, filterOf(world, customer, filter));
    },
  ),
  route(
    `GET ${BASE}`,
    { ...pageShape, credit_grant: word, customer: required(word) },
    (call, { credit_grant: grant, customer, ...params }) => {
      const { world } = call;
      knownCustomer(world, customer);
      if (grant !== undefined) ownGrant(world, grant, customer, "credit_grant");
      return listKind(call, KIND, params, {
        url: BASE,
        where: { field: "credit_grant", value: grant },
        matches: ({ credit_grant: own }) =>
          world.find("billing.credit_grant", own).customer === customer,
      });
    },
  ),
  route(`GET ${BASE}/:transaction`, {}, ({ world, path }) => world.find(KIND, path.transaction)),
];
