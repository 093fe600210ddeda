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

/** The least that Stripe charges, in the currency's smallest unit (docs: supported currencies). */
const LEAST: { readonly [currency: string]: number } = {
  aed: 200,
  aud: 50,
  brl: 50,
  cad: 50,
  chf: 50,
  czk: 1500,
  dkk: 250,
  eur: 50,
  gbp: 30,
  hkd: 400,
  huf: 17_500,
  inr: 50,
  jpy: 50,
  mxn: 1000,
  myr: 200,
  nok: 300,
  nzd: 50,
  pln: 200,
  ron: 200,
  sek: 300,
  sgd: 50,
  thb: 1000,
  usd: 50,
};

export const leastCharge = (currency: string): number => LEAST[currency.toLowerCase()] ?? 1;
