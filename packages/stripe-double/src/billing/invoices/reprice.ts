/** A draft with other lines or terms: what they come to, with the discounts and taxes it has. */
import type { World } from "../../world/world.js";
import type { TaxRate } from "../taxes/taxes.js";
import type { Invoice, InvoiceLine } from "./draft.js";
import { priceLines } from "./totals.js";

/** The lines, and the totals that follow from them. */
export function withLines(
  world: World,
  draft: Invoice,
  lines: readonly InvoiceLine[],
): Partial<Invoice> {
  const { currency, discounts } = draft;
  const priced = priceLines(
    world,
    lines.map((line) => ({ ...line, rates: ratesOf(world, line) })),
    {
      customer: world.find("customer", draft.customer ?? "", "customer"),
      currency,
      discounts,
      taxes: { automatic: draft.automatic_tax.enabled, defaults: draft.default_tax_rates },
      takesCredits: Boolean(draft.parent?.subscription_details),
    },
  );
  return { ...priced.totals, lines: { ...draft.lines, data: priced.lines } };
}

/** The invoice item that a line bills. */
export function itemIdOf({ parent }: InvoiceLine): string | undefined {
  return (
    parent?.invoice_item_details?.invoice_item ??
    parent?.subscription_item_details?.invoice_item ??
    undefined
  );
}

/** The rates that a line has of its own: those of the item that it bills. */
function ratesOf(world: World, line: InvoiceLine): readonly TaxRate[] {
  const item = itemIdOf(line);
  if (item !== undefined) return world.objects.invoiceitem.get(item)?.tax_rates ?? [];
  const details = line.parent?.subscription_item_details;
  const owner = world.objects.subscription.get(details?.subscription ?? "");
  return owner?.items.data.find(({ id }) => id === details?.subscription_item)?.tax_rates ?? [];
}
