/** What collects invoices: retrieved and listed. Payments are made when invoices are finalized. */
import { group, oneOf, required, word } from "../../api/params.js";
import { route } from "../../http/route.js";
import { listKind, listShape } from "../common.js";

export const invoicePayments = [
  route(
    "GET /v1/invoice_payments",
    {
      ...listShape,
      invoice: word,
      payment: group({ payment_intent: word, type: required(oneOf("payment_intent")) }),
      status: oneOf("canceled", "open", "paid"),
    },
    (call, { invoice, payment, status, ...params }) =>
      listKind(call, "invoice_payment", params, {
        url: "/v1/invoice_payments",
        where: { field: "invoice", value: invoice },
        equal: { status },
        matches: ({ payment: own }) =>
          payment?.payment_intent === undefined || own.payment_intent === payment.payment_intent,
      }),
  ),
  route("GET /v1/invoice_payments/:invoice_payment", {}, ({ world, path }) =>
    world.find("invoice_payment", path.invoice_payment, "invoice_payment"),
  ),
];
