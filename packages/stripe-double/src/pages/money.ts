/** Prices, intervals and days, in the words the pages use. */
import type Stripe from "stripe";
import { money } from "../billing/money.js";
import type { Plain } from "../world/plain.js";

export function day(seconds: number): string {
  const format = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });
  return format.format(seconds * 1000);
}

/** `$12.00 per month`, `$30.00 every 3 months`, or the bare amount of a one-time price. */
export function priceText(price: Plain<Stripe.Price>, quantity = 1): string {
  const amount = money(Number(price.unit_amount_decimal ?? 0) * quantity, price.currency);
  if (price.recurring?.usage_type === "metered") {
    const each = money(Number(price.unit_amount_decimal ?? 0), price.currency);
    return `${each} each, by what is used ${intervalText(price.recurring)}`;
  }
  return price.recurring ? `${amount} ${intervalText(price.recurring)}` : amount;
}

export function intervalText(recurring: {
  readonly interval: string;
  readonly interval_count: number;
}): string {
  const { interval, interval_count: count } = recurring;
  return count === 1 ? `per ${interval}` : `every ${count} ${interval}s`;
}
