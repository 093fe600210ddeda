/** Prices, intervals and days, in the words the pages use. */
import type Stripe from "stripe";
import { money } from "../billing/money.js";
import { amountOf, rateOf } from "../billing/prices/rates.js";
import type { Plain } from "../world/plain.js";
import type { World } from "../world/world.js";

export function day(seconds: number): string {
  const format = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });
  return format.format(seconds * 1000);
}

/** `$12.00 per month`, `$30.00 every 3 months`, or the bare amount of a one-time price. */
export function priceText(
  world: World,
  price: Plain<Stripe.Price>,
  { quantity = 1, currency = price.currency }: { quantity?: number; currency?: string } = {},
): string {
  if (price.recurring?.usage_type === "metered") {
    const { unit_amount_decimal: unit } = rateOf(world, price, currency);
    const each = unit === null ? "" : `${money(Number(unit), currency)} each, `;
    return `${each}by what is used ${intervalText(price.recurring)}`;
  }
  const amount = money(amountOf(world, price, quantity, currency), currency);
  return price.recurring ? `${amount} ${intervalText(price.recurring)}` : amount;
}

export function intervalText(recurring: {
  readonly interval: string;
  readonly interval_count: number;
}): string {
  const { interval, interval_count: count } = recurring;
  return count === 1 ? `per ${interval}` : `every ${count} ${interval}s`;
}
