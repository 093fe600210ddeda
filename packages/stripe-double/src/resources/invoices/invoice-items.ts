/** Invoice items: what waits for a customer's next invoice, or is put on a draft at once. */

import { invalid, refused } from "../../api/errors.js";
import { flag, type Parsed, required, word } from "../../api/params.js";
import {
  editableInvoice,
  putOnInvoice,
  refreshOnInvoice,
  takeOffInvoice,
} from "../../billing/invoices/edit.js";
import {
  createInvoiceItem,
  type InvoiceItem,
  repriceItem,
} from "../../billing/invoices/invoice-items.js";
import { route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { knownCustomer, listKind, listShape, mergeMetadata, referenced } from "../common.js";
import { itemShape, termsOf } from "./item-params.js";

const createShape = {
  ...itemShape,
  currency: word,
  customer: required(word),
  invoice: word,
  subscription: word,
};

function create(world: World, params: Parsed<typeof createShape>): InvoiceItem {
  const customer = referenced(world, "customer", params.customer, "customer");
  const draft = params.invoice && draftOf(world, params.invoice, customer.id);
  const owner =
    params.subscription && referenced(world, "subscription", params.subscription, "subscription");
  if (owner && owner.customer !== customer.id) {
    throw refused("The subscription does not belong to the customer.", "subscription");
  }
  const currency = (params.currency ?? (draft ? draft.currency : "usd")).toLowerCase();
  const { amount, ...terms } = termsOf(world, params, { customer: customer.id, currency });
  if (amount === undefined) {
    throw invalid("You must pass either `amount` or `pricing`.", "amount", "parameter_missing");
  }
  const item = createInvoiceItem(world, {
    currency,
    ...terms,
    amount,
    customer: customer.id,
    description: params.description,
    discountable: params.discountable,
    metadata: mergeMetadata({}, params.metadata),
    ...(params.period ? { period: params.period } : {}),
    ...(owner ? { subscription: { id: owner.id } } : {}),
    ...(draft ? { invoice: draft.id } : {}),
  });
  if (draft) putOnInvoice(world, draft.id, [item]);
  return world.find("invoiceitem", item.id);
}

function draftOf(world: World, id: string, customer: string) {
  referenced(world, "invoice", id, "invoice");
  const draft = editableInvoice(world, id, "invoice");
  if (draft.customer === customer) return draft;
  throw refused("The invoice does not belong to the customer.", "invoice");
}

/** An item can be changed while it waits, or while its invoice is a draft. */
export function updateItem(
  world: World,
  id: string,
  params: Partial<Parsed<typeof itemShape>>,
): InvoiceItem {
  const before = world.find("invoiceitem", id);
  if (before.invoice !== null) editableInvoice(world, before.invoice);
  const after = world.patch("invoiceitem", id, {
    ...repriceItem(before, termsOf(world, params, before)),
    ...(params.description === undefined ? {} : { description: params.description }),
    ...(params.discountable === undefined ? {} : { discountable: params.discountable }),
    ...(params.period === undefined ? {} : { period: params.period }),
    ...(params.metadata === undefined
      ? {}
      : { metadata: mergeMetadata(before.metadata ?? {}, params.metadata) }),
  });
  refreshOnInvoice(world, after);
  return after;
}

export function deleteItem(world: World, id: string): object {
  const item = world.find("invoiceitem", id);
  takeOffInvoice(world, item);
  world.objects.invoiceitem.remove(id);
  world.raise("invoiceitem.deleted", item);
  return { id, object: "invoiceitem", deleted: true };
}

export const invoiceItems = [
  route("POST /v1/invoiceitems", createShape, ({ world }, params) => create(world, params)),
  route(
    "GET /v1/invoiceitems",
    { ...listShape, customer: word, invoice: word, pending: flag },
    (call, params) => {
      if (params.customer !== undefined) knownCustomer(call.world, params.customer);
      return listKind(call, "invoiceitem", params, {
        url: "/v1/invoiceitems",
        where: { field: "customer", value: params.customer },
        equal: { invoice: params.invoice },
        matches: ({ invoice }) =>
          params.pending === undefined || params.pending === (invoice === null),
      });
    },
  ),
  route("GET /v1/invoiceitems/:item", {}, ({ world, path }) =>
    world.find("invoiceitem", path.item),
  ),
  route("POST /v1/invoiceitems/:item", itemShape, ({ world, path }, params) =>
    updateItem(world, path.item, params),
  ),
  route("DELETE /v1/invoiceitems/:item", {}, ({ world, path }) => deleteItem(world, path.item)),
];
