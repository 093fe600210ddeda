/** Subscriptions: the requests; what they mean is in billing/. */

import { ApiError, invalid } from "../../api/errors.js";
import {
  group,
  integer,
  listOf,
  oneOf,
  oneOfModelled,
  optionalGroup,
  type Parsed,
  required,
  text,
  word,
} from "../../api/params.js";
import { searchRoute } from "../../api/search.js";
import { findDiscount } from "../../billing/invoices/discounts.js";
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
import { type Call, route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { createInlinePrice } from "../catalogue/prices.js";
import { knownCustomer, listKind, listShape, mergeMetadata, referenced } from "../common.js";
import {
  anchorChange,
  anchorNow,
  billingModeShape,
  collectionMethod,
  discountsOf,
  feedback,
  itemChangeShape,
  itemShape,
  notYet,
  prorationBehavior,
  resumeBehavior,
  subscriptionShape,
} from "./shapes.js";
import { checkFuture, updateSubscription } from "./update.js";

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
    return { price, quantity: item.quantity, metadata: mergeMetadata({}, item.metadata) };
  });
}

/** A trial's end, from whichever of Stripe's ways to say it was used. */
function trialEnd(
  world: World,
  { trial_end: end, trial_period_days: days }: Parsed<typeof trialShape>,
): number | undefined {
  if (end !== undefined && days !== undefined) {
    throw invalid("You cannot pass both `trial_end` and `trial_period_days`.", "trial_end");
  }
  if (days !== undefined) return days === 0 ? undefined : world.now() + days * 86_400;
  return end === undefined || end === "now" ? undefined : checkFuture(world, end, "trial_end");
}

const trialShape = { trial_end: word, trial_period_days: integer };
const createShape = {
  ...subscriptionShape,
  ...trialShape,
  billing_mode: billingModeShape,
  cancel_at: integer,
  currency: word,
  customer: required(word),
  items: required(listOf(group(itemShape))),
};

function create(world: World, params: Parsed<typeof createShape>, version: string) {
  const customer = referenced(world, "customer", params.customer, "customer");
  if (params.cancel_at !== undefined) checkFuture(world, String(params.cancel_at), "cancel_at");
  const trial_end = trialEnd(world, params);
  return createSubscription(world, {
    customer: customer.id,
    billing_mode: billingMode(version, params.billing_mode),
    items: priced(world, params.items),
    default_payment_method: params.default_payment_method,
    trial_end,
    missing_payment_method: params.trial_settings?.end_behavior?.missing_payment_method,
    metadata: mergeMetadata({}, params.metadata),
    description: params.description,
    discount_sources: discountsOf(params),
    payment_behavior: params.payment_behavior,
    collection_method: params.collection_method,
    days_until_due: params.days_until_due,
    cancel_at: params.cancel_at,
    prorates: params.proration_behavior !== "none",
    cancel_at_period_end: params.cancel_at_period_end,
    save_default_payment_method: params.payment_settings?.save_default_payment_method,
  });
}

const filterShape = {
  collection_method: collectionMethod,
  customer: word,
  price: word,
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
      invoice_now: notYet,
      prorate: notYet,
    },
    ({ world, path }, { cancellation_details: details }) => {
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
      return cancelSubscription(world, before.id);
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
    world.change("subscription", id, { discounts: [] }, "customer.subscription.updated");
    return { ...discount, deleted: true };
  }),
  route(
    "POST /v1/subscriptions/:subscription/resume",
    {
      billing_cycle_anchor: anchorNow,
      payment_behavior: resumeBehavior,
      proration_behavior: prorationBehavior,
    },
    ({ world, path, version }, { payment_behavior: behavior }) =>
      resumeSubscription(world, path.subscription, behavior ?? usualResumption(version)),
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
      invoicing_behavior: oneOfModelled(["pending_invoice_item"], ["invoice"]),
      type: oneOf("subscription"),
    },
    ({ world, path }) => pauseOnRequest(world, path.subscription),
  ),
];
