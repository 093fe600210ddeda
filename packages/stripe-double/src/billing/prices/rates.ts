/** The terms of a price in a currency: its own, or one that it has an option for. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { piecesOf, type Rate } from "./amounts.js";

type Price = Plain<Stripe.Price>;
export type CurrencyOption = NonNullable<Price["currency_options"]>[string];
export type CurrencyOptions = { readonly [currency: string]: CurrencyOption };

/** What a price costs in each currency that it has, its own included. */
export function currencyOptionsOf(world: World, { id }: Pick<Price, "id">): CurrencyOptions {
  return (world.hidden.get(id)?.currency_options ?? {}) as CurrencyOptions;
}

export const hasCurrency = (world: World, price: Price, currency: string): boolean =>
  currency === price.currency || Object.hasOwn(currencyOptionsOf(world, price), currency);

export function rateOf(world: World, price: Price, currency = price.currency): Rate {
  const hidden = world.hidden.get(price.id);
  const option =
    currency === price.currency ? undefined : currencyOptionsOf(world, price)[currency];
  const { tiers } = (option ?? hidden ?? {}) as Pick<CurrencyOption, "tiers">;
  return {
    unit_amount_decimal: (option ?? price).unit_amount_decimal,
    tiers: price.billing_scheme === "tiered" ? (tiers ?? []) : null,
    tiers_mode: price.tiers_mode,
    transform_quantity: price.transform_quantity,
  };
}

export const isMetered = ({ recurring }: Pick<Price, "recurring">): boolean =>
  recurring?.usage_type === "metered";

/** The price of a quantity, rounded to the smallest unit of the currency line by line. */
export function amountOf(world: World, price: Price, quantity: number, currency?: string): number {
  return piecesOf(rateOf(world, price, currency), quantity).reduce(
    (sum, { amount }) => sum + amount,
    0,
  );
}

/** The currency that prices are sold in: the one asked for, or the customer's if all of them have it. */
export function commonCurrency(
  world: World,
  prices: readonly Price[],
  { asked, customer }: { asked?: string | undefined; customer?: string | null | undefined },
): string {
  if (asked !== undefined) return asked.toLowerCase();
  const own = prices[0]?.currency ?? "usd";
  return customer && prices.every((price) => hasCurrency(world, price, customer)) ? customer : own;
}
