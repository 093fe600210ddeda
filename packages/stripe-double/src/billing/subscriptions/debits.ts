/**
 * What was debited for an item of a subscription, and for which time. It is read from the invoices
 * and the items that wait for one; nothing else keeps it. A credit for unused time ends a debit
 * where the credit begins. A void invoice, and that of an update that waits to be paid for, debits and
 * credits nothing.
 */
import type { World } from "../../world/world.js";
import type { Invoice, InvoiceLine } from "../invoices/draft.js";
import type { CreditedItems, InvoiceItem } from "../invoices/invoice-items.js";
import { subscriptionOf } from "../invoices/invoices.js";
import { type Amounts, type DiscountAmount, partOf, sumOf } from "../invoices/shares.js";

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
    .filter((invoice) => invoice.status !== "void" && !isAwaited(world, invoice));
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
  const periods = invoices.flatMap(({ lines: { data } }) => periodDebits(data, item));
  const charges = prorations.flatMap((charge) => prorationDebit(charge, lines) ?? []);
  const debits = [...periods, ...charges];
  return debits.map((debit) => ({ ...debit, until: creditedFrom(debit, prorations, lines) }));
}

/** Whether an invoice is that of an update which is not made before it is paid for. */
function isAwaited(world: World, invoice: Invoice): boolean {
  const owner = world.objects.subscription.get(subscriptionOf(invoice) ?? "");
  return (
    owner !== undefined && owner.pending_update !== null && owner.latest_invoice === invoice.id
  );
}

/** What an invoice debits for an item, period by period: a tiered price has several lines for one. */
function periodDebits(lines: readonly InvoiceLine[], item: string): Debit[] {
  const debits = new Map<string, Debit>();
  for (const line of lines) {
    const details = line.parent?.subscription_item_details;
    if (details?.subscription_item !== item || details.proration || line.amount <= 0) continue;
    const { start, end } = line.period;
    const known = debits.get(`${start} ${end}`);
    debits.set(`${start} ${end}`, {
      source: invoiced(line, lineIds(known?.source)),
      period: { start, end },
      until: end,
      gross: (known?.gross ?? 0) + line.amount,
      discounts: together([...(known?.discounts ?? []), ...(line.discount_amounts ?? [])]),
    });
  }
  return [...debits.values()];
}

/** The same discounts, each once. */
function together(amounts: readonly DiscountAmount[]): DiscountAmount[] {
  return [...new Set(amounts.map(({ discount }) => discount))].map((discount) => ({
    amount: sumOf(amounts.filter((each) => each.discount === discount)),
    discount,
  }));
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

const lineIds = (source: CreditedItems | null | undefined): readonly string[] =>
  source?.invoice_line_item_details?.invoice_line_items ?? [];

const invoiced = (line: InvoiceLine, others: readonly string[] = []): CreditedItems => ({
  type: "invoice_line_items",
  invoice_line_item_details: {
    invoice: line.invoice ?? "",
    invoice_line_items: [...others, line.id],
  },
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
  return lineIds(source).map((id) => {
    const line = lines.find((each) => each.id === id);
    return (line && itemOf(line)) ?? id;
  });
}
