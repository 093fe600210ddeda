/** Invoices, beyond those that subscriptions make. */

import { ApiError, refused } from "../../api/errors.js";
import { listArray, pageShape } from "../../api/list.js";
import { flag, oneOf, word } from "../../api/params.js";
import { searchRoute } from "../../api/search.js";
import { discardUpdate } from "../../billing/changes/pending-update.js";
import {
  collectInvoice,
  finalizeInvoice,
  type Invoice,
  markUncollectible,
  subscriptionOf,
  voidInvoice,
} from "../../billing/invoices/invoices.js";
import { later } from "../../billing/later.js";
import {
  collectFinalized,
  setDelinquent,
  settleElsewhere,
  subscriptionCollected,
} from "../../billing/subscriptions/dunning.js";
import { concludeResumption } from "../../billing/subscriptions/resumption.js";
import { checkOwner } from "../../billing/subscriptions/subscriptions.js";
import { route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { knownCustomer, listKind, listShape } from "../common.js";
import { invoiceLines } from "./lines.js";
import {
  collectionMethod,
  createInvoice,
  createShape,
  updateInvoice,
  updateShape,
} from "./new-invoice.js";
import { previewInvoice, previewShape } from "./preview.js";
import { upcomingInvoices } from "./upcoming.js";

/** Collects an open invoice because a request asks for it, and tells its subscription. */
function pay(world: World, id: string, method: string | undefined): Invoice {
  const invoice = world.find("invoice", id);
  if (method !== undefined) checkOwner(world, method, invoice.customer ?? "", "payment_method");
  if (invoice.status === "draft") finalizeInvoice(world, id);
  else if (invoice.status === "paid") {
    throw refused("Invoice is already paid", undefined, "invoice_already_paid");
  } else if (invoice.status === "void") throw refused("This invoice can no longer be paid.");
  const outcome = collectInvoice(world, id, { payment_method: method });
  if (outcome === "processing") return world.find("invoice", id);
  subscriptionCollected(world, id, outcome);
  if (outcome === "paid") {
    setDelinquent(world, invoice, false);
    return world.find("invoice", id);
  }
  const failed = outcome === "failed";
  throw new ApiError(402, {
    type: "card_error",
    code: failed ? "card_declined" : "invoice_payment_intent_requires_action",
    message: failed
      ? "Your card was declined."
      : "Payment for this invoice requires additional user action before it can be completed successfully.",
  });
}

function payElsewhere(world: World, id: string): Invoice {
  const invoice = world.find("invoice", id);
  if (invoice.status !== "open") {
    throw refused("Only an open invoice can be marked as paid out of band.");
  }
  return settleElsewhere(world, invoice);
}

/** Finalizes it; one that advances by itself is collected as soon as the request is over. */
function finalize(world: World, id: string, advances: boolean | undefined): Invoice {
  const { auto_advance: wanted } = world.find("invoice", id);
  if (advances !== undefined) world.patch("invoice", id, { auto_advance: advances });
  const invoice = finalizeInvoice(world, id);
  if (invoice.status === "paid") subscriptionCollected(world, id, "paid");
  else if (advances ?? wanted) {
    later(world, 0, () => {
      if (world.find("invoice", id).status === "open") collectFinalized(world, id);
    });
  }
  return world.find("invoice", id);
}

/** Voiding the invoice of an update that waits is how it is cancelled (docs: pending updates). */
function voidByHand(world: World, id: string): Invoice {
  const after = voidInvoice(world, id);
  const owner = world.objects.subscription.get(subscriptionOf(after) ?? "");
  if (owner?.latest_invoice === id) discardUpdate(world, owner);
  return after;
}

export const invoices = [
  ...invoiceLines,
  ...upcomingInvoices,
  searchRoute("/v1/invoices/search", "invoice"),
  route("POST /v1/invoices", createShape, ({ world, version }, params) =>
    createInvoice(world, params, version),
  ),
  route(
    "GET /v1/invoices",
    {
      ...listShape,
      collection_method: collectionMethod,
      customer: word,
      status: oneOf("draft", "open", "paid", "uncollectible", "void"),
      subscription: word,
    },
    (call, params) => {
      if (params.customer !== undefined) knownCustomer(call.world, params.customer);
      return listKind(call, "invoice", params, {
        url: "/v1/invoices",
        where: { field: "customer", value: params.customer },
        equal: { collection_method: params.collection_method, status: params.status },
        matches: (invoice) =>
          params.subscription === undefined || subscriptionOf(invoice) === params.subscription,
      });
    },
  ),
  route("POST /v1/invoices/create_preview", previewShape, ({ world }, params) =>
    previewInvoice(world, params),
  ),
  route("GET /v1/invoices/:invoice", {}, ({ world, path }) => world.find("invoice", path.invoice)),
  route("GET /v1/invoices/:invoice/lines", pageShape, ({ world, path }, params) =>
    listArray(
      world.find("invoice", path.invoice).lines.data,
      params,
      `/v1/invoices/${path.invoice}/lines`,
    ),
  ),
  route("POST /v1/invoices/:invoice", updateShape, ({ world, path }, params) =>
    updateInvoice(world, path.invoice, params),
  ),
  route("DELETE /v1/invoices/:invoice", {}, ({ world, path }) => {
    const invoice = world.find("invoice", path.invoice);
    if (invoice.status !== "draft" || subscriptionOf(invoice) !== undefined) {
      throw refused("You can only delete draft invoices that no subscription made.");
    }
    world.objects.invoice.remove(invoice.id);
    world.raise("invoice.deleted", invoice);
    return { id: invoice.id, object: "invoice", deleted: true };
  }),
  route(
    "POST /v1/invoices/:invoice/finalize",
    { auto_advance: flag },
    ({ world, path }, { auto_advance }) => finalize(world, path.invoice, auto_advance),
  ),
  route(
    "POST /v1/invoices/:invoice/pay",
    { payment_method: word, paid_out_of_band: flag, off_session: flag },
    ({ world, path }, params) =>
      params.paid_out_of_band
        ? payElsewhere(world, path.invoice)
        : pay(world, path.invoice, params.payment_method),
  ),
  route("POST /v1/invoices/:invoice/send", {}, ({ world, path }) => {
    const draft = world.find("invoice", path.invoice);
    if (draft.collection_method !== "send_invoice") {
      throw refused("You can only send invoices with `collection_method`=`send_invoice`.");
    }
    if (draft.status === "draft") finalizeInvoice(world, draft.id);
    const invoice = world.find("invoice", draft.id);
    if (invoice.status === "paid") subscriptionCollected(world, invoice.id, "paid");
    world.raise("invoice.sent", invoice);
    return invoice;
  }),
  route("POST /v1/invoices/:invoice/void", {}, ({ world, path }) =>
    voidByHand(world, path.invoice),
  ),
  route("POST /v1/invoices/:invoice/mark_uncollectible", {}, ({ world, path }) => {
    const invoice = markUncollectible(world, path.invoice);
    setDelinquent(world, invoice, false);
    concludeResumption(world, subscriptionOf(invoice) ?? "", invoice.id);
    return invoice;
  }),
];
