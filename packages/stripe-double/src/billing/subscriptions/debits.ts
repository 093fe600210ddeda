/**
 * What was debited for an item of a subscription, and for which time. It is read from the invoices
 * and the items that wait for one; nothing else keeps it. A credit for unused time ends a debit
 * where the credit begins, and a void invoice debits and credits nothing.
 */
import type { World } from "../../world/world.js";
import type { InvoiceLine } from "../invoices/draft.js";
import type { CreditedItems, InvoiceItem } from "../invoices/invoice-items.js";
import { type Amounts, partOf, sumOf } from "../invoices/shares.js";

export interface Debit extends Amounts {
  /** What a credit for it refers to. */
  readonly source: CreditedItems | null;
  readonly period: { readonly start: number; readonly end: number };
  /** From here on it has been credited; the end of the period if it has not been. */
  readonly until: number;
}

/** What is left of a debit for the time after a moment. */
export function unused(debit: Debit, after: number): Amounts {
  const { start, end } = debit.period;
  const from = Math.max(after, start);
  return partOf(debit, end === start ? 0 : Math.max(0, debit.until - from) / (end - start));
}

/** All debits for an item, oldest first. */
export function debitsOf(world: World, customer: string, item: string): Debit[] {
  const invoices = world.objects.invoice
    .where("customer", customer)
    .filter(({ status }) => status !== "void");
  const lines = invoices.flatMap(({ lines: { data } }) => data);
  const counts = new Set(invoices.map(({ id }) => id));
  const prorations = world.objects.invoiceitem
    .where("customer", customer)
    .filter(
      ({ proration, parent, invoice }) =>
        proration &&
        parent?.subscription_details?.subscription_item === item &&
        (invoice === null || counts.has(invoice)),
    );
  const periods = lines.flatMap((line) => periodDebit(line, item) ?? []);
  const charges = prorations.flatMap((charge) => prorationDebit(charge, lines) ?? []);
  const debits = [...periods, ...charges];
  return debits.map((debit) => ({ ...debit, until: creditedFrom(debit, prorations, lines) }));
}

function periodDebit(line: InvoiceLine, item: string): Debit | undefined {
  const details = line.parent?.subscription_item_details;
  if (details?.subscription_item !== item || details.proration || line.amount <= 0)
    return undefined;
  const { start, end } = line.period;
  return {
    source: invoiced(line),
    period: { start, end },
    until: end,
    gross: line.amount,
    discounts: line.discount_amounts ?? [],
  };
}

function prorationDebit(item: InvoiceItem, lines: readonly InvoiceLine[]): Debit | undefined {
  if (item.amount <= 0) return undefined;
  const discounts = item.proration_details?.discount_amounts ?? [];
  const { start, end } = item.period;
  const line = lines.find((each) => itemOf(each) === item.id);
  return {
    source: line ? invoiced(line) : { type: "invoice_item", invoice_item: item.id },
    period: { start, end },
    until: end,
    gross: (item.net_amount ?? item.amount) + sumOf(discounts),
    discounts,
  };
}

const itemOf = (line: InvoiceLine) => line.parent?.subscription_item_details?.invoice_item;

const invoiced = (line: InvoiceLine): CreditedItems => ({
  type: "invoice_line_items",
  invoice_line_item_details: { invoice: line.invoice ?? "", invoice_line_items: [line.id] },
});

/** Where the earliest credit for a debit begins. */
function creditedFrom(
  debit: Debit,
  prorations: readonly InvoiceItem[],
  lines: readonly InvoiceLine[],
): number {
  const ids = namesOf(debit.source, lines);
  const starts = prorations
    .filter(({ proration_details: details }) =>
      namesOf(details?.credited_items, lines).some((id) => ids.includes(id)),
    )
    .map(({ period }) => period.start);
  return Math.min(debit.period.end, ...starts);
}

/** The ids under which a debit is known: a credit may be older than the line that bills the debit. */
function namesOf(
  source: CreditedItems | null | undefined,
  lines: readonly InvoiceLine[],
): readonly string[] {
  if (source?.invoice_item) return [source.invoice_item];
  const ids = source?.invoice_line_item_details?.invoice_line_items ?? [];
  return ids.map((id) => {
    const line = lines.find((each) => each.id === id);
    return (line && itemOf(line)) ?? id;
  });
}
