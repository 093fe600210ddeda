/** Charges. They are made by payment intents; creating one directly is not modelled. */

import { listPage, pageShape } from "../../api/list.js";
import { metadata, text, word } from "../../api/params.js";
import { searchRoute } from "../../api/search.js";
import { route } from "../../http/route.js";
import { given, listKind, listShape, mergeMetadata } from "../common.js";

export const charges = [
  searchRoute("/v1/charges/search", "charge"),
  route(
    "GET /v1/charges",
    { ...listShape, customer: word, payment_intent: word },
    (call, params) => {
      const { customer, payment_intent: intent } = params;
      return listKind(call, "charge", params, {
        url: "/v1/charges",
        where:
          intent === undefined
            ? { field: "customer", value: customer }
            : { field: "payment_intent", value: intent },
        equal: { customer },
      });
    },
  ),
  route("GET /v1/charges/:charge", {}, ({ world, path }) => world.find("charge", path.charge)),
  route(
    "POST /v1/charges/:charge",
    { description: text, metadata, receipt_email: text },
    ({ world, path }, params) => {
      const before = world.find("charge", path.charge);
      const { metadata: change, ...rest } = params;
      const changes = given({
        ...rest,
        metadata: change === undefined ? undefined : mergeMetadata(before.metadata, change),
      });
      return world.change("charge", before.id, changes, "charge.updated");
    },
  ),
  route("GET /v1/charges/:charge/refunds", pageShape, (call, params) => {
    const { id } = call.world.find("charge", call.path.charge);
    return listPage(call.world.objects.refund, params, {
      url: `/v1/charges/${id}/refunds`,
      kind: "refund",
      where: { field: "charge", value: id },
      asOf: call.asOf,
    });
  }),
];
