/** What a payment link may be asked for, and what its sessions are asked for in turn. */
import { invalid } from "../../api/errors.js";
import {
  flag,
  group,
  integer,
  listOf,
  metadata,
  oneOf,
  optionalInteger,
  type Parsed,
  parse,
  required,
  text,
  word,
} from "../../api/params.js";
import type { LineItem } from "../../billing/checkout/lines.js";
import type { Objects } from "../../world/world.js";
import { inlinePriceShape } from "../catalogue/price-shapes.js";
import { mergeMetadata } from "../common.js";
import { type CheckoutParams, checkoutShape } from "./params.js";

export type PaymentLink = Objects["payment_link"];
type LinkMode = "payment" | "subscription";

const trialSettings = group({
  end_behavior: required(
    group({ missing_payment_method: required(oneOf("cancel", "create_invoice", "pause")) }),
  ),
});

const sharedShape = {
  after_completion: group({
    hosted_confirmation: group({ custom_message: word }),
    redirect: group({ url: required(word) }),
    type: required(oneOf("hosted_confirmation", "redirect")),
  }),
  allow_promotion_codes: flag,
  automatic_tax: checkoutShape.automatic_tax,
  billing_address_collection: checkoutShape.billing_address_collection,
  customer_creation: checkoutShape.customer_creation,
  inactive_message: text,
  invoice_creation: checkoutShape.invoice_creation,
  metadata,
  payment_intent_data: group({
    description: text,
    metadata,
    setup_future_usage: oneOf("off_session", "on_session"),
  }),
  payment_method_collection: checkoutShape.payment_method_collection,
  payment_method_types: listOf(word),
  phone_number_collection: checkoutShape.phone_number_collection,
  submit_type: checkoutShape.submit_type,
  subscription_data: group({
    description: text,
    metadata,
    trial_period_days: optionalInteger,
    trial_settings: trialSettings,
  }),
};
export const createShape = {
  ...sharedShape,
  consent_collection: checkoutShape.consent_collection,
  currency: word,
  line_items: required(
    listOf(group({ price: word, price_data: group(inlinePriceShape), quantity: integer })),
  ),
};
export const updateShape = {
  ...sharedShape,
  active: flag,
  line_items: listOf(group({ id: required(word), quantity: integer })),
};
export type CreateParams = Parsed<typeof createShape>;
export type UpdateParams = Parsed<typeof updateShape>;

/** Refuses what a link cannot have, by what it sells. */
export function checkLink(mode: LinkMode, params: Omit<Partial<CreateParams>, "line_items">): void {
  const only = (param: keyof typeof params & string, wanted: LinkMode) => {
    if (params[param] === undefined || mode === wanted) return;
    throw invalid(`You can not pass \`${param}\` in \`${mode}\` mode.`, param);
  };
  only("customer_creation", "payment");
  only("invoice_creation", "payment");
  only("payment_intent_data", "payment");
  only("payment_method_collection", "subscription");
  only("subscription_data", "subscription");
  const days = params.subscription_data?.trial_period_days ?? 1;
  if (days < 1) {
    throw invalid(
      "The minimum number of trial period days is 1.",
      "subscription_data[trial_period_days]",
    );
  }
  const { type, redirect } = params.after_completion ?? {};
  if (type === "redirect" && redirect === undefined) {
    const name = "after_completion[redirect]";
    throw invalid(`Missing required param: ${name}.`, name, "parameter_missing");
  }
  if (redirect !== undefined && !/^[a-z][a-z0-9+.-]*:\/\/[^\s]+$/i.test(redirect.url)) {
    throw invalid("Not a valid URL", "after_completion[redirect][url]", "url_invalid");
  }
}

export const linkMode = (items: readonly LineItem[]): LinkMode =>
  items.some(({ price }) => price?.recurring) ? "subscription" : "payment";

/** What the address of a link may say of who opens it. */
interface Visitor {
  readonly client_reference_id?: string | undefined;
  /** Fixed by the address, so that the customer cannot enter another one. */
  readonly email?: string | undefined;
}

/** Where sessions lead that Stripe confirms on its own page, as a session's `success_url` shows it. */
const NOWHERE = "https://stripe.com";

/** The request for a session that this link stands for. */
export function sessionParams(
  link: PaymentLink,
  items: readonly LineItem[],
  visitor: Visitor,
): CheckoutParams {
  const mode = linkMode(items);
  const { consent_collection: consent, invoice_creation: invoice } = link;
  const shared: CheckoutParams = {
    ...parse(checkoutShape, { mode }),
    allow_promotion_codes: link.allow_promotion_codes,
    automatic_tax: { enabled: link.automatic_tax.enabled, liability: undefined },
    billing_address_collection: known(["auto", "required"], link.billing_address_collection),
    cancel_url: NOWHERE,
    client_reference_id: visitor.client_reference_id,
    consent_collection: consent
      ? {
          payment_method_reuse_agreement: consent.payment_method_reuse_agreement
            ? {
                position:
                  known(["auto", "hidden"], consent.payment_method_reuse_agreement.position) ??
                  "auto",
              }
            : undefined,
          promotions: known(["auto", "none"], consent.promotions),
          terms_of_service: known(["none", "required"], consent.terms_of_service),
        }
      : undefined,
    currency: link.currency,
    customer_email: visitor.email,
    line_items: items.map(({ price, quantity }) => ({
      price: price?.id,
      price_data: undefined,
      quantity: quantity ?? undefined,
      tax_rates: undefined,
    })),
    locale: "auto",
    metadata: link.metadata,
    phone_number_collection: link.phone_number_collection,
    submit_type: known(["auto", "book", "donate", "pay", "subscribe"], link.submit_type),
    success_url: link.after_completion.redirect?.url ?? NOWHERE,
  };
  if (mode === "payment") {
    const intent = link.payment_intent_data;
    const said = invoice?.invoice_data;
    return {
      ...shared,
      invoice_creation: invoice?.enabled
        ? {
            enabled: true,
            invoice_data: {
              description: said?.description ?? undefined,
              footer: said?.footer ?? undefined,
              metadata: said?.metadata ?? undefined,
            },
          }
        : undefined,
      payment_intent_data: intent
        ? {
            description: intent.description ?? undefined,
            metadata: intent.metadata,
            receipt_email: undefined,
            setup_future_usage: known(["off_session", "on_session"], intent.setup_future_usage),
          }
        : undefined,
    };
  }
  const plan = link.subscription_data;
  const trial = plan?.trial_period_days ?? undefined;
  const ends = plan?.trial_settings?.end_behavior.missing_payment_method;
  const missing = known(["cancel", "create_invoice", "pause"], ends);
  const { subscription_data: nothing } = parse(checkoutShape, { mode, subscription_data: {} });
  return {
    ...shared,
    payment_method_collection: known(["always", "if_required"], link.payment_method_collection),
    subscription_data: nothing && {
      ...nothing,
      description: plan?.description ?? undefined,
      metadata: mergeMetadata({}, plan?.metadata),
      trial_period_days: trial,
      trial_settings:
        trial && missing ? { end_behavior: { missing_payment_method: missing } } : undefined,
    },
  };
}

/** The value among those that the double knows; Stripe's types allow for more of them. */
function known<const T extends string>(
  values: readonly T[],
  value: string | null | undefined,
): T | undefined {
  return values.find((each) => each === value);
}
