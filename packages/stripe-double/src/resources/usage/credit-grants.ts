/** Credit grants: made, described anew, expired and voided. What they are worth is on their ledger. */
import { invalid, refused } from "../../api/errors.js";
import { pageShape } from "../../api/list.js";
import {
  type Field,
  group,
  integer,
  listOf,
  metadata,
  oneOf,
  type Parsed,
  required,
  text,
  word,
} from "../../api/params.js";
import { createGrant, expireGrant, updateGrant, voidGrant } from "../../billing/credits/grants.js";
import type { CreditGrant } from "../../billing/credits/ledger.js";
import type { Scope } from "../../billing/credits/summary.js";
import { route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { given, knownCustomer, listKind, mergeMetadata, referenced } from "../common.js";

const KIND = "billing.credit_grant";
const MOST_PRICES = 20;
const LOWEST_PRIORITY = 100;

export const scopeShape = {
  price_type: oneOf("metered"),
  prices: listOf(group({ id: required(word) })),
};

const createShape = {
  amount: required(
    group({
      monetary: group({ currency: required(word), value: required(integer) }),
      type: required(oneOf("monetary")),
    }),
  ),
  applicability_config: required(group({ scope: required(group(scopeShape)) })),
  category: oneOf("paid", "promotional"),
  customer: required(word),
  effective_at: integer,
  expires_at: integer,
  metadata,
  name: word,
  priority: integer,
};

/** A time that the empty string unsets. */
const optionalTime: Field<number | null> = {
  parse: (raw, path) => (text.parse(raw, path) === null ? null : integer.parse(raw, path)),
};

/** What a grant applies to: all prices that have a meter, or some of them. */
export function scopeOf(world: World, params: Parsed<typeof scopeShape>, at: string): Scope {
  const { price_type: type, prices } = params;
  if ((type === undefined) === (prices === undefined)) {
    throw invalid("You must specify exactly one of these parameters: price_type, prices.", at);
  }
  if (prices === undefined) return { price_type: "metered" };
  if (prices.length === 0 || prices.length > MOST_PRICES) {
    throw invalid(`You must pass 1 to ${MOST_PRICES} prices.`, `${at}[prices]`);
  }
  prices.forEach(({ id }, index) => {
    const param = `${at}[prices][${index}][id]`;
    if (!referenced(world, "price", id, param).recurring?.meter) {
      throw refused("Billing credits only apply to prices that have a billing meter.", param);
    }
  });
  return { prices: prices.map(({ id }) => ({ id })) };
}

function amountOf({ monetary }: Parsed<typeof createShape>["amount"]): CreditGrant["amount"] {
  const at = "amount[monetary]";
  if (monetary === undefined) {
    throw invalid(`Missing required param: ${at}.`, at, "parameter_missing");
  }
  const currency = monetary.currency.toLowerCase();
  if (!/^[a-z]{3}$/.test(currency)) {
    throw invalid(`Invalid currency: ${monetary.currency}`, `${at}[currency]`);
  }
  if (monetary.value < 1) {
    throw invalid(
      "This value must be greater than or equal to 1.",
      `${at}[value]`,
      "parameter_invalid_integer",
    );
  }
  return { monetary: { currency, value: monetary.value }, type: "monetary" };
}

function create(world: World, params: Parsed<typeof createShape>): CreditGrant {
  const { priority = 50 } = params;
  if (priority < 0 || priority > LOWEST_PRIORITY) {
    throw invalid(`The priority must be between 0 and ${LOWEST_PRIORITY}.`, "priority");
  }
  return createGrant(world, {
    amount: amountOf(params.amount),
    applicability_config: {
      scope: scopeOf(world, params.applicability_config.scope, "applicability_config[scope]"),
    },
    category: params.category ?? "paid",
    customer: referenced(world, "customer", params.customer, "customer").id,
    effective_at: params.effective_at ?? world.now(),
    expires_at: params.expires_at ?? null,
    metadata: mergeMetadata({}, params.metadata),
    name: params.name ?? null,
    priority,
  });
}

const BASE = "/v1/billing/credit_grants";

export const creditGrants = [
  route(`POST ${BASE}`, createShape, ({ world }, params) => create(world, params)),
  route(`GET ${BASE}`, { ...pageShape, customer: word }, (call, { customer, ...params }) => {
    if (customer !== undefined) knownCustomer(call.world, customer);
    return listKind(call, KIND, params, {
      url: BASE,
      where: { field: "customer", value: customer },
      // What belongs to a test clock is in no plain list.
      matches: ({ test_clock: clock }) => customer !== undefined || clock === null,
    });
  }),
  route(`GET ${BASE}/:grant`, {}, ({ world, path }) => world.find(KIND, path.grant)),
  route(
    `POST ${BASE}/:grant`,
    { expires_at: optionalTime, metadata },
    ({ world, path }, { expires_at, metadata: change }) => {
      const before = world.find(KIND, path.grant);
      const merged = change === undefined ? undefined : mergeMetadata(before.metadata, change);
      return updateGrant(world, before.id, given({ expires_at, metadata: merged }));
    },
  ),
  route(`POST ${BASE}/:grant/expire`, {}, ({ world, path }) => expireGrant(world, path.grant)),
  route(`POST ${BASE}/:grant/void`, {}, ({ world, path }) => voidGrant(world, path.grant)),
];
