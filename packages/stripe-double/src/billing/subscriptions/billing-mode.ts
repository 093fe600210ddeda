/** How a subscription's prorations and invoices are worked out: as ever, or in the flexible mode. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";

export type BillingMode = Plain<Stripe.Subscription>["billing_mode"];

/** What a request may say about it. */
export interface BillingModeParams {
  readonly type: "classic" | "flexible";
  readonly flexible?:
    | { readonly proration_discounts?: "included" | "itemized" | undefined }
    | undefined;
}

/** From this version of a request on, the flexible mode is the default. */
const FLEXIBLE_SINCE = "2025-09-30";

/** The mode that a request of this API version asks for, or gets without asking. */
export function billingMode(version: string, asked?: BillingModeParams): BillingMode {
  const usual = version.slice(0, 10) < FLEXIBLE_SINCE ? "classic" : "flexible";
  const type = asked?.type ?? usual;
  if (type === "classic") return { flexible: null, type };
  const proration_discounts = asked?.flexible?.proration_discounts ?? "included";
  return { flexible: { proration_discounts }, type };
}
