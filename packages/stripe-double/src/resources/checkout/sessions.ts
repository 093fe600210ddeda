/** Checkout sessions: what is asked for is kept; paying is in billing/checkout. */

import { listArray, pageShape } from "../../api/list.js";
import { group, metadata, oneOf, required, word } from "../../api/params.js";
import { couponOf } from "../../billing/checkout/discounts.js";
import { lineItemsOf, type Sold, totalsOf } from "../../billing/checkout/lines.js";
import {
  type CheckoutSession,
  expireCheckout,
  lineItems,
  openCheckout,
} from "../../billing/checkout/session.js";
import { isMetered } from "../../billing/prices/rates.js";
import { createSetupIntent } from "../../billing/setup/setup-intents.js";
import { billingMode } from "../../billing/subscriptions/billing-mode.js";
import { route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { createInlinePrice } from "../catalogue/prices.js";
import { listKind, listShape, mergeMetadata } from "../common.js";
import { type CheckoutParams, checkLines, checkoutShape, checkParams } from "./params.js";

const DAY = 24 * 3600;

const NO_INVOICE: CheckoutSession["invoice_creation"] = {
  enabled: false,
  invoice_data: {
    account_tax_ids: null,
    custom_fields: null,
    description: null,
    footer: null,
    issuer: null,
    metadata: {},
    rendering_options: null,
  },
};

/** In `setup` mode nothing is sold. */
const NO_TOTALS = { amount_subtotal: null, amount_total: null, total_details: null };

function createSession(world: World, params: CheckoutParams, version: string): CheckoutSession {
  checkParams(world, params, version);
  const { mode, subscription_data: plan, payment_intent_data: intent } = params;
  const trial = plan?.trial_period_days !== undefined || plan?.trial_end !== undefined;
  const setsUp = mode === "setup";
  const customer =
    params.customer === undefined ? undefined : world.find("customer", params.customer);
  const wanted = { asked: params.currency, customer: customer?.currency };
  const sum = setsUp
    ? undefined
    : checkLines(world, mode, params.line_items ?? [], { trial, wanted });
  const discount = params.discounts?.[0];
  const coupon = discount && sum && couponOf(world, discount, { ...sum, customer: customer?.id });
  const sold = (params.line_items ?? []).map((line, index): Sold => {
    const price = line.price_data
      ? createInlinePrice(world, line.price_data, `line_items[${index}][price_data]`)
      : world.find("price", line.price ?? "");
    return { price, quantity: isMetered(price) ? null : (line.quantity ?? 1) };
  });
  const items = lineItemsOf(world, sold, { trial, coupon, currency: sum?.currency ?? "usd" });
  const id = world.id(world.livemode ? "cs_live" : "cs_test");
  const email = customer === undefined ? params.customer_email : customer.email;
  // Apart, because the types of `stripe` 22 do not know it.
  const filter = { allowed_payment_method_types: params.allowed_payment_method_types ?? null };
  const session: CheckoutSession = {
    ...filter,
    id,
    object: "checkout.session",
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: params.billing_address_collection ?? null,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: world.now(),
    currency: items[0]?.currency ?? params.currency?.toLowerCase() ?? null,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: customer?.id ?? null,
    customer_account: null,
    customer_creation: customer
      ? null
      : (params.customer_creation ?? (mode === "subscription" ? "always" : "if_required")),
    customer_details: email ? blankDetails(email) : null,
    customer_email: params.customer_email ?? null,
    discounts: discount
      ? [{ coupon: discount.coupon ?? null, promotion_code: discount.promotion_code ?? null }]
      : [],
    expires_at: params.expires_at ?? world.now() + DAY,
    integration_identifier: null,
    invoice: null,
    invoice_creation: mode === "payment" ? NO_INVOICE : null,
    livemode: world.livemode,
    locale: params.locale ?? null,
    managed_payments: null,
    metadata: mergeMetadata({}, params.metadata),
    mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection:
      params.payment_method_collection ?? (mode === "payment" ? "if_required" : "always"),
    payment_method_configuration_details: null,
    payment_method_options: { card: { request_three_d_secure: "automatic" } },
    payment_method_types: ["card"],
    payment_status: setsUp ? "no_payment_required" : "unpaid",
    permissions: null,
    phone_number_collection: { enabled: params.phone_number_collection?.enabled ?? false },
    recovered_from: null,
    saved_payment_method_options: customer
      ? {
          allow_redisplay_filters: ["always"],
          payment_method_remove: "disabled",
          payment_method_save: null,
        }
      : null,
    setup_intent: setsUp
      ? createSetupIntent(world, { ...params.setup_intent_data, customer: customer?.id }).id
      : null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: "open",
    submit_type: params.submit_type ?? null,
    subscription: null,
    success_url: params.success_url ?? null,
    ui_mode: "hosted_page",
    url: `${world.origin}/c/pay/${id}`,
    wallet_options: null,
    ...(setsUp ? NO_TOTALS : totalsOf(items)),
  };
  const described = plan ?? intent;
  return openCheckout(world, session, items, {
    billing_mode: billingMode(version, plan?.billing_mode),
    trial_period_days: plan?.trial_period_days,
    trial_end: plan?.trial_end,
    missing_payment_method: plan?.trial_settings?.end_behavior.missing_payment_method,
    description: described?.description,
    metadata: mergeMetadata({}, described?.metadata),
    setup_future_usage: intent?.setup_future_usage,
    receipt_email: intent?.receipt_email,
    saves: {
      name: params.customer_update?.name === "auto",
      address: params.customer_update?.address === "auto",
    },
  });
}

/** What is known of the customer before anything was entered. */
function blankDetails(email: string): CheckoutSession["customer_details"] {
  return {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name: null,
    phone: null,
    tax_exempt: "none",
    tax_ids: null,
  };
}

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
