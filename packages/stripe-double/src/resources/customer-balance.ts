/** A customer's balance transactions: made, retrieved, described anew and listed. */
import { invalid, missing, notModelled, refused } from "../api/errors.js";
import { integer, metadata, required, text, word } from "../api/params.js";
import {
  type CustomerBalanceTransaction,
  changeBalance,
} from "../billing/balance/customer-balance.js";
import { route } from "../http/route.js";
import type { World } from "../world/world.js";
import { given, listKind, listShape, mergeMetadata } from "./common.js";

function found(world: World, customer: string, id: string): CustomerBalanceTransaction {
  const transaction = world.find("customer_balance_transaction", id);
  if (transaction.customer !== customer) throw missing("customer_balance_transaction", id);
  return transaction;
}

const PATH = "/v1/customers/:customer/balance_transactions";

export const customerBalance = [
  route(
    `POST ${PATH}`,
    { amount: required(integer), currency: required(word), description: text, metadata },
    ({ world, path }, params) => {
      const customer = world.find("customer", path.customer);
      const currency = params.currency.toLowerCase();
      if (!/^[a-z]{3}$/.test(currency)) {
        throw invalid(`Invalid currency: ${params.currency}`, "currency");
      }
      if (params.amount === 0) throw refused("The amount must not be 0.", "amount");
      if (customer.currency !== null && customer.currency !== currency) {
        throw notModelled("a balance in another currency than the customer's", "currency");
      }
      return changeBalance(world, customer.id, {
        amount: params.amount,
        currency,
        type: "adjustment",
        description: params.description,
        metadata: mergeMetadata({}, params.metadata ?? {}),
      });
    },
  ),
  route(`GET ${PATH}`, { ...listShape, invoice: word }, (call, { invoice, ...params }) => {
    const { id } = call.world.find("customer", call.path.customer);
    return listKind(call, "customer_balance_transaction", params, {
      url: `/v1/customers/${id}/balance_transactions`,
      where: { field: "customer", value: id },
      equal: { invoice },
    });
  }),
  route(`GET ${PATH}/:transaction`, {}, ({ world, path }) =>
    found(world, path.customer, path.transaction),
  ),
  route(`POST ${PATH}/:transaction`, { description: text, metadata }, ({ world, path }, params) => {
    const before = found(world, path.customer, path.transaction);
    const { description, metadata: change } = params;
    const merged = change === undefined ? undefined : mergeMetadata(before.metadata ?? {}, change);
    return world.patch(
      "customer_balance_transaction",
      before.id,
      given({ description, metadata: merged }),
    );
  }),
];
