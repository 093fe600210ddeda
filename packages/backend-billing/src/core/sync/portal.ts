/** The configuration of the billing portal at Stripe: created if there is none, and kept current. */

import type Stripe from "stripe";
import { provider } from "../runtime/errors.js";
import { exclusively } from "../runtime/exclusive.js";
import { records } from "../runtime/records/records.js";
import type { PortalReport } from "../runtime/reports.js";
import type { Runtime } from "../runtime/runtime.js";
import { MARK } from "./endpoint.js";

/** A product that people may change to, with the prices that they may choose. */
interface Offer {
  readonly product: string;
  readonly prices: string[];
}

/** Stripe takes no more products than this in a portal's configuration. */
const MOST_PRODUCTS = 10;

/** Prices that are looked at; an account with more sells too many products for the portal anyway. */
const MOST_PRICES = 1000;

/**
 * Creates the default portal configuration if there is none, and remembers which it is. One that the
 * library made is kept in step with what is sold; one of the account's own is left alone.
 */
export function syncPortal(runtime: Runtime): Promise<PortalReport> {
  return exclusively(runtime, "portal configuration", async () => {
    const { configurations } = runtime.stripe().billingPortal;
    const stored = await records.portal.read(runtime);
    const active = await configurations.list({ active: true, limit: 100 }).catch(provider);
    const found =
      active.data.find(({ id }) => id === stored.data?.configurationId) ??
      active.data.find(({ is_default }) => is_default) ??
      active.data.find(isMarked);
    const changes = found === undefined || isMarked(found) ? await planChanges(runtime) : undefined;
    const configuration = found ?? (await configurations.create(settings(changes)).catch(provider));
    const known = stored.data?.configurationId === configuration.id ? stored.data : undefined;
    const offered = changes === undefined ? known?.offered : named(changes.products);
    if (found !== undefined && changes !== undefined && known?.offered !== offered) {
      await configurations
        .update(found.id, { features: { subscription_update: changes } })
        .catch(provider);
    }
    if (known === undefined || known.offered !== offered) {
      await records.portal.put(runtime, stored, {
        configurationId: configuration.id,
        ...(offered === undefined ? {} : { offered }),
      });
    }
    return { configurationId: configuration.id };
  });
}

const isMarked = ({ metadata }: Stripe.BillingPortal.Configuration): boolean =>
  Boolean(metadata?.["backend-billing"]);

function settings(
  changes: PlanChanges | undefined,
): Stripe.BillingPortal.ConfigurationCreateParams {
  return {
    metadata: MARK,
    features: {
      customer_update: { enabled: true, allowed_updates: ["email", "address"] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: "at_period_end" },
      ...(changes === undefined ? {} : { subscription_update: changes }),
    },
  };
}

interface PlanChanges {
  readonly enabled: true;
  readonly default_allowed_updates: ["price"];
  readonly proration_behavior: "always_invoice";
  readonly products: Offer[];
}

/** Undefined where nothing can be offered: Stripe wants at least one product, and at most ten. */
async function planChanges(runtime: Runtime): Promise<PlanChanges | undefined> {
  const products = offersOf(await recurringPrices(runtime.stripe()));
  if (products.length > MOST_PRODUCTS) {
    runtime.log?.warn(
      { count: products.length, advice: "Choose them in the portal settings of the dashboard." },
      "The portal offers no change of plan: Stripe takes ten products at most",
    );
  }
  if (products.length === 0 || products.length > MOST_PRODUCTS) return undefined;
  return {
    enabled: true,
    default_allowed_updates: ["price"],
    proration_behavior: "always_invoice",
    products,
  };
}

/** Asked of Stripe and not of the mirror, which is still empty when an application is set up. */
async function recurringPrices(stripe: Stripe): Promise<Stripe.Price[]> {
  const found: Stripe.Price[] = [];
  const wanted = { active: true, type: "recurring", limit: 100 } as const;
  try {
    for await (const price of stripe.prices.list({ ...wanted, expand: ["data.product"] })) {
      found.push(price);
      if (found.length >= MOST_PRICES) break;
    }
  } catch (error) {
    provider(error);
  }
  return found;
}

/**
 * What can be changed to: of each active product one price for each interval, its default price or
 * the newest, because the portal tells prices of a product apart by their interval. Metered prices
 * cannot be chosen there. Pure.
 */
export function offersOf(newestFirst: readonly Stripe.Price[]): Offer[] {
  const offers = new Map<string, Map<string, Stripe.Price>>();
  for (const price of newestFirst) {
    const { product, recurring } = price;
    if (recurring === null || recurring.usage_type !== "licensed") continue;
    if (typeof product === "string" || product.deleted || !product.active) continue;
    const prices = offers.get(product.id) ?? new Map<string, Stripe.Price>();
    offers.set(product.id, prices);
    const interval = `${recurring.interval_count} ${recurring.interval}`;
    const preferred =
      typeof product.default_price === "string" ? product.default_price : product.default_price?.id;
    if (!prices.has(interval) || price.id === preferred) prices.set(interval, price);
  }
  return [...offers].map(([product, prices]) => ({
    product,
    prices: [...prices.values()].map(({ id }) => id),
  }));
}

/** What is offered, as a text to compare; Stripe shows it only when a configuration is expanded. */
const named = (offers: readonly Offer[]): string =>
  offers
    .map(({ product, prices }) => [product, ...[...prices].sort()].join(" "))
    .sort()
    .join();
