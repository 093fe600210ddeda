/** What the lines of a preview say. Pure. */
import type Stripe from "stripe";

type Line = Pick<
  Stripe.InvoiceLineItem,
  "amount" | "discount_amounts" | "parent" | "period" | "taxes"
>;

export const isProration = ({ parent }: Pick<Line, "parent">): boolean =>
  (parent?.subscription_item_details?.proration ?? false) ||
  (parent?.invoice_item_details?.proration ?? false);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** What a line adds to the total: less its discounts, with the taxes that come on top. */
function netOf({ amount, discount_amounts: discounts, taxes }: Line): number {
  const added = (taxes ?? []).filter(({ tax_behavior: how }) => how === "exclusive");
  return (
    amount -
    sum((discounts ?? []).map((each) => each.amount)) +
    sum(added.map((each) => each.amount))
  );
}

/** What of an invoice comes again with each period, and when this one ends. */
export function recurringPart({ lines }: { readonly lines: { readonly data: readonly Line[] } }): {
  readonly amount: number;
  readonly end: number;
} {
  const periods = lines.data.filter(
    (line) => line.parent?.subscription_item_details && !isProration(line),
  );
  return {
    amount: sum(periods.map(netOf)),
    end: Math.max(0, ...periods.map(({ period }) => period.end)),
  };
}

/** What an invoice leaves on the customer's balance: a credit, or what is too little to be charged. */
export const leftOver = ({
  starting_balance: before,
  total,
  amount_due: due,
}: Pick<Stripe.Invoice, "starting_balance" | "total" | "amount_due">): number =>
  before + total - due;

/** Seconds: the moment that the prorations were worked out for, by Stripe's clock. */
export const prorationDateOf = ({
  parent,
  created,
}: Pick<Stripe.Invoice, "parent" | "created">): number =>
  parent?.subscription_details?.subscription_proration_date ?? created;
