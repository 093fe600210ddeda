/** What is sold where units are used up. The products are named as every subject can name them. */
import type Stripe from "stripe";
import type { UsagePlan, UsageShop } from "./subject.js";

/** Units of each plan, and of the pack. */
export const UNITS = { small: 10, large: 50, pack: 30 } as const;

export async function openUsageShop(stripe: Stripe): Promise<UsageShop> {
  const sell = async (name: keyof typeof UNITS, unit_amount: number): Promise<UsagePlan> => {
    const id = name === "pack" ? "acme_pack_units" : `acme_${name}`;
    const { id: product } = await stripe.products.create({ id, name });
    const price = await stripe.prices.create({
      product,
      currency: "usd",
      unit_amount,
      lookup_key: `acme:${name}:monthly`,
      ...(name === "pack" ? {} : { recurring: { interval: "month" } }),
    });
    return { price, units: UNITS[name] };
  };
  await stripe.billing.meters.create({
    display_name: "Calls",
    event_name: "calls",
    default_aggregation: { formula: "sum" },
  });
  return {
    small: await sell("small", 1_000),
    large: await sell("large", 3_000),
    pack: await sell("pack", 500),
  };
}
