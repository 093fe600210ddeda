/**
 * The upcoming invoice, which had addresses of its own until 2025-03-31.basil replaced it by previews
 * (changelog: Basil). What it shows is a preview without an id.
 */
import { missing } from "../../api/errors.js";
import { listArray, pageShape } from "../../api/list.js";
import { PAYMENTS_MOVED } from "../../api/old-fields.js";
import { group, integer, listOf, type Parsed, text, word } from "../../api/params.js";
import type { Invoice } from "../../billing/invoices/draft.js";
import { type Call, route } from "../../http/route.js";
import { anchorChange, prorationBehavior } from "../subscriptions/shapes.js";
import { previewInvoice, previewItemShape, previewShape } from "./preview.js";

const { automatic_tax, customer, discounts, subscription, subscription_details } = previewShape;
const upcomingShape = {
  automatic_tax,
  coupon: text,
  customer,
  discounts,
  subscription,
  subscription_billing_cycle_anchor: anchorChange,
  subscription_details,
  subscription_items: listOf(group(previewItemShape)),
  subscription_proration_behavior: prorationBehavior,
  subscription_proration_date: integer,
  subscription_trial_end: word,
};

/** Names that `subscription_details` has without their beginning. */
function upcoming({ world, version }: Call, params: Parsed<typeof upcomingShape>): Invoice {
  if (version.slice(0, 10) >= PAYMENTS_MOVED) throw missing("invoice", "upcoming");
  const { coupon } = params;
  return previewInvoice(world, {
    automatic_tax: params.automatic_tax,
    customer: params.customer,
    discounts: coupon
      ? [{ coupon, discount: undefined, promotion_code: undefined }]
      : params.discounts,
    subscription: params.subscription,
    subscription_details: params.subscription_details ?? {
      billing_cycle_anchor: params.subscription_billing_cycle_anchor,
      items: params.subscription_items,
      proration_behavior: params.subscription_proration_behavior,
      proration_date: params.subscription_proration_date,
      trial_end: params.subscription_trial_end,
    },
  });
}

export const upcomingInvoices = [
  route("GET /v1/invoices/upcoming", upcomingShape, (call, params) => {
    const { id: _, ...invoice } = upcoming(call, params);
    return invoice;
  }),
  route(
    "GET /v1/invoices/upcoming/lines",
    { ...upcomingShape, ...pageShape },
    (call, { limit, starting_after, ending_before, ...params }) =>
      listArray(
        upcoming(call, params).lines.data,
        { limit, starting_after, ending_before },
        "/v1/invoices/upcoming/lines",
      ),
  ),
];
