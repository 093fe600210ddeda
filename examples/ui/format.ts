/** Money, dates and refusals, as people read them. */
import type { Price } from "./types.ts";

export function money({ amount, currency }: { amount: number; currency: string }): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  // Stripe counts in the smallest unit: cents for dollars, but whole yen.
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions();
  return format.format(amount / 10 ** digits).replace(/\.0+$/, "");
}

/** Such as “$29 per seat and month”. */
export function rate(price: Price, perSeat: boolean | undefined): string {
  return `${money(price)} per ${perSeat ? "seat and " : ""}${price.interval}`;
}

export function count(amount: number, one: string): string {
  return `${amount.toLocaleString("en")} ${amount === 1 ? one : `${one}s`}`;
}

export function day(milliseconds: number): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "long" }).format(milliseconds);
}

const REFUSALS: Record<string, string> = {
  quote_expired:
    "Your plan or its price has changed since you looked, so nothing was changed now. Choose again to see what it costs.",
  payment_failed:
    "Your card was refused. Nothing has changed, and you owe nothing. Put another card on file under “Manage billing”.",
};

/** What people are told of an error of the library; most of its own words will do. */
export function refusal(code: string, message: string): string {
  return REFUSALS[code] ?? message;
}
