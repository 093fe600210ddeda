/** Previews: the invoice that a subscription, or a change of it, will have, without making it. */
import { ApiError, notModelled } from "../../api/errors.js";
import { flag, group, integer, listOf, type Parsed, word } from "../../api/params.js";
import { composeInvoice, type Draft, type Invoice } from "../../billing/invoices/draft.js";
import { pendingItems } from "../../billing/invoices/invoice-items.js";
import { draftFor, upcomingDraft } from "../../billing/subscriptions/bills.js";
import { changeItems, draftOfChange, endedTrial } from "../../billing/subscriptions/changes.js";
import { isOver, periodEnd, type Subscription } from "../../billing/subscriptions/subscription.js";
import type { World } from "../../world/world.js";
import { referenced } from "../common.js";
import { anchorChange, anchorOf, prorationBehavior } from "../subscriptions/shapes.js";
import { prorationDate } from "../subscriptions/update.js";

export const previewShape = {
  customer: word,
  subscription: word,
  subscription_details: group({
    billing_cycle_anchor: anchorChange,
    items: listOf(group({ deleted: flag, id: word, price: word, quantity: integer })),
    proration_behavior: prorationBehavior,
    proration_date: integer,
    trial_end: word,
  }),
};
type Params = Parsed<typeof previewShape>;

/** The invoice as it would be made, with an id that says that it was not. */
export function previewInvoice(world: World, params: Params): Invoice {
  if (params.subscription === undefined) throw notModelled("a preview without `subscription`");
  const before = referenced(world, "subscription", params.subscription, "subscription");
  if (params.customer !== undefined) referenced(world, "customer", params.customer, "customer");
  const draft = isOver(before) ? undefined : draftOf(world, before, params);
  if (draft === undefined) {
    throw new ApiError(404, {
      type: "invalid_request_error",
      code: "invoice_upcoming_none",
      message: `No upcoming invoices for customer: ${before.customer}`,
    });
  }
  // The subscription's own method is used while it is collected; it is not written on the invoice.
  const unpaid = { ...draft, default_payment_method: null };
  return {
    ...composeInvoice(world, world.id("upcoming_in"), unpaid),
    billing_reason: "upcoming",
  };
}

/** Undefined if nothing more is to be billed. */
function draftOf(world: World, before: Subscription, params: Params): Draft | undefined {
  const details = params.subscription_details;
  const trial = details?.trial_end;
  if (trial !== undefined && (trial !== "now" || before.status !== "trialing")) {
    throw notModelled("a preview of a trial that does not end now");
  }
  const anchor = anchorOf(details?.billing_cycle_anchor);
  const changes = details?.items ?? (anchor === "now" ? [] : undefined);
  const changed = changes && changeItems(world, before, changes);
  if (trial === "now") {
    const trialing = { ...before, items: { ...before.items, data: changed ?? before.items.data } };
    const after = { ...before, ...endedTrial(trialing, world.now()) };
    return draftFor(world, after, "subscription_update");
  }
  if (changed !== undefined) {
    return draftOfChange(world, before, changed, {
      proration: details?.proration_behavior ?? "create_prorations",
      behavior: "allow_incomplete",
      at: prorationDate(before, details?.proration_date),
      anchor,
    });
  }
  const { cancel_at: end } = before;
  if (end === null || end > periodEnd(before)) return upcomingDraft(world, before);
  const rest = pendingItems(world, before);
  return rest.length === 0
    ? undefined
    : draftFor(world, before, "subscription_cycle", { items: [] });
}
