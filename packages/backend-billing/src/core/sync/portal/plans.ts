/** What people may change to in the portal: the plans that are for sale. */

import type Stripe from "stripe";
import type { StripeObject } from "../../catalogue/catalogue.js";
import { isPerSeat } from "../../catalogue/seats.js";
import { plain } from "../../mirror/snapshot.js";
import type { Offer } from "../../mirror/store.js";
import { isChoice } from "../../plans/sold.js";
import type { BillingConfig } from "../../runtime/config.js";
import { provider } from "../../runtime/errors.js";
import type { Runtime } from "../../runtime/runtime.js";
import { DEFAULT_GROUP, namedGroup } from "../../subscriptions/group.js";
import { whyNotSold } from "../../subscriptions/offers.js";

/** A product that people may change to, with the prices that they may choose. */
export interface Choice {
  readonly product: string;
  readonly prices: string[];
  readonly adjustable_quantity: { readonly enabled: boolean };
}

/** Stripe takes no more products than this in a portal's configuration. */
const MOST_PRODUCTS = 10;

/** Prices that are looked at; an account with more sells too many products for the portal anyway. */
const MOST_PRICES = 1000;

/** Undefined where nothing can be offered: Stripe wants at least one product, and at most ten. */
export async function portalPlans(runtime: Runtime): Promise<Choice[] | undefined> {
  const choices = choicesOf(await recurringPrices(runtime.stripe()), runtime.config);
  if (choices.length > MOST_PRODUCTS) {
    runtime.log?.warn(
      {
        count: choices.length,
        advice: "Offer fewer: name them in `portal`, or let `sells` refuse the others.",
      },
      "The portal offers no change of plan: Stripe takes ten products at most",
    );
  }
  return choices.length === 0 || choices.length > MOST_PRODUCTS ? undefined : choices;
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
 * What can be changed to: of each product one price for each interval, its default price or the
 * newest, because the portal tells prices of a product apart by their interval. Metered prices
 * cannot be chosen there. With plans in code it is what the catalogue sells, and always of the main
 * group, as a change never crosses groups. The number is not the person's to choose where seats follow
 * the members, or where the catalogue says it. Pure.
 */
export function choicesOf(
  newestFirst: readonly Stripe.Price[],
  { sells, catalogue }: Pick<BillingConfig, "sells" | "catalogue">,
): Choice[] {
  const hasPlans = catalogue?.app != null;
  const found = new Map<string, Map<string, Offer>>();
  for (const each of newestFirst) {
    const offer = offerOf(each);
    const { price, product } = offer;
    const { recurring } = price;
    if (recurring?.usage_type !== "licensed" || product === undefined) continue;
    if (whyNotSold(offer, sells) !== undefined) continue;
    if (!isChoice(catalogue, price.lookup_key)) continue;
    if (!hasPlans && namedGroup(product) !== DEFAULT_GROUP) continue;
    const prices = found.get(product.id) ?? new Map<string, Offer>();
    found.set(product.id, prices);
    const interval = `${recurring.interval_count} ${recurring.interval}`;
    const isPreferred = price.id === product.default_price;
    if (!prices.has(interval) || isPreferred) prices.set(interval, offer);
  }
  return [...found].map(([product, prices]) => ({
    product,
    prices: [...prices.values()].map(({ price }) => price.id),
    adjustable_quantity: {
      enabled:
        !hasPlans && ![...prices.values()].some((each) => isPerSeat(each.price, each.product)),
    },
  }));
}

/** A price as the mirror would have it, and its product if it was shown and is there. */
function offerOf({ product, ...price }: Stripe.Price): Offer {
  const shown = typeof product === "string" || product.deleted ? undefined : product;
  const id = typeof product === "string" ? product : product.id;
  const owner = shown && (plain(shown) as StripeObject<"products">);
  const preferred = shown?.default_price ?? null;
  return {
    price: plain({ ...price, product: id }) as StripeObject<"prices">,
    product: owner && {
      ...owner,
      default_price: typeof preferred === "string" ? preferred : (preferred?.id ?? null),
    },
  };
}

/** What is offered, as a text to compare; Stripe shows it only when a configuration is expanded. */
export const named = (choices: readonly Choice[]): string =>
  choices
    .map(({ product, prices, adjustable_quantity: { enabled } }) =>
      [enabled ? product : `${product}*`, ...[...prices].sort()].join(" "),
    )
    .sort()
    .join();

/** The ids of the prices in such a text. */
export const pricesNamed = (offered: string): string[] =>
  offered.split(",").flatMap((choice) => choice.split(" ").slice(1));
