/**
 * Credit notes: what is taken off an invoice after it was finalized. What is still due is lowered
 * first; what was paid beyond that is refunded, credited to the customer, or given back elsewhere.
 */
import type Stripe from "stripe";
import { ApiError, invalid, refused } from "../../api/errors.js";
import { mergeMetadata, referenced } from "../../resources/common.js";
import type { Plain } from "../../world/plain.js";
import { token } from "../../world/random.js";
import type { World } from "../../world/world.js";
import { type Invoice, intentIdOf, lowerPayment } from "../invoices/invoices.js";
import { createRefund } from "../payments/refunds.js";
import { lineAmount, type NoteAmounts, type NoteLine, splitNote } from "./credit-note-terms.js";
import { changeBalance } from "./customer-balance.js";

export type CreditNote = Plain<Stripe.CreditNote>;

export interface CreditNoteParams extends Omit<NoteAmounts, "refunded"> {
  readonly invoice: string;
  readonly effective_at?: number | undefined;
  readonly memo?: string | null | undefined;
  readonly metadata?: { readonly [key: string]: string } | null | undefined;
  readonly reason?: "duplicate" | "fraudulent" | "order_change" | "product_unsatisfactory";
  readonly refund_amount?: number | undefined;
  /** Refunds that were made before. */
  readonly refunds?:
    | readonly {
        readonly refund?: string | undefined;
        readonly amount_refunded?: number | undefined;
      }[]
    | undefined;
}

/** Works a credit note out without any effect. */
export function composeNote(world: World, id: string, params: CreditNoteParams): CreditNote {
  const invoice = referenced(world, "invoice", params.invoice, "invoice");
  if ((params.amount === undefined) === (params.lines === undefined)) {
    throw invalid("You must specify exactly one of these parameters: amount, lines.", "amount");
  }
  const refunds = (params.refunds ?? []).map((each, index) => {
    const refund = referenced(world, "refund", each.refund ?? "", `refunds[${index}][refund]`);
    return {
      amount_refunded: each.amount_refunded ?? refund.amount,
      payment_record_refund: null,
      refund: refund.id,
      type: "refund" as const,
    };
  });
  const lines = (params.lines ?? []).map((line, index) => noteLine(world, line, invoice, index));
  const subtotal = params.amount ?? lines.reduce((sum, { amount }) => sum + amount, 0);
  const named = refunds.reduce((sum, { amount_refunded: amount }) => sum + amount, 0);
  const refunded = named + (params.refund_amount ?? 0);
  const split = splitNote(invoice, subtotal, { ...params, refunded });
  if (split instanceof ApiError) throw split;
  const { total, prePayment: pre, postPayment: post } = split;
  const number = world.objects.credit_note.where("invoice", invoice.id).length + 1;
  return {
    id,
    object: "credit_note",
    amount: total,
    amount_shipping: 0,
    created: world.now(),
    currency: invoice.currency,
    customer: invoice.customer ?? "",
    customer_account: null,
    customer_balance_transaction: null,
    discount_amount: 0,
    discount_amounts: [],
    effective_at: params.effective_at ?? world.now(),
    invoice: invoice.id ?? "",
    lines: { object: "list", data: lines, has_more: false, url: `/v1/credit_notes/${id}/lines` },
    livemode: world.livemode,
    memo: params.memo ?? null,
    metadata: mergeMetadata({}, params.metadata ?? {}),
    number: `${invoice.number}-CN-${String(number).padStart(2, "0")}`,
    out_of_band_amount: params.out_of_band_amount ?? null,
    pdf: `https://pay.stripe.com/credit_notes/${world.account}/${token(40, id)}/pdf`,
    post_payment_amount: post,
    pre_payment_amount: pre,
    pretax_credit_amounts: [],
    reason: params.reason ?? null,
    refunds,
    shipping_cost: null,
    status: "issued",
    subtotal: total,
    subtotal_excluding_tax: total,
    total,
    total_excluding_tax: total,
    total_taxes: [],
    type: pre === 0 ? "post_payment" : post === 0 ? "pre_payment" : "mixed",
    voided_at: null,
  };
}

function noteLine(
  world: World,
  line: NoteLine,
  invoice: Invoice,
  index: number,
): CreditNote["lines"]["data"][number] {
  const own = invoice.lines.data.find(({ id }) => id === line.invoice_line_item);
  const amount = lineAmount(line, invoice.lines.data, `lines[${index}]`);
  const custom = line.type === "custom_line_item";
  const unit = line.unit_amount_decimal ?? line.unit_amount;
  return {
    id: world.id("cnli"),
    object: "credit_note_line_item",
    amount,
    description: line.description ?? own?.description ?? null,
    discount_amount: 0,
    discount_amounts: [],
    ...(own === undefined ? {} : { invoice_line_item: own.id }),
    livemode: world.livemode,
    metadata: null,
    pretax_credit_amounts: [],
    quantity: line.quantity ?? (custom ? 1 : null),
    tax_rates: [],
    taxes: [],
    type: line.type,
    unit_amount: line.unit_amount ?? null,
    unit_amount_decimal: unit === undefined ? null : String(unit),
  };
}

/** Issues a credit note, and does what it says. What an invoice that is then settled means is the caller's. */
export function issueNote(world: World, params: CreditNoteParams): CreditNote {
  const composed = composeNote(world, world.id("cn"), params);
  const invoice = world.find("invoice", composed.invoice);
  const refunds = [...composed.refunds];
  if (params.refund_amount) {
    const { id, amount } = refundOf(world, invoice, params.refund_amount);
    refunds.push({
      amount_refunded: amount,
      payment_record_refund: null,
      refund: id,
      type: "refund",
    });
  }
  const credited = params.credit_amount
    ? changeBalance(world, composed.customer, {
        amount: -params.credit_amount,
        currency: invoice.currency,
        type: "credit_note",
        credit_note: composed.id,
        invoice: invoice.id ?? "",
      }).id
    : null;
  const note = world.objects.credit_note.add({
    ...composed,
    customer_balance_transaction: credited,
    refunds,
  });
  world.raise("credit_note.created", note);
  lower(world, invoice, note.pre_payment_amount, note.post_payment_amount);
  return note;
}

function refundOf(world: World, invoice: Invoice, amount: number) {
  const intent = world.objects.payment_intent.get(intentIdOf(world, invoice.id ?? "") ?? "");
  if (!intent?.latest_charge) {
    throw refused("This invoice was not paid by a charge that can be refunded.", "refund_amount");
  }
  return createRefund(world, { charge: intent.latest_charge, amount });
}

/** Lowers what is due by one amount, and notes that another was given back of what was paid. */
function lower(world: World, before: Invoice, pre: number, post: number): Invoice {
  const id = before.id ?? "";
  const due = before.amount_due - pre;
  const remaining = before.amount_remaining - pre;
  const { pre_payment_credit_notes_amount: lowered, post_payment_credit_notes_amount: given } =
    before;
  const after = world.change(
    "invoice",
    id,
    {
      amount_due: due,
      amount_remaining: remaining,
      pre_payment_credit_notes_amount: lowered + pre,
      post_payment_credit_notes_amount: given + post,
    },
    "invoice.updated",
  );
  if (pre !== 0 && remaining > 0) lowerPayment(world, id, remaining);
  return after;
}

/** Takes a credit note back, which is possible as long as its invoice is not settled. */
export function voidNote(world: World, id: string): CreditNote {
  const note = world.find("credit_note", id);
  if (note.status === "void") throw refused("This credit note is void already.");
  const invoice = world.find("invoice", note.invoice);
  if (note.post_payment_amount > 0 || invoice.status !== "open") {
    throw refused("You can only void credit notes that are associated with open invoices.");
  }
  lower(world, invoice, -note.pre_payment_amount, 0);
  const after = world.patch("credit_note", id, { status: "void", voided_at: world.now() });
  world.raise("credit_note.voided", after);
  return after;
}
