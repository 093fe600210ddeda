/** Checkout sessions: the requests. */
import { listArray, pageShape } from "../../api/list.js";
import { group, metadata, oneOf, required, word } from "../../api/params.js";
import { expireCheckout, lineItems } from "../../billing/checkout/session.js";
import { route } from "../../http/route.js";
import { listKind, listShape, mergeMetadata } from "../common.js";
import { createSession } from "./new-session.js";
import { checkoutShape } from "./params.js";

export const checkoutSessions = [
  route("POST /v1/checkout/sessions", checkoutShape, ({ world, version }, params) =>
    createSession(world, params, version),
  ),
  route(
    "GET /v1/checkout/sessions",
    {
      ...listShape,
      customer: word,
      customer_details: group({ email: required(word) }),
      payment_intent: word,
      payment_link: word,
      status: oneOf("complete", "expired", "open"),
      subscription: word,
    },
    (call, params) =>
      // Not by the index: a session may get its customer only when it completes.
      listKind(call, "checkout.session", params, {
        url: "/v1/checkout/sessions",
        equal: {
          customer: params.customer,
          payment_intent: params.payment_intent,
          payment_link: params.payment_link,
          status: params.status,
          subscription: params.subscription,
        },
        matches: ({ customer_details: details }) =>
          params.customer_details === undefined || details?.email === params.customer_details.email,
      }),
  ),
  route("GET /v1/checkout/sessions/:session", {}, ({ world, path }) =>
    world.find("checkout.session", path.session),
  ),
  route("POST /v1/checkout/sessions/:session", { metadata }, ({ world, path }, params) => {
    const before = world.find("checkout.session", path.session);
    if (params.metadata === undefined) return before;
    // Stripe raises no event for this.
    return world.patch("checkout.session", before.id, {
      metadata: mergeMetadata(before.metadata ?? {}, params.metadata),
    });
  }),
  route("GET /v1/checkout/sessions/:session/line_items", pageShape, ({ world, path }, params) => {
    const { id } = world.find("checkout.session", path.session);
    return listArray(lineItems(world, id), params, `/v1/checkout/sessions/${id}/line_items`);
  }),
  route("POST /v1/checkout/sessions/:session/expire", {}, ({ world, path }) =>
    expireCheckout(world, path.session),
  ),
];
