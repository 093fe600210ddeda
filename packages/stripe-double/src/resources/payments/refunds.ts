/** Refunds through the API; how they go on afterwards is in billing/payments/refunds.ts. */

import { integer, metadata, oneOf, word } from "../../api/params.js";
import { cancelRefund, changeRefund, createRefund } from "../../billing/payments/refunds.js";
import { route } from "../../http/route.js";
import { listKind, listShape, mergeMetadata } from "../common.js";

const createShape = {
  amount: integer,
  charge: word,
  metadata,
  payment_intent: word,
  reason: oneOf("duplicate", "fraudulent", "requested_by_customer"),
};

export const refunds = [
  route("POST /v1/refunds", createShape, ({ world }, params) => createRefund(world, params)),
  route("GET /v1/refunds", { ...listShape, charge: word, payment_intent: word }, (call, params) => {
    const { charge, payment_intent: intent } = params;
    return listKind(call, "refund", params, {
      url: "/v1/refunds",
      where:
        charge === undefined
          ? { field: "payment_intent", value: intent }
          : { field: "charge", value: charge },
      equal: { payment_intent: intent },
    });
  }),
  route("GET /v1/refunds/:refund", {}, ({ world, path }) =>
    world.find("refund", path.refund, "refund"),
  ),
  route("POST /v1/refunds/:refund", { metadata }, ({ world, path }, { metadata: change }) => {
    const before = world.find("refund", path.refund, "refund");
    if (change === undefined) return before;
    const metadata = mergeMetadata(before.metadata ?? {}, change);
    return changeRefund(world, before, { ...before, metadata });
  }),
  route("POST /v1/refunds/:refund/cancel", {}, ({ world, path }) =>
    cancelRefund(world, path.refund),
  ),
];
