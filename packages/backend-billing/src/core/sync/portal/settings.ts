/** What a portal of the library's own lets people do, and how it differs from one at Stripe. Pure. */

import type Stripe from "stripe";
import { isObject } from "../../runtime/arguments.js";
import { MARK } from "../endpoint.js";
import type { Choice } from "./plans.js";

type Params = Stripe.BillingPortal.ConfigurationCreateParams;
type Features = Params["features"];
type Each<Name extends keyof Features> = NonNullable<Features[Name]>;

/**
 * What `sync` takes as `portal`: Stripe's own parameters of a portal configuration. They go before
 * the library's, a feature at a time.
 */
export interface PortalOptions extends Omit<Params, "features" | "expand"> {
  readonly features?: Features;
}

/** What was asked for when the library last made or changed its portal, from its record. */
export function optionsOf(stored: string | undefined): PortalOptions {
  const said = objectIn(stored ?? "{}");
  const features = said?.features;
  const isUsable = features === undefined || isObject(features);
  return said !== undefined && isUsable ? (said as PortalOptions) : {};
}

/** Undefined where another role has written something else. */
function objectIn(text: string): Fields | undefined {
  try {
    const said: unknown = JSON.parse(text);
    return isObject(said) ? said : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the caller says which plans there are to change to, or that there are none. */
export function decidesPlans({ features }: PortalOptions): boolean {
  const update = features?.subscription_update;
  return update?.enabled === false || Boolean(update?.products);
}

/** Whether the library made a configuration. */
export const isMarked = ({
  metadata,
}: Pick<Stripe.BillingPortal.Configuration, "metadata">): boolean =>
  Boolean(metadata?.["backend-billing"]);

/** Plans and numbers change at once and are invoiced at once; what costs less waits for the period's end. */
const UPDATE: Each<"subscription_update"> = {
  enabled: true,
  default_allowed_updates: ["price", "quantity"],
  proration_behavior: "always_invoice",
  trial_update_behavior: "continue_trial",
  schedule_at_period_end: {
    conditions: [{ type: "decreasing_item_amount" }, { type: "shortening_interval" }],
  },
};

const FEATURES: Required<Omit<Features, "subscription_update" | "subscription_pause">> = {
  customer_update: { enabled: true, allowed_updates: ["email", "address"] },
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true },
  subscription_cancel: { enabled: true, mode: "at_period_end" },
};

/** The configuration as it is sent to Stripe. Without plans it says nothing about changing them. */
export function portalSettings(
  products: Choice[] | undefined,
  { features = {}, metadata, ...options }: PortalOptions,
): Params {
  const update = { ...UPDATE, ...(products === undefined ? {} : { products }) };
  const changes = over(update, features.subscription_update);
  const canChange = changes.enabled === false || Boolean(changes.products);
  return {
    ...options,
    metadata: { ...metadata, ...MARK },
    features: {
      ...features,
      customer_update: over(FEATURES.customer_update, features.customer_update),
      invoice_history: over(FEATURES.invoice_history, features.invoice_history),
      payment_method_update: over(FEATURES.payment_method_update, features.payment_method_update),
      subscription_cancel: over(FEATURES.subscription_cancel, features.subscription_cancel),
      ...(canChange ? { subscription_update: changes } : {}),
    },
  };
}

/** A feature with what was asked for; one that is switched off has nothing of the library's. */
function over<F extends { readonly enabled: boolean }>(ours: F, given: F | undefined): F {
  return given?.enabled === false ? given : { ...ours, ...given };
}

/** The names of the features that a configuration has otherwise than it was given them. */
export function changedFeatures(
  wanted: Features,
  found: Stripe.BillingPortal.Configuration["features"],
): string[] {
  return Object.entries(wanted).flatMap(([name, value]) =>
    value === undefined || isIn(value, (found as unknown as Fields)[name]) ? [] : [name],
  );
}

type Fields = { readonly [name: string]: unknown };

/** Stripe shows these only when asked to. */
const HIDDEN = new Set(["products", "feedback_options", "payment_method_configuration"]);

/** Whether all that is wanted is there; lists in any order, and nothing said as an empty text. */
function isIn(wanted: unknown, found: unknown): boolean {
  if (wanted === "" || wanted === null) return found === null || found === "";
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found) || found.length !== wanted.length) return false;
    return wanted.every((each) => found.some((other) => isIn(each, other)));
  }
  if (typeof wanted !== "object") return wanted === found;
  if (typeof found !== "object" || found === null) return false;
  return Object.entries(wanted).every(
    ([name, value]) =>
      HIDDEN.has(name) || value === undefined || isIn(value, (found as Fields)[name]),
  );
}
