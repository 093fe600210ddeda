/** The parameters that the requests of subscriptions and of their items share. */
import {
  either,
  flag,
  group,
  integer,
  listOf,
  metadata,
  oneOf,
  required,
  text,
  word,
} from "../../api/params.js";
import { inlinePriceShape } from "../catalogue/price-shapes.js";
import { automaticTaxShape } from "../tax/terms.js";

export const itemShape = {
  price: word,
  price_data: group(inlinePriceShape),
  quantity: integer,
  metadata,
  tax_rates: listOf(word),
};
export const itemChangeShape = { ...itemShape, id: word, deleted: flag };

/** `add_invoice_items`: prices that are paid once, on the next invoice. */
export const extraShape = { ...itemShape };

export const prorationBehavior = oneOf("always_invoice", "create_prorations", "none");
export const paymentBehavior = oneOf(
  "allow_incomplete",
  "default_incomplete",
  "error_if_incomplete",
  "pending_if_incomplete",
);
export const collectionMethod = oneOf("charge_automatically", "send_invoice");

/** What can be said when a subscription is made and when it is changed. */
export const subscriptionShape = {
  add_invoice_items: listOf(group(extraShape)),
  automatic_tax: automaticTaxShape,
  cancel_at_period_end: flag,
  collection_method: collectionMethod,
  /** Until 2025-03-31, as `promotion_code`: a discount instead of `discounts`. */
  coupon: text,
  days_until_due: integer,
  default_payment_method: text,
  default_tax_rates: listOf(word),
  description: text,
  discounts: listOf(group({ coupon: word, promotion_code: word })),
  metadata,
  off_session: flag,
  payment_behavior: paymentBehavior,
  promotion_code: text,
  payment_settings: group({ save_default_payment_method: oneOf("off", "on_subscription") }),
  proration_behavior: prorationBehavior,
  trial_settings: group({
    end_behavior: group({ missing_payment_method: oneOf("cancel", "create_invoice", "pause") }),
  }),
};

export const billingModeShape = group({
  flexible: group({ proration_discounts: oneOf("included", "itemized") }),
  type: required(oneOf("classic", "flexible")),
});

export const feedback = oneOf(
  "customer_service",
  "low_quality",
  "missing_features",
  "other",
  "switched_service",
  "too_complex",
  "too_expensive",
  "unused",
);

/** A word until 2026-09-30, an object with a type since. */
const nowOrNot = oneOf("now", "unchanged");
export const anchorChange = either(nowOrNot, group({ type: required(nowOrNot) }));
export type AnchorChange = ReturnType<(typeof anchorChange)["parse"]>;
export const anchorOf = (asked: AnchorChange | undefined): "now" | "unchanged" | undefined =>
  typeof asked === "object" ? asked.type : asked;
export const resumeBehavior = oneOf("resume_on_payment_attempt", "resume_on_payment_success");

type OldDiscount = { readonly [K in "coupon" | "promotion_code"]: string | null | undefined };

/** The discounts of a request: as older versions name the one there is, or as they are now. */
export function discountsOf<D>({
  coupon,
  promotion_code: code,
  ...rest
}: OldDiscount & { readonly discounts: D }) {
  if (coupon === undefined && code === undefined) return rest.discounts;
  if (!coupon && !code) return [];
  return [{ coupon: coupon ?? undefined, promotion_code: code ?? undefined }];
}
