/** What is to be done with the prices of a product, slot by slot. Pure. */
import type { DesiredPrice, DesiredProduct, PriceContent } from "./desired.js";
import { isOwn, type Observed, type ObservedMeter, type ObservedPrice } from "./observed.js";
import {
  type Difference,
  joined,
  NOTHING,
  type Operation,
  type Part,
  type Situation,
  unlessEdited,
} from "./operations.js";
import { isEdited, priceDigest, priceMetadata } from "./pushed.js";

/** What becomes of a slot, and which price will be in it. */
export interface SlotPlan {
  readonly part: Part;
  /** Undefined if the slot has none that is sold, and gets none. */
  readonly price: { readonly id: string } | { readonly slot: string } | undefined;
}

export interface SlotContext {
  readonly situation: Situation;
  readonly product: DesiredProduct;
  readonly observed: Observed;
  readonly wantedKeys: ReadonlySet<string>;
  /** The meter for each event's name; undefined where it is yet to be made. */
  readonly meters: ReadonlyMap<string, ObservedMeter>;
}

export function slotPart(context: SlotContext, want: DesiredPrice): SlotPlan {
  const { situation, product, observed } = context;
  const place = `${product.place}.${want.slot}`;
  const holder = observed.prices.find(({ key }) => key === want.key);
  const held = holder && observed.products.find(({ id }) => id === holder.product);
  // mutant "another application's key taken"
  if (holder !== undefined && held?.metadata.billing_app !== situation.app) {
    const message = `The lookup key ${want.key} is that of ${holder.id}, a price of the product ${holder.product}, which is not this catalogue's. Take the key away from that price in Stripe's dashboard, or choose another name.`;
    const conflicts = [{ place, id: holder.id, message }];
    return { part: { ...NOTHING, conflicts }, price: undefined };
  }
  const inSlot = observed.prices.filter((price) => isInSlot(price, product.id, want));
  const chosen = best(
    inSlot.filter((price) => hasContent(context, price, want.content)),
    want.key,
  );
  const drift = situation.overwrites ? undefined : driftOf(want, holder, chosen, place);
  if (drift !== undefined)
    return { part: drift, price: chosen?.active ? { id: chosen.id } : undefined };
  const own =
    chosen === undefined
      ? created(
          product.id,
          want,
          holder !== undefined,
          inSlot.map(({ id }) => id),
        )
      : updated(situation, chosen, want, holder);
  const others = inSlot
    .filter((price) => price.id !== chosen?.id)
    .map((price) => archivePart(situation, price, place, context.wantedKeys, want.slot));
  const price = chosen === undefined ? { slot: want.slot } : { id: chosen.id };
  return { part: joined([own, ...others]), price };
}

/** A price that has the key is taken for its slot's, though a person may have made it. */
const isInSlot = (price: ObservedPrice, product: string, { slot, key }: DesiredPrice): boolean =>
  price.product === product &&
  (isOwn(price) ? price.metadata.billing_price === slot : price.key === key);

function hasContent(
  { meters }: SlotContext,
  price: ObservedPrice,
  { currency, amount, taxBehavior, isPerSeat, recurring }: PriceContent,
): boolean {
  const own = price.recurring;
  const meterId = recurring?.meter ? meters.get(recurring.meter)?.id : null;
  // mutant "seats marked on a price in use": (price.metadata.billing_per_seat === "true") === isPerSeat -> true
  return (
    price.currency === currency &&
    price.amount === amount &&
    price.taxBehavior === taxBehavior &&
    (price.metadata.billing_per_seat === "true") === isPerSeat &&
    own?.interval === recurring?.interval &&
    own?.intervalCount === recurring?.intervalCount &&
    (own === null || own.meterId === meterId)
  );
}

/** The one that has the key, or else one that is sold, or else the oldest. */
function best(prices: readonly ObservedPrice[], key: string): ObservedPrice | undefined {
  const rank = (price: ObservedPrice) => (price.key === key ? 0 : price.active ? 1 : 2);
  return [...prices].sort(
    (a, b) => rank(a) - rank(b) || a.created - b.created || (a.id < b.id ? -1 : 1),
  )[0];
}

const editedByHand = (price: ObservedPrice): boolean =>
  isEdited(price.metadata, priceDigest(price));

/** What was done by hand to the key, or to the price that has it or should have it. */
function driftOf(
  want: DesiredPrice,
  holder: ObservedPrice | undefined,
  chosen: ObservedPrice | undefined,
  place: string,
): Part | undefined {
  const shown = (id: string, differences: readonly Difference[]): Part => ({
    ...NOTHING,
    drift: [{ object: "price", id, place, differences }],
  });
  const isLost = holder === undefined && chosen?.metadata.billing_key === want.key;
  if (chosen !== undefined && isLost) {
    return shown(chosen.id, [{ field: "lookup_key", from: chosen.key, to: want.key }]);
  }
  const isMoved = holder !== undefined && holder.metadata.billing_key !== want.key;
  if (isMoved) {
    const to = chosen === undefined ? "a new price" : chosen.id;
    return shown(holder.id, [{ field: `lookup_key ${want.key}`, from: holder.id, to }]);
  }
  const current = chosen ?? holder;
  if (current === undefined || !editedByHand(current)) return undefined;
  const differences = differencesOf(current, want);
  // Edited to be as the catalogue says: only recorded.
  return differences.length === 0 && chosen !== undefined
    ? undefined
    : shown(current.id, differences);
}

function differencesOf(price: ObservedPrice, want: DesiredPrice): readonly Difference[] {
  const all: readonly Difference[] = [
    { field: "active", from: String(price.active), to: "true" },
    { field: "lookup_key", from: price.key, to: want.key },
    { field: "metadata.billing_price", from: price.metadata.billing_price ?? null, to: want.slot },
    {
      field: "metadata.billing_per_seat",
      from: price.metadata.billing_per_seat ?? null,
      to: want.content.isPerSeat ? "true" : null,
    },
  ];
  return all.filter(({ from, to }) => from !== to);
}

function created(
  product: string,
  want: DesiredPrice,
  takesKey: boolean,
  after: readonly string[],
): Part {
  return {
    ...NOTHING,
    operations: [{ do: "create_price", product, takesKey, after: [...after].sort(), ...want }],
  };
}

function updated(
  { app }: Situation,
  price: ObservedPrice,
  want: DesiredPrice,
  holder: ObservedPrice | undefined,
): Part {
  const differences = differencesOf(price, want);
  if (differences.length === 0 && !editedByHand(price)) return NOTHING;
  const { slot, key, content } = want;
  const metadata = priceMetadata({ app, slot, key, isPerSeat: content.isPerSeat }, true);
  const takesKey = holder !== undefined && holder.id !== price.id;
  const { id, product } = price;
  const update: Operation = {
    ...{ do: "update_price", id, product, slot, key, takesKey, metadata, differences },
  };
  return { ...NOTHING, operations: [update] };
}

/** Archives a price; what is archived already stays as it is. */
export function archivePart(
  situation: Situation,
  price: ObservedPrice,
  place: string,
  wantedKeys: ReadonlySet<string>,
  slot = price.metadata.billing_price ?? "",
): Part {
  if (!price.active) return NOTHING;
  const { id, product } = price;
  const kept = price.key !== null && !wantedKeys.has(price.key) ? price.key : null;
  const isPerSeat = price.metadata.billing_per_seat === "true";
  const metadata = priceMetadata({ app: situation.app, slot, key: kept, isPerSeat }, false);
  const differences = [{ field: "active", from: "true", to: "false" }];
  return unlessEdited(
    situation,
    editedByHand(price),
    { object: "price", id, place, differences },
    { do: "archive_price", id, product, slot, metadata },
  );
}
