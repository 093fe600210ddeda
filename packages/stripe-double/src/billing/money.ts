/** Amounts in words, and the least that can be charged. */

/** Stripe counts these in hundredths although the currencies have no smaller unit any more. */
const IN_HUNDREDTHS = new Set(["isk", "ugx"]);

/** `$12.00`; parts of the smallest unit are shown where there are any, as in `$0.005`. */
export function money(amount: number, currency: string): string {
  const usual = new Intl.NumberFormat("en-US", { style: "currency", currency });
  const places = usual.resolvedOptions().maximumFractionDigits ?? 2;
  const digits = IN_HUNDREDTHS.has(currency) ? 2 : places;
  if (Number.isInteger(amount)) return usual.format(amount / 10 ** digits);
  const fine = new Intl.NumberFormat("en-US", {
    style: "currency",
    currency,
    maximumFractionDigits: digits + 12,
    minimumFractionDigits: places,
  });
  return fine.format(amount / 10 ** digits);
}
