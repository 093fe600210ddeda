/** A new checkout session: what is asked for is kept; paying is in billing/checkout. */

import { couponOf } from "../../billing/checkout/discounts.js";
import { lineItemsOf, type Sold, taxed, totalsOf } from "../../billing/checkout/lines.js";
import { type CheckoutSession, openCheckout } from "../../billing/checkout/session.js";
import { isMetered } from "../../billing/prices/rates.js";
import { createSetupIntent } from "../../billing/setup/setup-intents.js";
import { billingMode } from "../../billing/subscriptions/billing-mode.js";
import type { World } from "../../world/world.js";
import { createInlinePrice } from "../catalogue/prices.js";
import { mergeMetadata } from "../common.js";
import { appearanceOf } from "./appearance.js";
import { type CheckoutParams, checkLines, checkParams } from "./params.js";
import { checkoutTaxes } from "./taxes.js";

const DAY = 24 * 3600;

type InvoiceCreation = NonNullable<CheckoutSession["invoice_creation"]>;

/** Whether a payment gets an invoice, and what is written on it. */
export function invoiceCreation(asked: CheckoutParams["invoice_creation"]): InvoiceCreation {
  const { description, footer, metadata: notes } = asked?.invoice_data ?? {};
  return {
    enabled: asked?.enabled ?? false,
    invoice_data: {
      account_tax_ids: null,
      custom_fields: null,
      description: description ?? null,
      footer: footer ?? null,
      issuer: asked?.enabled ? { type: "self" } : null,
      metadata: mergeMetadata({}, notes),
      rendering_options: null,
    },
  };
}

type Recovery = NonNullable<CheckoutSession["after_expiration"]>["recovery"];

/** An address for it is there only once the session has expired. */
function recoveryOf(
  asked:
    | { readonly allow_promotion_codes: boolean | undefined; readonly enabled: boolean }
    | undefined,
): Recovery {
  if (asked === undefined) return null;
  const { allow_promotion_codes: codes = false, enabled } = asked;
  return { allow_promotion_codes: codes, enabled, expires_at: null, url: null };
}

/** In `setup` mode nothing is sold. */
const NO_TOTALS = { amount_subtotal: null, amount_total: null, total_details: null };

export function createSession(
  world: World,
  params: CheckoutParams,
  version: string,
  /** Of a payment link, whose lines may have prices that were made for it. */
  of: { readonly inlinePrices: boolean } = { inlinePrices: false },
): CheckoutSession {
  checkParams(world, params, version);
  const { mode, subscription_data: plan, payment_intent_data: intent } = params;
  const trial = plan?.trial_period_days !== undefined || plan?.trial_end !== undefined;
  const setsUp = mode === "setup";
  const customer =
    params.customer === undefined ? undefined : world.find("customer", params.customer);
  const wanted = { asked: params.currency, customer: customer?.currency };
  const sum = setsUp
    ? undefined
    : checkLines(world, mode, params.line_items ?? [], { ...of, trial, wanted });
  const discount = params.discounts?.[0];
  const coupon = discount && sum && couponOf(world, discount, { ...sum, customer: customer?.id });
  const taxes = checkoutTaxes(world, params, customer);
  const sold = (params.line_items ?? []).map((line, index): Sold => {
    const price = line.price_data
      ? createInlinePrice(world, line.price_data, `line_items[${index}][price_data]`)
      : world.find("price", line.price ?? "");
    return { price, quantity: isMetered(price) ? null : (line.quantity ?? 1) };
  });
  const begins = {
    asked: plan?.billing_cycle_anchor,
    config: plan?.billing_cycle_anchor_config,
    prorates: plan?.proration_behavior !== "none",
  };
  const plain = lineItemsOf(world, sold, {
    trial,
    coupon,
    begins,
    currency: sum?.currency ?? "usd",
  });
  const known = !taxes.automatic || taxes.located;
  const items = known ? taxed(world, plain, taxes) : plain;
  const id = world.id(world.livemode ? "cs_live" : "cs_test");
  const email = customer === undefined ? params.customer_email : customer.email;
  // Apart, because the types of `stripe` 22 do not know it.
  const filter = { allowed_payment_method_types: params.allowed_payment_method_types ?? null };
  const session: CheckoutSession = {
    ...filter,
    ...appearanceOf(world, id, params),
    id,
    object: "checkout.session",
    adaptive_pricing: { enabled: false },
    after_expiration: params.after_expiration
      ? { recovery: recoveryOf(params.after_expiration.recovery) }
      : null,
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    automatic_tax: taxes.automatic
      ? {
          enabled: true,
          liability: { type: "self" },
          provider: "stripe",
          status: known ? "complete" : "requires_location_inputs",
        }
      : { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: params.billing_address_collection ?? null,
    client_reference_id: params.client_reference_id ?? null,
    collected_information: null,
    consent: null,
    consent_collection: params.consent_collection
      ? {
          payment_method_reuse_agreement:
            params.consent_collection.payment_method_reuse_agreement ?? null,
          promotions: params.consent_collection.promotions ?? null,
          terms_of_service: params.consent_collection.terms_of_service ?? null,
        }
      : null,
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
    invoice_creation: mode === "payment" ? invoiceCreation(params.invoice_creation) : null,
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
    payment_method_types: params.payment_method_types ??
      params.allowed_payment_method_types ?? ["card"],
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
    wallet_options: null,
    ...(setsUp ? NO_TOTALS : totalsOf(items)),
  };
  const described = plan ?? intent;
  return openCheckout(world, session, items, {
    again: (recovered) => {
      const { expires_at: _, ...rest } = params;
      const next = createSession(world, { ...rest, expires_at: undefined }, version, of);
      return world.patch("checkout.session", next.id, { recovered_from: recovered });
    },
    billing_mode: billingMode(version, plan?.billing_mode),
    begins,
    trial_period_days: plan?.trial_period_days,
    trial_end: plan?.trial_end,
    missing_payment_method: plan?.trial_settings?.end_behavior.missing_payment_method,
    description: described?.description,
    metadata: mergeMetadata({}, described?.metadata),
    setup_future_usage: intent?.setup_future_usage,
    receipt_email: intent?.receipt_email,
    taxes,
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
