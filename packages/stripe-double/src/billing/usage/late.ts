/** Usage that is reported while an invoice for its period is a draft: it counts until finalization. */
import type { World } from "../../world/world.js";
import type { Invoice, InvoiceLine } from "../invoices/draft.js";
import type { NewLine } from "../invoices/lines.js";
import { periodLines } from "../invoices/subscription-lines.js";
import { isMetered } from "../prices/rates.js";
import { quantityUsed } from "./metered.js";

/** The lines of a draft with what was used by now; undefined if it has none for usage. */
export function linesWithUsage(world: World, draft: Invoice): InvoiceLine[] | undefined {
  const done = new Set<string>();
  const lines = draft.lines.data.flatMap((line): InvoiceLine[] => {
    const name = usageName(world, line);
    if (name === undefined) return [line];
    if (done.has(name)) return [];
    done.add(name);
    const old = draft.lines.data.filter((each) => usageName(world, each) === name);
    return usedNow(world, draft, line).map((fresh, index) => ({
      ...fresh,
      id: old[index]?.id ?? world.id("il"),
      invoice: draft.id,
    }));
  });
  return done.size === 0 ? undefined : lines;
}

/** What several lines for the usage of one item in one period have in common. */
function usageName(world: World, { parent, period, pricing, subscription }: InvoiceLine) {
  const item = parent?.subscription_item_details;
  const price = world.objects.price.get(pricing?.price_details?.price ?? "");
  const owner = world.objects.subscription.get(subscription ?? "");
  const isTrial = owner?.trial_end === period.end;
  // A period that begins with the invoice is shown beforehand, in classic billing mode.
  if (!item || item.invoice_item !== null || !price || !isMetered(price) || isTrial)
    return undefined;
  if (period.end > world.now()) return undefined;
  return `${item.subscription_item} ${period.start} ${period.end}`;
}

function usedNow(world: World, draft: Invoice, line: InvoiceLine): NewLine[] {
  const { period, subscription } = line;
  const price = world.find("price", line.pricing?.price_details?.price ?? "");
  const id = line.parent?.subscription_item_details?.subscription_item ?? "";
  const item = { id, price };
  const quantity = quantityUsed(world, draft.customer ?? "", item, period);
  const owner = { id: subscription ?? "", currency: draft.currency };
  return periodLines(world, { subscription: owner, item, period }, quantity);
}
