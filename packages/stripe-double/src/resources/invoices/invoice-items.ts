/** Invoice items: what waits for a customer's next invoice. */

import { invalid } from "../../api/errors.js";
import { flag, group, integer, metadata, required, text, word } from "../../api/params.js";
import { createInvoiceItem } from "../../billing/invoices/invoice-items.js";
import { amountOf } from "../../billing/prices/rates.js";
import { route } from "../../http/route.js";
import { knownCustomer, listKind, listShape, mergeMetadata, referenced } from "../common.js";

export const invoiceItems = [
  route(
    "POST /v1/invoiceitems",
    {
      amount: integer,
      currency: word,
      customer: required(word),
      description: text,
      metadata,
      pricing: group({ price: required(word) }),
      quantity: integer,
    },
    ({ world }, params) => {
      referenced(world, "customer", params.customer, "customer");
      const price =
        params.pricing && referenced(world, "price", params.pricing.price, "pricing[price]");
      const quantity = params.quantity ?? 1;
      const amount = price === undefined ? params.amount : amountOf(world, price, quantity);
      if (amount === undefined) {
        throw invalid("You must pass either `amount` or `pricing`.", "amount", "parameter_missing");
      }
      return createInvoiceItem(world, {
        customer: params.customer,
        amount,
        currency: price?.currency ?? params.currency ?? "usd",
        description: params.description,
        metadata: mergeMetadata({}, params.metadata),
        quantity,
        ...(price === undefined ? {} : { price }),
      });
    },
  ),
  route("GET /v1/invoiceitems", { ...listShape, customer: word, pending: flag }, (call, params) => {
    if (params.customer !== undefined) knownCustomer(call.world, params.customer);
    return listKind(call, "invoiceitem", params, {
      url: "/v1/invoiceitems",
      where: { field: "customer", value: params.customer },
      matches: ({ invoice }) =>
        params.pending === undefined || params.pending === (invoice === null),
    });
  }),
  route("GET /v1/invoiceitems/:item", {}, ({ world, path }) =>
    world.find("invoiceitem", path.item),
  ),
];
