/**
 * Which items of a subscription a change alters, and how. Pure. All items of the old plan are swapped
 * in one request, by id and with their quantity, because Stripe adds an item that has no id and sets
 * the quantity of another price to 1. Items of other groups, and other licensed items, stay.
 */
import type { StripeObject } from "../../catalogue/catalogue.js";
import { invalid } from "../change/args.js";

type Price = StripeObject<"prices">;

/** An item as far as a change looks at it. */
export interface Item {
  readonly id: string;
  readonly price: Pick<Price, "id" | "recurring" | "metadata"> & {
    readonly product: string | { readonly id: string };
  };
  readonly quantity?: number | undefined;
}

/** What an update says of one item. */
export interface ItemChange {
  /** Left out for an item that is added. */
  readonly id?: string;
  readonly price?: string;
  readonly quantity?: number;
  readonly deleted?: true;
}

/** What the caller wants. */
export interface Wanted {
  /** Another price; undefined for another quantity alone. */
  readonly price?: Item["price"] | undefined;
  /** Whether that price is sold times the number of seats. */
  readonly isPerSeat?: boolean | undefined;
  readonly quantity?: number | undefined;
  readonly itemId?: string | undefined;
  /** The metered prices of the new price's product: what they bill goes on under the new plan. */
  readonly metered?: readonly Item["price"][] | undefined;
  /** Whether the new plan is sold with all of those: what the subscription lacks of them is added. */
  readonly isWhole?: boolean | undefined;
}

/** What is known of the products of a subscription. */
export interface Products {
  /** Whether a product is of the group that the change is for. */
  isInGroup(productId: string): boolean;
  /** Whether a price is sold times the number of seats, by its own mark or its product's. */
  isPerSeat(price: Item["price"]): boolean;
}

export const productOf = ({ product }: Item["price"]): string =>
  typeof product === "string" ? product : product.id;

export const isMetered = ({ recurring }: Pick<Item["price"], "recurring">): boolean =>
  recurring?.usage_type === "metered";

/** The items to alter; none if the subscription is as wanted already. */
export function itemChanges(
  items: readonly Item[],
  wanted: Wanted,
  products: Products,
): readonly ItemChange[] {
  const main = mainItem(items, wanted, products);
  const { price = main.price } = wanted;
  if (isMetered(price) && wanted.quantity !== undefined) {
    throw invalid(`The price ${price.id} is metered, so it has no quantity. Leave it out.`);
  }
  // A number of seats is no quantity of a plan that is not sold by them.
  const isNoMore = wanted.isPerSeat === false && products.isPerSeat(main.price);
  const kept = isNoMore ? 1 : (main.quantity ?? 1);
  const quantity = isMetered(price) ? undefined : (wanted.quantity ?? kept);
  const isSame = price.id === main.price.id && quantity === main.quantity;
  const change = {
    id: main.id,
    price: price.id,
    ...(quantity === undefined ? {} : { quantity }),
  };
  return [...(isSame ? [] : [change]), ...meteredChanges(items, main, wanted)];
}

/** The item of the plan that is changed. */
export function mainItem(
  items: readonly Item[],
  { itemId, price }: Wanted,
  products: Products,
): Item {
  if (itemId !== undefined) {
    const named = items.find(({ id }) => id === itemId);
    if (named !== undefined) return named;
    throw invalid(
      `The subscription has no item ${itemId}. It has ${items.map(({ id }) => id).join(", ")}.`,
    );
  }
  const licensed = items.filter((item) => !isMetered(item.price));
  const grouped = licensed.filter((item) => products.isInGroup(productOf(item.price)));
  const candidates = grouped.length > 0 ? grouped : licensed;
  const narrower = candidates.filter((item) =>
    price === undefined
      ? products.isPerSeat(item.price)
      : productOf(item.price) === productOf(price),
  );
  const [first, ...more] = narrower.length === 1 ? narrower : candidates;
  if (first !== undefined && more.length === 0) return first;
  throw invalid(
    first === undefined
      ? "The subscription has no licensed item. Give `itemId` to change a metered one."
      : `The subscription has several items that this could change. Give \`itemId\`: ${candidates.map(({ id, price: { id: of } }) => `${id} (${of})`).join(", ")}.`,
  );
}

/**
 * Metered items of the old product follow to the new product's price of the same meter, and go where
 * it has none: the old plan's usage is not billed beside the new plan. In one product they follow
 * where it has such a price of the new interval.
 */
function meteredChanges(
  items: readonly Item[],
  main: Item,
  { price, itemId, metered = [], isWhole = false }: Wanted,
): readonly ItemChange[] {
  if (price === undefined || itemId !== undefined) return [];
  const from = productOf(main.price);
  const isOneProduct = productOf(price) === from;
  if (isOneProduct && cycleOf(main.price) === cycleOf(price)) return [];
  const next = metered.filter((each) => cycleOf(each) === cycleOf(price));
  const followed = items
    .filter(
      (item) => item.id !== main.id && isMetered(item.price) && productOf(item.price) === from,
    )
    .flatMap((item): ItemChange[] => {
      const { id } = item;
      const to = sameMeter(item, next, productOf(price));
      if (to === undefined) return isOneProduct ? [] : [{ id, deleted: true }];
      return to.id === item.price.id ? [] : [{ id, price: to.id }];
    });
  if (!isWhole) return followed;
  const known = new Set([...followed, ...items].map((each) => idOfPrice(each.price)));
  return [...followed, ...next.flatMap(({ id }) => (known.has(id) ? [] : [{ price: id }]))];
}

const idOfPrice = (price: string | { readonly id: string } | undefined): string | undefined =>
  typeof price === "object" ? price.id : price;

const cycleOf = ({ recurring }: Item["price"]): string =>
  recurring ? lengthOf(recurring) : "once";

/** The price that bills the meter of an item; undefined if there is none. */
function sameMeter(
  { id, price: { recurring } }: Item,
  prices: readonly Item["price"][],
  product: string,
): Item["price"] | undefined {
  const meter = recurring?.meter ?? null;
  const [next, ...more] = prices.filter(
    (each) => meter !== null && each.recurring?.meter === meter,
  );
  if (more.length === 0) return next;
  throw invalid(
    `The product ${product} has several prices of the meter of ${id}. Give \`itemId\` to change one item alone.`,
  );
}

/** The items as they are after a change: price and quantity, by id. */
export function afterChanges<T extends Item>(
  items: readonly T[],
  changes: readonly ItemChange[],
  priceOf: (id: string) => Item["price"] | undefined,
): readonly After<T>[] {
  const added = changes.flatMap(({ id, price: of }) => {
    const price = id === undefined && of !== undefined ? priceOf(of) : undefined;
    return price === undefined ? [] : [{ item: undefined, price }];
  });
  const kept = items.flatMap((item) => {
    const change = changes.find(({ id }) => id === item.id);
    if (change?.deleted) return [];
    const price = change?.price === undefined ? item.price : (priceOf(change.price) ?? item.price);
    const quantity = isMetered(price) ? undefined : (change?.quantity ?? item.quantity);
    return [{ item, price, ...(quantity === undefined ? {} : { quantity }) }];
  });
  return [...kept, ...added];
}

/** An item after a change; `item` is what it was, undefined if it is added. */
export interface After<T extends Item> {
  readonly item: T | undefined;
  readonly price: Item["price"];
  readonly quantity?: number;
}

type Cycle = Pick<NonNullable<Price["recurring"]>, "interval" | "interval_count">;

const lengthOf = ({ interval, interval_count: count }: Cycle): string =>
  interval === "year" ? `${12 * count} month` : `${count} ${interval}`;

/** Whether items that all had one interval all have another: Stripe begins a new period then. */
export function changesInterval(
  before: readonly Pick<Item, "price">[],
  after: readonly Pick<Item, "price">[],
): boolean {
  const lengths = (items: readonly Pick<Item, "price">[]) =>
    new Set(items.flatMap(({ price }) => (price.recurring ? [lengthOf(price.recurring)] : [])));
  const [from, to] = [lengths(before), lengths(after)];
  return from.size === 1 && to.size === 1 && [...from][0] !== [...to][0];
}
