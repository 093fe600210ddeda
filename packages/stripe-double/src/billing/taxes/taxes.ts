/** What is taxed, and how much it is, to the cent. Amounts are those after discounts. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";

export type TaxRate = Plain<Stripe.TaxRate>;

/** What one rate takes on an amount; of an inclusive rate it is part of the amount. */
export interface Tax {
  readonly amount: number;
  /** The amount without any tax. */
  readonly taxable: number;
  readonly rate: TaxRate;
}

/** Rates have up to four decimals; counted in ten-thousandths, sums of them stay exact. */
const EXACT = 10_000;
const exact = ({ percentage }: TaxRate): number => Math.round(percentage * EXACT);

/** Half a cent is rounded away from zero, so that a credit has the tax of the charge it takes back. */
const rounded = (amount: number): number => Math.sign(amount) * Math.round(Math.abs(amount)) || 0;

/**
 * Each rate counts on the amount without tax, and not on another rate's tax. What inclusive rates
 * take is inside the amount; what exclusive ones take comes on top.
 */
export function taxesOn(amount: number, rates: readonly TaxRate[]): Tax[] {
  const whole = 100 * EXACT;
  const inside = rates
    .filter(({ inclusive }) => inclusive)
    .reduce((sum, rate) => sum + exact(rate), 0);
  const included = rounded((amount * inside) / (whole + inside));
  return rates.map((rate) => ({
    amount: rate.inclusive
      ? rounded((amount * exact(rate)) / (whole + inside))
      : rounded(((amount - included) * exact(rate)) / whole),
    taxable: amount - included,
    rate,
  }));
}

const sumOf = (taxes: readonly Tax[]): number => taxes.reduce((sum, { amount }) => sum + amount, 0);

export const includedIn = (taxes: readonly Tax[]): number =>
  sumOf(taxes.filter(({ rate }) => rate.inclusive));

export const addedBy = (taxes: readonly Tax[]): number =>
  sumOf(taxes.filter(({ rate }) => !rate.inclusive));
