/**
 * Amounts of money as people write them, and prices made of them. Amounts are text, because money is
 * no float: `usd("19.99")` is 1999 of the smallest unit.
 */

/** How often a price is charged. */
export type Interval = "day" | "week" | "month" | "year";

/** A price that is charged again and again. */
export interface RecurringPrice {
  /** In the smallest unit of the currency. */
  readonly amount: number;
  readonly currency: string;
  readonly interval: Interval;
  readonly intervalCount: number;
  /** Whether it is sold times the number that the setting `seats` counts. */
  readonly isPerSeat: boolean;
}

/** An amount of money. */
export interface Money {
  /** In the smallest unit of the currency; with a fraction for usage that costs less than one. */
  readonly amount: number;
  readonly currency: string;
  readonly isPerSeat: boolean;
  /** Sold times the number that the setting `seats` counts. A price without it has the quantity 1. */
  perSeat(): Money;
  /** Charged every month. */
  monthly(): RecurringPrice;
  /** Charged every year. */
  yearly(): RecurringPrice;
  /** Every so many of an interval: `usd("50").every(3, "month")`. */
  every(count: number, interval: Interval): RecurringPrice;
}

/** An amount in US dollars: `usd("20")`, `usd("0.01")`. */
export const usd = (amount: string): Money => money(amount, "usd");

/** An amount in euros. */
export const eur = (amount: string): Money => money(amount, "eur");

/** An amount in any currency, by its three letters. */
export function money(amount: string, currency: string): Money {
  const code = String(currency).toLowerCase();
  if (!/^[a-z]{3}$/.test(code)) {
    throw new RangeError(
      `A currency has three letters, such as "usd"; ${JSON.stringify(currency)} has not.`,
    );
  }
  return amountOf(smallestUnits(amount, code), code, false);
}

function amountOf(amount: number, currency: string, isPerSeat: boolean): Money {
  const every = (intervalCount: number, interval: Interval): RecurringPrice => ({
    amount,
    currency,
    interval,
    intervalCount,
    isPerSeat,
  });
  return {
    amount,
    currency,
    isPerSeat,
    perSeat: () => amountOf(amount, currency, true),
    monthly: () => every(1, "month"),
    yearly: () => every(1, "year"),
    every,
  };
}

/** Currencies whose smallest unit is not a hundredth, as Stripe counts them. */
const NO_DECIMALS = new Set(
  "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" "),
);
const THREE_DECIMALS = new Set("bhd jod kwd omr tnd".split(" "));

/** How many digits of a currency stand behind the point. */
const decimalsOf = (currency: string): number =>
  NO_DECIMALS.has(currency) ? 0 : THREE_DECIMALS.has(currency) ? 3 : 2;

/** The most digits that Stripe takes behind the point of a smallest unit. */
const MOST_FRACTION = 12;

/** Moves the point in the text, so that nothing is rounded on the way. */
function smallestUnits(text: string, currency: string): number {
  const [, whole, fraction = ""] = /^(\d{1,10})(?:\.(\d+))?$/.exec(String(text)) ?? [];
  const decimals = decimalsOf(currency);
  if (whole === undefined || fraction.length > decimals + MOST_FRACTION) {
    throw new RangeError(
      `${JSON.stringify(text)} is not an amount of money. Write it as text with digits and a point, such as "20" or "0.01".`,
    );
  }
  const digits = fraction.padEnd(decimals, "0");
  const rest = digits.slice(decimals);
  return Number(`${whole}${digits.slice(0, decimals)}${rest === "" ? "" : `.${rest}`}`);
}

/** A number of smallest units as Stripe's `unit_amount_decimal` has it. */
export const decimalText = (amount: number): string =>
  Number.isInteger(amount)
    ? String(amount)
    : amount.toFixed(MOST_FRACTION).replace(/0+$/, "").replace(/\.$/, "");

/** A number of smallest units as people write it: the other way round from `usd`. */
export function amountText(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  const [whole = "0", fraction = ""] = decimalText(amount).split(".");
  const digits = whole.padStart(decimals + 1, "0");
  const split = digits.length - decimals;
  const behind = `${digits.slice(split)}${fraction}`.replace(/0+$/, "");
  const cents = behind === "" ? "" : `.${behind.padEnd(Math.min(decimals, 2), "0")}`;
  return `${digits.slice(0, split)}${cents}`;
}
