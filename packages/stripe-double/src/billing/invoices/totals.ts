/** What the lines of an invoice come to: discounts and taxes by line, totals, and what is to be paid. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { creditsFor, type PretaxAmount, pretaxCredit } from "../credits/apply.js";
import { leastCharge } from "../money.js";
import { isExempt, ratesFor, type TaxTerms, taxabilityReason } from "../taxes/rates.js";
import { addedBy, includedIn, type Tax, type TaxRate, taxesOn } from "../taxes/taxes.js";
import { termsOf } from "./discounts.js";
import { type DiscountAmount, discountParts, sumOf } from "./shares.js";

type Invoice = Plain<Stripe.Invoice>;
type InvoiceLine = Plain<Stripe.InvoiceLineItem>;

/** A line with the tax rates of its own. */
type PricedLine = InvoiceLine & { readonly rates?: readonly TaxRate[] };

export interface PricingTerms {
  readonly customer: Plain<Stripe.Customer>;
  readonly currency: string;
  readonly discounts: readonly string[];
  readonly taxes: TaxTerms;
  /** Whether it is an invoice of a subscription: only these are paid with billing credits. */
  readonly takesCredits: boolean;
}

type Totals = Pick<
  Invoice,
  | "subtotal"
  | "subtotal_excluding_tax"
  | "total"
  | "total_excluding_tax"
  | "total_discount_amounts"
  | "total_pretax_credit_amounts"
  | "total_taxes"
  | "amount_due"
  | "amount_remaining"
  | "starting_balance"
>;

/**
 * What is to be paid for an invoice, and what the customer's balance is then. What is owed to the
 * customer stays there, and so does an amount that is too small to be charged: the next invoice
 * takes it along.
 */
export function settle(
  total: number,
  balance: number,
  currency: string,
): { readonly due: number; readonly balance: number } {
  const owed = total + balance;
  return owed < leastCharge(currency) ? { due: 0, balance: owed } : { due: owed, balance: 0 };
}

/**
 * Discounts of a line come before those of the invoice, then billing credits, and taxes after all
 * of them. Prorations bring their discounts along.
 */
export function priceLines(
  world: World,
  given: readonly PricedLine[],
  terms: PricingTerms,
): { readonly lines: InvoiceLine[]; readonly totals: Totals } {
  const { customer, currency, discounts, taxes: taxTerms } = terms;
  const own = given.map((line) => ownDiscounts(world, line));
  const parts = given.map(({ amount, discountable, pricing }, index) => ({
    amount: amount - sumOf(own[index] ?? []),
    discountable,
    product: pricing?.price_details?.product,
  }));
  const amounts = discountParts(parts, termsOf(world, discounts));
  const reason = taxabilityReason(taxTerms.automatic, customer.tax_exempt);
  const discounted = given.map((line, index) =>
    line.discountable
      ? [...(own[index] ?? []), ...(amounts[index] ?? [])]
      : (line.discount_amounts ?? []),
  );
  const left = given.map(({ amount }, index) => amount - sumOf(discounted[index] ?? []));
  const credited = terms.takesCredits ? creditsFor(world, customer.id, given, left) : [];
  const priced = given.map(({ rates = [], ...line }, index) => {
    const applied = discounted[index] ?? [];
    const credits = credited[index] ?? [];
    const before = line.amount - sumOf(own[index] ?? []);
    const apply = ratesFor(world, taxTerms, rates, line.pricing?.price_details?.price);
    const taxes = isExempt(customer.tax_exempt)
      ? apply.map((rate): Tax => ({ amount: 0, taxable: 0, rate }))
      : taxesOn((left[index] ?? 0) - sumOf(credits), apply);
    const untaxed = isExempt(customer.tax_exempt) ? 0 : includedIn(taxesOn(before, apply));
    return {
      line: {
        ...line,
        discount_amounts: [...applied],
        pretax_credit_amounts: [
          ...pretaxDiscounts(applied),
          ...credits.map(({ amount }) => pretaxCredit(amount, null)),
        ],
        taxes: taxes.map((tax) => shown(tax, reason)),
      },
      taxes,
      before,
      untaxed: before - untaxed,
    };
  });
  const lines = priced.map(({ line }) => line);
  const off = lines.flatMap(({ discount_amounts: applied }) => applied);
  const taxes = priced.flatMap((each) => each.taxes);
  const credits = credited.flat();
  const total = sumOf(lines) - sumOf(off) - sumOf(credits) + addedBy(taxes);
  const byEach = byDiscount(off, discounts);
  const { due } = settle(total, customer.balance, currency);
  return {
    lines,
    totals: {
      subtotal: priced.reduce((sum, { before }) => sum + before, 0),
      subtotal_excluding_tax: priced.reduce((sum, { untaxed }) => sum + untaxed, 0),
      total,
      total_excluding_tax: total - addedBy(taxes) - includedIn(taxes),
      total_discount_amounts: byEach,
      total_pretax_credit_amounts: [
        ...pretaxDiscounts(byEach),
        ...credits.map(({ amount }) => pretaxCredit(amount, null)),
      ],
      total_taxes: byRate(taxes).map((tax) => shown(tax, reason)),
      amount_due: due,
      amount_remaining: due,
      starting_balance: customer.balance,
    },
  };
}

/** What the discounts of a line itself take off it. */
function ownDiscounts(world: World, line: InvoiceLine): readonly DiscountAmount[] {
  if (!line.discountable || line.discounts.length === 0) return [];
  const { amount, discountable, pricing } = line;
  const part = { amount, discountable, product: pricing?.price_details?.product };
  return discountParts([part], termsOf(world, line.discounts))[0] ?? [];
}

function byDiscount(
  parts: readonly DiscountAmount[],
  discounts: readonly string[],
): DiscountAmount[] {
  const named = [...new Set([...discounts, ...parts.map(({ discount }) => discount)])];
  return named
    .map((discount) => ({
      amount: sumOf(parts.filter((part) => part.discount === discount)),
      discount,
    }))
    .filter(({ amount, discount }) => amount !== 0 || discounts.includes(discount));
}

const pretaxDiscounts = (parts: readonly DiscountAmount[]): PretaxAmount[] =>
  parts.map(({ amount, discount }) => ({ amount, discount, type: "discount" }));

function byRate(taxes: readonly Tax[]): Tax[] {
  const rates = new Map(taxes.map(({ rate }) => [rate.id, rate]));
  return [...rates.values()].map((rate) => {
    const same = taxes.filter((tax) => tax.rate.id === rate.id);
    const taxable = same.reduce((sum, tax) => sum + tax.taxable, 0);
    return { amount: sumOf(same), taxable, rate };
  });
}

function shown(
  { amount, taxable, rate }: Tax,
  taxability_reason: ReturnType<typeof taxabilityReason>,
): NonNullable<Invoice["total_taxes"]>[number] {
  return {
    amount,
    tax_behavior: rate.inclusive ? "inclusive" : "exclusive",
    tax_rate_details: { tax_rate: rate.id },
    taxability_reason,
    taxable_amount: taxable,
    type: "tax_rate_details",
  };
}
