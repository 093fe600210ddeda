/** What a credit note takes off: how much of it lowers what is still due, and how the rest is given back. */
import { type ApiError, invalid, notModelled, refused } from "../../api/errors.js";
import type { Invoice, InvoiceLine } from "../invoices/draft.js";
import { money } from "../money.js";

export interface NoteLine {
  readonly type: "custom_line_item" | "invoice_line_item";
  readonly amount?: number | undefined;
  readonly description?: string | undefined;
  readonly invoice_line_item?: string | undefined;
  readonly quantity?: number | undefined;
  readonly unit_amount?: number | undefined;
  readonly unit_amount_decimal?: string | undefined;
}

export interface NoteAmounts {
  readonly amount?: number | undefined;
  readonly lines?: readonly NoteLine[] | undefined;
  readonly credit_amount?: number | undefined;
  readonly out_of_band_amount?: number | undefined;
  /** What new refunds give back, and those that are only named. */
  readonly refunded: number;
}

export interface NoteSplit {
  readonly total: number;
  /** What lowers the amount that is still due. */
  readonly prePayment: number;
  /** What is given back of what was paid. */
  readonly postPayment: number;
}

/** Splits a credit note of so much, or says why Stripe would not take it. */
export function splitNote(
  invoice: Pick<
    Invoice,
    | "amount_remaining"
    | "currency"
    | "post_payment_credit_notes_amount"
    | "pre_payment_credit_notes_amount"
    | "status"
    | "total"
  >,
  total: number,
  { credit_amount: credited = 0, out_of_band_amount: elsewhere = 0, refunded }: NoteAmounts,
): NoteSplit | ApiError {
  const { currency, status } = invoice;
  if (status !== "open" && status !== "paid" && status !== "uncollectible") {
    return refused(
      `Credit notes can only be created for invoices that are open, paid or uncollectible; this one is ${status}.`,
      "invoice",
    );
  }
  if (total < 1) {
    return invalid(
      "This value must be greater than or equal to 1.",
      "amount",
      "parameter_invalid_integer",
    );
  }
  const left =
    invoice.total -
    invoice.pre_payment_credit_notes_amount -
    invoice.post_payment_credit_notes_amount;
  if (total > left) {
    return refused(
      `The amount of the credit note (${money(total, currency)}) is greater than what can still be credited for the invoice (${money(left, currency)}).`,
      "amount",
    );
  }
  const prePayment = Math.min(total, invoice.amount_remaining);
  const postPayment = total - prePayment;
  const given = credited + elsewhere + refunded;
  if (given !== postPayment) {
    return refused(
      `The sum of credit amount, refund amount and out of band amount (${money(given, currency)}) must equal the post payment amount of the credit note (${money(postPayment, currency)}).`,
    );
  }
  return { total, prePayment, postPayment };
}

/** The amount of each line of a note, for the lines of the invoice that it credits. */
export function lineAmount(line: NoteLine, lines: readonly InvoiceLine[], at: string): number {
  const { amount, invoice_line_item: credited, quantity, unit_amount: unit } = line;
  if (line.type === "custom_line_item") {
    const each = unit ?? Number(line.unit_amount_decimal ?? Number.NaN);
    if (Number.isNaN(each)) {
      throw invalid(`Missing required param: ${at}[unit_amount].`, `${at}[unit_amount]`, MISSING);
    }
    return Math.round(each * (quantity ?? 1));
  }
  const own = lines.find(({ id }) => id === credited);
  if (own === undefined) {
    throw invalid(`No such invoice line item: '${credited}'`, `${at}[invoice_line_item]`);
  }
  const off = [...(own.discount_amounts ?? []), ...(own.pretax_credit_amounts ?? [])];
  if (off.some((each) => each.amount !== 0) || own.taxes?.length) {
    throw notModelled(
      "credit notes for single lines with discounts, billing credits or taxes",
      `${at}[type]`,
    );
  }
  if (amount !== undefined) return amount;
  if (quantity === undefined) {
    throw invalid(`Missing required param: ${at}[quantity].`, `${at}[quantity]`, MISSING);
  }
  return Math.round((own.amount / (own.quantity ?? 1)) * quantity);
}

const MISSING = "parameter_missing";
