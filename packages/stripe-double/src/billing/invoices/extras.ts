/** What a request adds to the next invoice of a subscription beside its items: `add_invoice_items`. */
import { refused } from "../../api/errors.js";
import { referenced } from "../../resources/common.js";
import type { World } from "../../world/world.js";
import { amountOf, hasCurrency } from "../prices/rates.js";
import { createInvoiceItem, type NewInvoiceItem } from "./invoice-items.js";

/** A price that is paid once, and how many of it. */
export interface Extra {
  readonly price: string;
  readonly quantity?: number | null | undefined;
  readonly metadata?: { [key: string]: string } | null | undefined;
}

/** Refuses what cannot be added to an invoice. */
export function checkExtras(world: World, extras: readonly Extra[]): void {
  const param = "add_invoice_items";
  if (extras.length > 20) throw refused("You may pass up to 20 items.", param);
  extras.forEach(({ price }, index) => {
    const at = `${param}[${index}][price]`;
    const { type, active } = referenced(world, "price", price, at);
    if (type !== "one_time") {
      throw refused(
        "The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`.",
        at,
      );
    }
    if (!active && !world.inline.has(price)) {
      throw refused("The price specified is inactive. This field only accepts active prices.", at);
    }
  });
}

/** The invoice items that they become, for the period that all items of the subscription share. */
export function extraItems(
  world: World,
  { id, currency: wanted, customer, items }: Owner,
  extras: readonly Extra[],
): NewInvoiceItem[] {
  const period = {
    start: Math.max(...items.data.map((item) => item.current_period_start)),
    end: Math.min(...items.data.map((item) => item.current_period_end)),
  };
  return extras.map((extra) => {
    const price = world.find("price", extra.price);
    const quantity = extra.quantity ?? 1;
    const currency = hasCurrency(world, price, wanted) ? wanted : price.currency;
    return {
      customer,
      amount: amountOf(world, price, quantity, currency),
      currency,
      description: world.objects.product.get(price.product)?.name ?? null,
      metadata: extra.metadata ?? {},
      period,
      price,
      quantity,
      subscription: { id },
    };
  });
}

/** A subscription, as far as its extras are concerned. */
interface Owner {
  readonly id: string;
  readonly currency: string;
  readonly customer: string;
  readonly items: {
    readonly data: readonly {
      readonly current_period_start: number;
      readonly current_period_end: number;
    }[];
  };
}

/** Lets them wait for the next invoice of the subscription. */
export function addExtras(world: World, owner: Owner, extras: readonly Extra[]): void {
  for (const item of extraItems(world, owner, extras)) createInvoiceItem(world, item);
}
