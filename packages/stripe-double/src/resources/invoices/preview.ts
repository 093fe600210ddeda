/** Previews: the invoice that a subscription, or a change of it, will have, without making it. */
import { ApiError, invalid, notModelled } from "../../api/errors.js";
import { flag, group, integer, listOf, type Parsed, word } from "../../api/params.js";
import { changeItems, draftOfChange, endedTrial } from "../../billing/changes/changes.js";
import { discountFrom } from "../../billing/invoices/discounts.js";
import { composeInvoice, type Draft, type Invoice } from "../../billing/invoices/draft.js";
import { pendingItems } from "../../billing/invoices/invoice-items.js";
import { itemLine } from "../../billing/invoices/lines.js";
import { periodLines } from "../../billing/invoices/subscription-lines.js";
import { cycleEnd } from "../../billing/period.js";
import { commonCurrency, isMetered } from "../../billing/prices/rates.js";
import { draftFor, upcomingDraft } from "../../billing/subscriptions/bills.js";
import { makeItem } from "../../billing/subscriptions/items.js";
import {
  cycleOf,
  isOver,
  periodEnd,
  type Subscription,
} from "../../billing/subscriptions/subscription.js";
import type { World } from "../../world/world.js";
import { referenced } from "../common.js";
import { anchorChange, anchorOf, prorationBehavior } from "../subscriptions/shapes.js";
import { prorationDate } from "../subscriptions/update.js";
import { automaticTaxShape } from "../tax/terms.js";
import { discountShape } from "./item-params.js";

export const previewItemShape = { deleted: flag, id: word, price: word, quantity: integer };
const detailsShape = {
  billing_cycle_anchor: anchorChange,
  items: listOf(group(previewItemShape)),
  proration_behavior: prorationBehavior,
  proration_date: integer,
  trial_end: word,
};

export const previewShape = {
  automatic_tax: automaticTaxShape,
  currency: word,
  customer: word,
  discounts: discountShape,
  subscription: word,
  subscription_details: group(detailsShape),
};
type Params = Partial<Parsed<typeof previewShape>>;

/** The invoice as it would be made, with an id that says that it was not. */
export function previewInvoice(world: World, params: Params): Invoice {
  const { before, customer } = subjectOf(world, params);
  const draft =
    before === undefined
      ? draftOfNew(world, customer, params)
      : isOver(before)
        ? undefined
        : draftOf(world, before, params);
  if (draft === undefined) {
    throw new ApiError(404, {
      type: "invalid_request_error",
      code: "invoice_upcoming_none",
      message: `No upcoming invoices for customer: ${customer}`,
    });
  }
  // The subscription's own method is used while it is collected; it is not written on the invoice.
  const unpaid = { ...draft, ...termsOf(world, draft, params), default_payment_method: null };
  const composed = composeInvoice(world, world.id("upcoming_in"), unpaid);
  return { ...composed, ...proratedAt(world, composed, params), billing_reason: "upcoming" };
}

/** Says which moment the prorations were worked out for (API reference: invoice, parent). */
function proratedAt(
  world: World,
  { parent, lines }: Invoice,
  { subscription_details: details }: Params,
): Partial<Invoice> {
  const prorates = lines.data.some(({ parent: of }) => of?.subscription_item_details?.proration);
  if (!prorates || details?.items === undefined || !parent?.subscription_details) return {};
  const date = details.proration_date ?? world.now();
  const subscription_details = {
    ...parent.subscription_details,
    subscription_proration_date: date,
  };
  return { parent: { ...parent, subscription_details } };
}

/** Whose invoice it is: that of the subscription, or of the customer's that renews first. */
function subjectOf(
  world: World,
  { subscription, customer, subscription_details: details }: Params,
): { readonly before: Subscription | undefined; readonly customer: string } {
  if (customer !== undefined) referenced(world, "customer", customer, "customer");
  if (subscription !== undefined) {
    const before = referenced(world, "subscription", subscription, "subscription");
    return { before, customer: before.customer };
  }
  if (customer === undefined) {
    throw invalid("You must pass either `customer` or `subscription`.", "customer");
  }
  if (details?.items !== undefined) return { before: undefined, customer };
  const [first] = world.objects.subscription
    .where("customer", customer)
    .filter((each) => !isOver(each))
    .sort((a, b) => periodEnd(a) - periodEnd(b));
  return { before: first, customer };
}

/** The first invoice of a subscription that is not there yet, or what waits for an invoice. */
function draftOfNew(world: World, customer: string, params: Params): Draft | undefined {
  const { items, trial_end: trial } = params.subscription_details ?? {};
  if (trial !== undefined) throw notModelled("a preview of a subscription with a trial");
  const now = world.now();
  const made = (items ?? []).map(({ price: id, quantity }, index) => {
    const price = referenced(
      world,
      "price",
      id ?? "",
      `subscription_details[items][${index}][price]`,
    );
    const end = cycleEnd(now, cycleOf({ price }), now);
    return makeItem(world, "", { price: price.id, quantity }, { start: now, end });
  });
  const waiting = pendingItems(world, { id: "", customer });
  if (made.length === 0 && waiting.length === 0) return undefined;
  const prices = made.map(({ price }) => price);
  const currency = commonCurrency(world, prices, {
    asked: params.currency,
    customer: world.find("customer", customer).currency ?? waiting[0]?.currency,
  });
  return {
    customer,
    currency,
    billing_reason: "subscription_create",
    lines: [
      ...waiting.map((item) => itemLine(world, item)),
      ...made
        .filter(({ price }) => !isMetered(price))
        .flatMap((item) => {
          const { current_period_start: start, current_period_end: end, quantity = 1 } = item;
          const subscription = { id: "", currency };
          return periodLines(world, { subscription, item, period: { start, end } }, quantity);
        }),
    ],
    period: { start: now, end: made[0]?.current_period_end ?? now },
  };
}

/** What a preview may say of discounts and taxes that the subscription does not have. */
function termsOf(
  world: World,
  { customer, currency, taxes }: Draft,
  { automatic_tax: tax, discounts }: Params,
): Partial<Draft> {
  return {
    ...(discounts === undefined
      ? {}
      : {
          discounts: discounts.map(
            ({ discount, ...source }) =>
              discount ?? discountFrom(world, source, { customer, currency }).id,
          ),
        }),
    ...(tax === undefined
      ? {}
      : {
          taxes: { automatic: tax.enabled, defaults: tax.enabled ? [] : (taxes?.defaults ?? []) },
        }),
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
