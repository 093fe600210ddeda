/** Sharing discounts out over the lines of an invoice, to the cent. Coupons come as plain terms. */

/** What a discount takes off. */
export interface Terms {
  readonly discount: string;
  readonly percent_off: number | null;
  readonly amount_off: number | null;
  /** The products that it is limited to; all of them if undefined. */
  readonly products: readonly string[] | undefined;
}

/** A line, as far as discounts are concerned. Credits are never discounted. */
export interface Part {
  readonly product: string | undefined;
  readonly amount: number;
  readonly discountable: boolean;
}

/** How much of a line one discount takes off. */
export interface DiscountAmount {
  readonly amount: number;
  readonly discount: string;
}

export const sumOf = (amounts: readonly { readonly amount: number }[]): number =>
  amounts.reduce((sum, { amount }) => sum + amount, 0);

/** What something costs before discounts, with what each of them takes off. */
export interface Amounts {
  readonly gross: number;
  readonly discounts: readonly DiscountAmount[];
}

export const netOf = ({ gross, discounts }: Amounts): number => gross - sumOf(discounts);

/** A part of it. The net amount is rounded, and the discounts make up the difference. */
export function partOf(whole: Amounts, part: number): Amounts {
  const gross = Math.round(whole.gross * part);
  const weights = whole.discounts.map(({ amount }) => amount);
  const shares = shareOut(gross - Math.round(netOf(whole) * part), weights);
  const discounts = whole.discounts.map(({ discount }, index) => ({
    amount: shares[index] ?? 0,
    discount,
  }));
  return { gross, discounts };
}

/** Splits an amount by weight. The cents that rounding leaves go to the largest remainders. */
export function shareOut(amount: number, weights: readonly number[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return weights.map(() => 0);
  const shares = weights.map((weight) => Math.floor((amount * weight) / whole));
  const left = amount - shares.reduce((sum, share) => sum + share, 0);
  // Whole numbers: as fractions, remainders that are equal would differ by their last bits.
  const order = weights
    .map((weight, index) => ({ index, remainder: (amount * weight) % whole }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (const { index } of order.slice(0, left)) shares[index] = (shares[index] ?? 0) + 1;
  return shares;
}

/** For each part, what each discount takes off it. They apply in order, each to what is left. */
export function discountParts(
  parts: readonly Part[],
  terms: readonly Terms[],
): readonly (readonly DiscountAmount[])[] {
  const left = parts.map(({ amount, discountable }) => (discountable ? Math.max(0, amount) : 0));
  const amounts: DiscountAmount[][] = parts.map(() => []);
  for (const { discount, percent_off: percent, amount_off: fixed, products } of terms) {
    const eligible = parts.map(
      ({ product, discountable }) =>
        discountable && (products === undefined || products.includes(product ?? "")),
    );
    const weights = left.map((amount, index) => (eligible[index] ? amount : 0));
    const base = weights.reduce((sum, weight) => sum + weight, 0);
    const off = percent === null ? (fixed ?? 0) : Math.round((base * percent) / 100);
    shareOut(Math.min(base, off), weights).forEach((amount, index) => {
      if (!eligible[index]) return;
      left[index] = (left[index] ?? 0) - amount;
      amounts[index]?.push({ amount, discount });
    });
  }
  return amounts;
}
