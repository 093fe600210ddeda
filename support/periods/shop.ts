/** What is sold in lives that are about what plans include: a catalogue, and its prices at Stripe. */
import type Stripe from "stripe";
import { defineCatalogue, usd } from "../../packages/backend-billing/src/catalogue/index.js";

const CYCLES = {
  week: { interval: "week", interval_count: 1 },
  month: { interval: "month", interval_count: 1 },
  quarter: { interval: "month", interval_count: 3 },
  year: { interval: "year", interval_count: 1 },
} as const;

const CENTS = { basic: 1_000, pro: 3_000, team: 9_000 };

export type Plan = keyof typeof CENTS;
export type Cycle = keyof typeof CYCLES;
export const PLANS = Object.keys(CENTS) as [Plan, ...Plan[]];

const prices = {
  week: usd("3").every(1, "week"),
  month: usd("10").monthly(),
  quarter: usd("25").every(3, "month"),
  year: usd("100").yearly(),
};

/** Of `calls` the smallest plans say nothing. */
export const catalogue = defineCatalogue({
  app: "acme",
  features: { credits: "credits", calls: { meter: "calls" } },
  plans: {
    free: { name: "Free", default: true, features: { credits: { included: 10 } } },
    basic: { name: "Basic", prices, features: { credits: { included: 100 } } },
    pro: {
      name: "Pro",
      prices,
      features: { credits: { included: 500 }, calls: { included: 40 } },
    },
    team: {
      name: "Team",
      prices,
      features: { credits: { included: 2_000 }, calls: { included: 90 } },
    },
  },
});

/** Makes what is sold; answers the price of a plan by its cycle. */
export async function openPlans(stripe: Stripe): Promise<(plan: Plan, cycle: Cycle) => string> {
  const made = new Map<string, string>();
  for (const plan of PLANS) {
    const { id: product } = await stripe.products.create({ id: `acme_${plan}`, name: plan });
    for (const [cycle, recurring] of Object.entries(CYCLES)) {
      const unit_amount = CENTS[plan];
      const terms = { currency: "usd", unit_amount, recurring };
      made.set(`${plan} ${cycle}`, (await stripe.prices.create({ product, ...terms })).id);
    }
  }
  return (plan, cycle) => made.get(`${plan} ${cycle}`) ?? "";
}
