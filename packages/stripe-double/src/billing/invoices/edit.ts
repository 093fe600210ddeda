/** Changing what is on a draft: items put on it and taken off, other discounts, other taxes. */
import { ApiError } from "../../api/errors.js";
import type { World } from "../../world/world.js";
import { noteUse } from "./discounts.js";
import type { Invoice, InvoiceLine } from "./draft.js";
import type { InvoiceItem } from "./invoice-items.js";
import { itemLine } from "./lines.js";
import { itemIdOf, withLines } from "./reprice.js";

/** The invoice, if it still is a draft. What is finalized stays as it is (docs: invoicing/overview). */
export function editableInvoice(world: World, id: string, param?: string): Invoice {
  const invoice = world.find("invoice", id, param);
  if (invoice.status === "draft") return invoice;
  throw new ApiError(400, {
    type: "invalid_request_error",
    code: "invoice_not_editable",
    message: "This invoice is no longer editable.",
    ...(param === undefined ? {} : { param }),
  });
}

type Changes = Partial<Pick<Invoice, "automatic_tax" | "default_tax_rates" | "discounts">>;

/** Gives a draft these lines and terms, with the totals that follow from them. */
export function editInvoice(
  world: World,
  id: string,
  lines: readonly InvoiceLine[],
  changes: Changes = {},
): Invoice {
  const invoice = { ...editableInvoice(world, id), ...changes };
  noteUse(world, [
    ...invoice.discounts,
    ...lines.flatMap(({ discountable, discounts }) => (discountable ? discounts : [])),
  ]);
  return world.change(
    "invoice",
    id,
    { ...changes, ...withLines(world, invoice, lines) },
    "invoice.updated",
  );
}

/** Puts items on a draft; they wait no longer. */
export function putOnInvoice(world: World, id: string, items: readonly InvoiceItem[]): Invoice {
  const { lines } = editableInvoice(world, id);
  const added = items.map((item): InvoiceLine => {
    world.patch("invoiceitem", item.id, { invoice: id });
    const { rates: _, ...line } = itemLine(world, item);
    return { ...line, id: world.id("il"), invoice: id };
  });
  return editInvoice(world, id, [...lines.data, ...added]);
}

/** Takes an item off the draft that it is on, if it is on one. */
export function takeOffInvoice(world: World, item: InvoiceItem): void {
  if (item.invoice === null) return;
  const { lines } = editableInvoice(world, item.invoice);
  const left = lines.data.filter((line) => itemIdOf(line) !== item.id);
  editInvoice(world, item.invoice, left);
}

/** Shows an item as it is now on the draft that it is on. */
export function refreshOnInvoice(world: World, item: InvoiceItem): void {
  if (item.invoice === null) return;
  const { lines } = editableInvoice(world, item.invoice);
  const { rates: _, ...shown } = itemLine(world, item);
  const data = lines.data.map((line) =>
    itemIdOf(line) === item.id ? { ...shown, id: line.id, invoice: line.invoice } : line,
  );
  editInvoice(world, item.invoice, data);
}
