/** What is sold in random lives, at Stripe. */
import type Stripe from "stripe";
import { type Group, SOLD, type SoldName } from "./script.js";

export interface Shop {
  readonly price: (sold: SoldName) => string;
  /** A price that is paid once, and one that costs nothing. */
  readonly once: string;
  readonly nothing: string;
  /** The group of each product, by its id. */
  readonly groups: ReadonlyMap<string, Group>;
}

/** Makes what is sold. */
export async function openShop(stripe: Stripe): Promise<Shop> {
  const [prices, products] = [new Map<string, string>(), new Map<string, string>()];
  const groups = new Map<string, Group>();
  for (const [name, { product, group, interval, amount }] of Object.entries(SOLD)) {
    if (!products.has(product)) {
      const metadata: Stripe.MetadataParam = group === "main" ? {} : { billing_group: group };
      products.set(product, (await stripe.products.create({ name: product, metadata })).id);
    }
    const id = products.get(product) ?? "";
    groups.set(id, group);
    const terms = { currency: "usd", unit_amount: amount, recurring: { interval } };
    prices.set(name, (await stripe.prices.create({ product: id, ...terms })).id);
  }
  const single = async (name: string, unit_amount: number) =>
    (await stripe.prices.create({ product_data: { name }, currency: "usd", unit_amount })).id;
  return {
    price: (sold) => prices.get(sold) ?? "",
    once: await single("Poster", 2_000),
    nothing: await single("Leaflet", 0),
    groups,
  };
}
