/** Subscriptions: the requests; what they mean is in billing/. */

import { ApiError, invalid } from "../../api/errors.js";
import {
  flag,
  group,
  integer,
  listOf,
  oneOf,
  optionalGroup,
  type Parsed,
  required,
  text,
  word,
} from "../../api/params.js";
import { searchRoute } from "../../api/search.js";
import { findDiscount, tellOfDiscounts } from "../../billing/invoices/discounts.js";
import { billingMode } from "../../billing/subscriptions/billing-mode.js";
import { cancelSubscription } from "../../billing/subscriptions/end.js";
import { checkMetered } from "../../billing/subscriptions/items.js";
import {
  pauseOnRequest,
  type ResumeBehavior,
  resumeSubscription,
} from "../../billing/subscriptions/resumption.js";
import { isOver } from "../../billing/subscriptions/subscription.js";
import { createSubscription } from "../../billing/subscriptions/subscriptions.js";
import { ratesNamed, UNTAXED } from "../../billing/taxes/rates.js";
import { type Call, route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { createInlinePrice } from "../catalogue/prices.js";
import { knownCustomer, listKind, listShape, mergeMetadata, referenced } from "../common.js";
import { taxTerms } from "../tax/terms.js";
import { anchorShape, checkAnchor } from "./anchor.js";
import { pricedExtras } from "./extras.js";
import {
  anchorChange,
  anchorOf,
  billingModeShape,
  collectionMethod,
  discountsOf,
  feedback,
  itemChangeShape,
  itemShape,
  prorationBehavior,
  resumeBehavior,
  subscriptionShape,
} from "./shapes.js";
import { checkFuture, trialEnd, trialShape } from "./trials.js";
import { updateSubscription } from "./update.js";

/** Items as they were asked for, with a price made for those that bring their own. */
function priced(world: World, items: readonly Parsed<typeof itemShape>[]) {
  return items.map((item, index) => {
    const param = `items[${index}]`;
    const price = item.price_data
      ? createInlinePrice(world, item.price_data, `${param}[price_data]`).id
      : item.price;
    if (price === undefined) {
      throw invalid("Missing required param: price.", `${param}[price]`, "parameter_missing");
    }
    const known = world.objects.price.get(price);
    if (known !== undefined) checkMetered(known, item.quantity, param);
    return {
      price,
      quantity: item.quantity,
      metadata: mergeMetadata({}, item.metadata),
      tax_rates: ratesNamed(world, item.tax_rates ?? [], `${param}[tax_rates]`),
    };
  });
}

const createShape = {
  ...subscriptionShape,
  ...trialShape,
  ...anchorShape,
  billing_mode: billingModeShape,
  cancel_at: integer,
  currency: word,
  customer: required(word),
  items: required(listOf(group(itemShape))),
};

function create(world: World, params: Parsed<typeof createShape>, version: string) {
  if (params.payment_behavior === "pending_if_incomplete") {
    throw invalid(
      "`pending_if_incomplete` is only used with updates and cannot be passed when creating a subscription.",
      "payment_behavior",
    );
  }
  const customer = referenced(world, "customer", params.customer, "customer");
  if (params.cancel_at !== undefined) checkFuture(world, String(params.cancel_at), "cancel_at");
  const items = priced(world, params.items);
  const trial_end = trialEnd(world, params, items);
  checkAnchor(world, params, trial_end);
  return createSubscription(world, {
    customer: customer.id,
    currency: params.currency,
    billing_mode: billingMode(version, params.billing_mode),
    items,
    default_payment_method: params.default_payment_method,
    trial_end,
    missing_payment_method: params.trial_settings?.end_behavior?.missing_payment_method,
    metadata: mergeMetadata({}, params.metadata),
    description: params.description,
    discount_sources: discountsOf(params),
    payment_behavior: params.payment_behavior,
    collection_method: params.collection_method,
    days_until_due: params.days_until_due,
    billing_cycle_anchor: params.billing_cycle_anchor,
    billing_cycle_anchor_config: params.billing_cycle_anchor_config,
    cancel_at: params.cancel_at,
    prorates: params.proration_behavior !== "none",
    cancel_at_period_end: params.cancel_at_period_end,
    save_default_payment_method: params.payment_settings?.save_default_payment_method,
    add_invoice_items: pricedExtras(world, params.add_invoice_items ?? []),
    taxes: taxTerms(world, customer, params, UNTAXED),
  });
}

const filterShape = {
  collection_method: collectionMethod,
  customer: word,
  price: word,
  test_clock: word,
  status: oneOf(
    "active",
    "all",
    "canceled",
    "ended",
    "incomplete",
    "incomplete_expired",
    "past_due",
    "paused",
    "trialing",
    "unpaid",
  ),
};

function list(call: Call, params: Parsed<typeof filterShape & typeof listShape>) {
  const { status, price: wanted } = params;
  if (params.customer !== undefined) knownCustomer(call.world, params.customer);
  return listKind(call, "subscription", params, {
    url: "/v1/subscriptions",
    where: { field: "customer", value: params.customer },
    equal: { collection_method: params.collection_method },
    matches: (subscription) => {
      const { test_clock: clock = null } = subscription;
      // Those of a test clock are listed for it or their customer alone.
      if (params.customer === undefined && clock !== (params.test_clock ?? null)) return false;
      const over = isOver(subscription);
      const asked =
        status === undefined ? !over : status === "ended" ? over : status === subscription.status;
      return (
        (asked || status === "all") &&
        (wanted === undefined || subscription.items.data.some(({ price }) => price.id === wanted))
      );
    },
  });
}

/** What a resumption waits for when nothing is said. */
function usualResumption(version: string): ResumeBehavior {
  return version.slice(0, 10) < "2026-09-30"
    ? "resume_on_payment_success"
    : "resume_on_payment_attempt";
}

export const subscriptions = [
  searchRoute("/v1/subscriptions/search", "subscription"),
  route("POST /v1/subscriptions", createShape, ({ world, version }, params) =>
    create(world, params, version),
  ),
  route("GET /v1/subscriptions", { ...listShape, ...filterShape }, list),
  route("GET /v1/subscriptions/:subscription", {}, ({ world, path }) =>
    world.find("subscription", path.subscription),
  ),
  route(
    "POST /v1/subscriptions/:subscription",
    {
      ...subscriptionShape,
      billing_cycle_anchor: anchorChange,
      cancel_at: text,
      cancellation_details: group({ comment: text, feedback }),
      items: listOf(group(itemChangeShape)),
      proration_date: integer,
      pause_collection: optionalGroup({
        behavior: required(oneOf("keep_as_draft", "mark_uncollectible", "void")),
        resumes_at: integer,
      }),
      trial_end: word,
    },
    ({ world, path, version }, { off_session: _, coupon, promotion_code, items, ...params }) => {
      const discounts = discountsOf({ coupon, promotion_code, discounts: params.discounts });
      const change = { ...params, discounts, ...(items ? { items } : {}) };
      return updateSubscription(world, path.subscription, change, version);
    },
  ),
  route(
    "DELETE /v1/subscriptions/:subscription",
    {
      cancellation_details: group({ comment: text, feedback }),
      invoice_now: flag,
      prorate: flag,
    },
    ({ world, path }, { cancellation_details: details, ...asked }) => {
      const before = world.find("subscription", path.subscription);
      if (details !== undefined && !isOver(before)) {
        world.patch("subscription", before.id, {
          cancellation_details: {
            comment: details.comment ?? null,
            feedback: details.feedback ?? null,
            feedback_option: null,
            reason: "cancellation_requested",
          },
        });
      }
      return cancelSubscription(world, before.id, asked);
    },
  ),
  route("DELETE /v1/subscriptions/:subscription/discount", {}, ({ world, path }) => {
    const { id, discounts } = world.find("subscription", path.subscription);
    const discount = findDiscount(world, discounts.at(-1) ?? "");
    if (discount === undefined) {
      throw new ApiError(404, {
        type: "invalid_request_error",
        code: "resource_missing",
        message: `No active discount for subscription: ${id}`,
      });
    }
    tellOfDiscounts(world, discounts, []);
    world.change("subscription", id, { discounts: [] }, "customer.subscription.updated");
    return { ...discount, deleted: true };
  }),
  route(
    "POST /v1/subscriptions/:subscription/resume",
    {
      billing_cycle_anchor: anchorChange,
      payment_behavior: resumeBehavior,
      proration_behavior: prorationBehavior,
    },
    ({ world, path, version }, params) =>
      resumeSubscription(world, path.subscription, {
        behavior: params.payment_behavior ?? usualResumption(version),
        anchor: anchorOf(params.billing_cycle_anchor) ?? "now",
        proration: params.proration_behavior ?? "create_prorations",
      }),
  ),
  route(
    "POST /v1/subscriptions/:subscription/migrate",
    { billing_mode: required(billingModeShape) },
    ({ world, path, version }, { billing_mode: asked }) => {
      if (asked.type === "classic") {
        throw invalid("A subscription can only be migrated to `flexible`.", "billing_mode[type]");
      }
      const mode = { ...billingMode(version, asked), updated_at: world.now() };
      const change = { billing_mode: mode };
      return world.change(
        "subscription",
        path.subscription,
        change,
        "customer.subscription.updated",
      );
    },
  ),
  route(
    "POST /v1/subscriptions/:subscription/pause",
    {
      bill_for: group({
        unused_time_from: group({
          type: required(oneOf("item_current_period_start", "none", "now")),
        }),
      }),
      invoicing_behavior: oneOf("invoice", "pending_invoice_item"),
      type: oneOf("subscription"),
    },
    ({ world, path }, { bill_for: billing, invoicing_behavior: invoicing }) =>
      pauseOnRequest(world, path.subscription, {
        unusedFrom: billing?.unused_time_from?.type ?? "now",
        invoices: invoicing === "invoice",
      }),
  ),
];
