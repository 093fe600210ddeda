/** A catalogue, and what a push of it would have made at Stripe, made by hand. */
import type Stripe from "stripe";
import { defineCatalogue, usd } from "../../packages/backend-billing/src/catalogue/index.js";
import { SOLD } from "../tellings/script.js";
import type { Shop } from "../tellings/shop.js";

const prices = { month: usd("10").monthly(), week: usd("3").every(1, "week") };

/** Features of every kind that gates know, two groups, a default plan, and one that was renamed. */
export const catalogue = defineCatalogue({
  app: "acme",
  features: {
    sso: "boolean",
    chat: "boolean",
    projects: "limit",
    seats: { limit: "highest" },
    calls: { meter: "calls" },
  },
  plans: {
    free: { name: "Free", default: true, features: { projects: 3, seats: 1 } },
    basic: { name: "Basic", prices, features: { projects: 10, seats: 5, calls: { included: 9 } } },
    pro: {
      name: "Pro",
      was: "gold",
      prices,
      features: { sso: true, projects: "unlimited", seats: 20, calls: { included: 99 } },
    },
    help: {
      name: "Help",
      group: "support",
      prices,
      features: { chat: true, projects: 2, seats: 50 },
    },
  },
});

/** The products, with what their metadata say of features to those who have no plans in code. */
const PRODUCTS = {
  basic: {
    id: "acme_basic",
    metadata: { billing_plan: "basic", feature_projects: "10", feature_seats: "5" },
  },
  pro: {
    id: "acme_gold",
    metadata: {
      billing_plan: "pro",
      feature_sso: "true",
      feature_projects: "unlimited",
      feature_seats: "20",
    },
  },
  help: {
    id: "acme_help",
    metadata: {
      billing_plan: "help",
      billing_group: "support",
      feature_chat: "true",
      feature_projects: "2",
      feature_seats: "50",
    },
  },
} as const;

/** Makes what is sold. */
export async function openPlans(stripe: Stripe): Promise<Shop> {
  for (const [name, { id, metadata }] of Object.entries(PRODUCTS)) {
    await stripe.products.create({ id, name, metadata: { ...metadata } });
  }
  const made = new Map<string, string>();
  for (const [name, { product, interval, amount }] of Object.entries(SOLD)) {
    const { id } = await stripe.prices.create({
      product: PRODUCTS[product].id,
      currency: "usd",
      unit_amount: amount,
      recurring: { interval },
      lookup_key: `acme:${product}:${interval}`,
    });
    made.set(name, id);
  }
  const single = async (name: string, unit_amount: number) =>
    (await stripe.prices.create({ product_data: { name }, currency: "usd", unit_amount })).id;
  return {
    price: (sold) => made.get(sold) ?? "",
    once: await single("Poster", 2_000),
    nothing: await single("Leaflet", 0),
    groups: new Map(),
  };
}
