/** Disputes, early fraud warnings and reviews through the API. Banks make them: see dashboard.ts. */
import { flag, group, metadata, text, word } from "../../api/params.js";
import { acceptDispute, answerDispute, EVIDENCE_FIELDS } from "../../billing/disputes/disputes.js";
import { route } from "../../http/route.js";
import { listKind, listShape, mergeMetadata } from "../common.js";

const evidenceShape = Object.fromEntries(EVIDENCE_FIELDS.map((field) => [field, text])) as {
  readonly [F in (typeof EVIDENCE_FIELDS)[number]]: typeof text;
};

const ofPayment = { ...listShape, charge: word, payment_intent: word };

export const disputes = [
  route("GET /v1/disputes", ofPayment, (call, { charge, payment_intent, ...params }) =>
    listKind(call, "dispute", params, {
      url: "/v1/disputes",
      where:
        charge === undefined
          ? { field: "payment_intent", value: payment_intent }
          : { field: "charge", value: charge },
      equal: { payment_intent },
    }),
  ),
  route("GET /v1/disputes/:dispute", {}, ({ world, path }) =>
    world.find("dispute", path.dispute, "dispute"),
  ),
  route(
    "POST /v1/disputes/:dispute",
    { evidence: group(evidenceShape), metadata, submit: flag },
    ({ world, path }, { metadata: change, ...answer }) => {
      const before = world.find("dispute", path.dispute, "dispute");
      const merged = change === undefined ? undefined : mergeMetadata(before.metadata, change);
      return answerDispute(world, before.id, { ...answer, metadata: merged });
    },
  ),
  route("POST /v1/disputes/:dispute/close", {}, ({ world, path }) =>
    acceptDispute(world, path.dispute),
  ),
  route(
    "GET /v1/radar/early_fraud_warnings",
    ofPayment,
    (call, { charge, payment_intent, ...params }) =>
      listKind(call, "radar.early_fraud_warning", params, {
        url: "/v1/radar/early_fraud_warnings",
        where: { field: "charge", value: charge },
        equal: { payment_intent },
      }),
  ),
  route("GET /v1/radar/early_fraud_warnings/:warning", {}, ({ world, path }) =>
    world.find("radar.early_fraud_warning", path.warning),
  ),
  // Reviews are made by Radar's rules, of which the double has none.
  route("GET /v1/reviews", listShape, (call, params) =>
    listKind(call, "review", params, { url: "/v1/reviews" }),
  ),
  route("GET /v1/reviews/:review", {}, ({ world, path }) =>
    world.find("review", path.review, "review"),
  ),
];
