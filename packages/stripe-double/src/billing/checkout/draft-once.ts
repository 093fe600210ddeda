/** The draft of an invoice for what is paid once: an invoice item for each line that was sold. */
import type { World } from "../../world/world.js";
import { type Draft, draftInvoice } from "../invoices/draft.js";
import { createInvoiceItem } from "../invoices/invoice-items.js";
import type { Invoice } from "../invoices/invoices.js";
import { itemLine } from "../invoices/lines.js";
import type { TaxRate } from "../taxes/taxes.js";
import type { LineItem } from "./lines.js";

export function draftOnce(
  world: World,
  sold: readonly LineItem[],
  terms: Omit<Draft, "lines" | "period">,
  /** For each line, the taxes of its own. */
  rates: readonly (readonly TaxRate[] | undefined)[] = [],
): Invoice {
  const { customer, currency } = terms;
  const items = sold.flatMap(({ price, quantity, ...line }, index) =>
    price === null
      ? []
      : createInvoiceItem(world, {
          customer,
          amount: line.amount_subtotal,
          currency,
          description: line.description,
          price,
          quantity: quantity ?? 1,
          tax_rates: rates[index],
        }),
  );
  const draft = draftInvoice(world, {
    ...terms,
    lines: items.map((item) => itemLine(world, item)),
    period: { start: world.now(), end: world.now() },
  });
  for (const item of items) world.patch("invoiceitem", item.id, { invoice: draft.id });
  return draft;
}
