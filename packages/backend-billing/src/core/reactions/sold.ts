/** What the items of a subscription sell, in a form that can be compared. Pure. */
import type { Seen, SeenItem, SeenPrice } from "./standing.js";

export interface Sold {
  /** The prices and their products. */
  readonly what: string;
  /** How many of each price that is not metered. */
  readonly quantities: string;
}

/** Null if the content does not show all items. The ids and the order of items mean nothing. */
export function sold({ items }: Seen): Sold | null {
  if (!items?.data || items.has_more === true) return null;
  const lines = items.data.map(lineOf);
  return {
    what: textOf(lines.map(({ price, product }) => [price, product])),
    quantities: textOf(lines.map(({ price, quantity }) => [price, quantity])),
  };
}

function lineOf({ price, plan, quantity }: SeenItem) {
  const sells = price ?? plan ?? {};
  return {
    price: sells.id ?? null,
    product: productOf(sells),
    quantity: isMetered(sells) ? null : (quantity ?? 1),
  };
}

const productOf = ({ product }: SeenPrice): string | null =>
  typeof product === "object" ? (product?.id ?? null) : (product ?? null);

const isMetered = ({ recurring, usage_type: type }: SeenPrice): boolean =>
  (recurring?.usage_type ?? type) === "metered";

const textOf = (lines: readonly (readonly unknown[])[]): string =>
  lines
    .map((line) => JSON.stringify(line))
    .sort()
    .join();
