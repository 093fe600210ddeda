/** Money and dates, as people read them. */
import type { Price } from "./types.ts";

export function money({ amount, currency }: Price): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  // Stripe counts in the smallest unit: cents for dollars, but whole yen.
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions();
  return format.format(amount / 10 ** digits).replace(/\.0+$/, "");
}

export function day(milliseconds: number): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "long" }).format(milliseconds);
}
