/** Payment methods, which are cards, and bank accounts by their ids for tests: create, retrieve, update, attach, detach, list. */

import { invalid, notModelled } from "../../api/errors.js";
import { listPage, type PageParams, pageShape } from "../../api/list.js";
import { group, integer, metadata, oneOf, type Parsed, required, word } from "../../api/params.js";
import { cardByToken } from "../../billing/payments/cards.js";
import {
  attachPaymentMethod,
  billingDetails,
  billingShape,
  cardError,
  createCard,
  detachPaymentMethod,
  type PaymentMethod,
  resolvePaymentMethod,
  testBehaviour,
} from "../../billing/payments/payment-methods.js";
import { type Call, route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { given, mergeMetadata, referenced } from "../common.js";

const updateShape = {
  allow_redisplay: oneOf("always", "limited", "unspecified"),
  billing_details: billingShape,
  metadata,
};
const createShape = {
  ...updateShape,
  card: group({ cvc: word, exp_month: integer, exp_year: integer, number: word, token: word }),
  customer: word,
  type: required(word),
};

function create(world: World, params: Parsed<typeof createShape>): PaymentMethod {
  const { card, customer, type, ...rest } = params;
  if (type !== "card") throw notModelled(`payment methods of type '${type}'`);
  if (customer !== undefined) {
    throw invalid(
      "You cannot attach a PaymentMethod to a Customer during PaymentMethod creation. Please instead create the PaymentMethod and then attach it using the attachment method of the PaymentMethods API.",
    );
  }
  if (card === undefined)
    throw invalid("Missing required param: card.", "card", "parameter_missing");
  if (card.token !== undefined) {
    const known = cardByToken(card.token);
    if (known === undefined) throw invalid(`Invalid token id: ${card.token}`, "token");
    return createCard(world, { ...rest, number: known.number });
  }
  const { number, exp_month: month, exp_year: year } = card;
  for (const [name, value] of Object.entries({ number, exp_month: month, exp_year: year })) {
    if (value !== undefined) continue;
    throw invalid(`Missing required param: card[${name}].`, `card[${name}]`, "parameter_missing");
  }
  checkExpiry(world, month ?? 0, year ?? 0);
  return createCard(world, { ...rest, number: number ?? "", exp_month: month, exp_year: year });
}

function checkExpiry(world: World, month: number, year: number): void {
  const today = new Date(world.clock.now());
  if (month < 1 || month > 12) {
    throw cardError({
      code: "invalid_expiry_month",
      message: "Your card's expiration month is invalid.",
    });
  }
  const gone = year * 12 + month - 1 < today.getUTCFullYear() * 12 + today.getUTCMonth();
  if (gone) {
    throw cardError({
      code: "invalid_expiry_year",
      message: "Your card's expiration year is invalid.",
    });
  }
}

function listOfCustomer(
  call: Call,
  customer: string | undefined,
  params: PageParams & { readonly type?: string | undefined },
  url: string,
): object {
  return listPage(call.world.objects.payment_method, params, {
    url,
    kind: "payment_method",
    asOf: call.asOf,
    // Without a customer there is nothing to list: those without one are in no list.
    matches: (method) =>
      customer !== undefined &&
      method.customer === customer &&
      (params.type === undefined || method.type === params.type),
  });
}

export const paymentMethods = [
  route("POST /v1/payment_methods", createShape, ({ world }, params) => create(world, params)),
  route("GET /v1/payment_methods", { ...pageShape, customer: word, type: word }, (call, params) => {
    if (params.customer !== undefined)
      referenced(call.world, "customer", params.customer, "customer");
    return listOfCustomer(call, params.customer, params, "/v1/payment_methods");
  }),
  route(
    "GET /v1/customers/:customer/payment_methods",
    { ...pageShape, type: word },
    (call, params) => {
      const { id } = call.world.find("customer", call.path.customer);
      return listOfCustomer(call, id, params, `/v1/customers/${id}/payment_methods`);
    },
  ),
  route("GET /v1/payment_methods/:payment_method", {}, ({ world, path }) =>
    testBehaviour(path.payment_method) === undefined
      ? world.find("payment_method", path.payment_method, "payment_method")
      : resolvePaymentMethod(world, path.payment_method),
  ),
  route("POST /v1/payment_methods/:payment_method", updateShape, ({ world, path }, params) => {
    const before = world.find("payment_method", path.payment_method, "payment_method");
    const changes = given({
      allow_redisplay: params.allow_redisplay,
      billing_details:
        params.billing_details && billingDetails(params.billing_details, before.billing_details),
      metadata:
        params.metadata === undefined
          ? undefined
          : mergeMetadata(before.metadata ?? {}, params.metadata),
    });
    return world.change("payment_method", before.id, changes, "payment_method.updated");
  }),
  route(
    "POST /v1/payment_methods/:payment_method/attach",
    { customer: word },
    ({ world, path }, params) => {
      if (testBehaviour(path.payment_method) === undefined) {
        world.find("payment_method", path.payment_method, "payment_method");
      }
      if (params.customer === undefined) {
        throw invalid("Must provide customer or customer_account.", undefined, "parameter_missing");
      }
      return attachPaymentMethod(world, path.payment_method, params.customer);
    },
  ),
  route("POST /v1/payment_methods/:payment_method/detach", {}, ({ world, path }) =>
    detachPaymentMethod(world, path.payment_method),
  ),
];
