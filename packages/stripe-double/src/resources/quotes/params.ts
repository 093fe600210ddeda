/** What a quote may be asked for, and the offer that this makes. */
import { invalid, notModelled } from "../../api/errors.js";
import {
  group,
  integer,
  listOf,
  metadata,
  optionalInteger,
  type Parsed,
  text,
  word,
} from "../../api/params.js";
import { couponOf } from "../../billing/checkout/discounts.js";
import type { LineItem } from "../../billing/checkout/lines.js";
import { discountFrom, findCoupon, findDiscount } from "../../billing/invoices/discounts.js";
import { isMetered } from "../../billing/prices/rates.js";
import type { Offer } from "../../billing/quotes/computed.js";
import type { World } from "../../world/world.js";
import { inlinePriceShape } from "../catalogue/price-shapes.js";
import { createInlinePrice } from "../catalogue/prices.js";
import { checkLines } from "../checkout/params.js";
import { collectionMethod } from "../invoices/new-invoice.js";
import { billingModeShape } from "../subscriptions/shapes.js";

const lineShape = { price: word, price_data: group(inlinePriceShape), quantity: integer };
const planShape = { description: text, metadata, trial_period_days: optionalInteger };
const sharedShape = {
  collection_method: collectionMethod,
  customer: word,
  description: text,
  discounts: listOf(group({ coupon: word, promotion_code: word })),
  expires_at: integer,
  footer: text,
  header: text,
  invoice_settings: group({ days_until_due: integer }),
  metadata,
};
export const createShape = {
  ...sharedShape,
  line_items: listOf(group(lineShape)),
  subscription_data: group({ ...planShape, billing_mode: billingModeShape }),
};
export const updateShape = {
  ...sharedShape,
  line_items: listOf(group({ ...lineShape, id: word })),
  subscription_data: group(planShape),
};
export type CreateParams = Parsed<typeof createShape>;
export type UpdateParams = Parsed<typeof updateShape>;

type Line = Parsed<typeof lineShape> & { readonly id?: string | undefined };

/** What was offered before; of a new quote, nothing. */
interface Before {
  readonly items: readonly LineItem[];
  readonly discounts: readonly string[];
}

interface Asked {
  readonly line_items?: readonly Line[] | undefined;
  readonly discounts?: CreateParams["discounts"];
}

/** The offer that a request makes of what was offered before, with the discounts that it has. */
export function offerOf(
  world: World,
  before: Before,
  params: Asked,
  terms: { readonly customer: string | null; readonly trial: boolean },
): Offer & { readonly discounts: string[] } {
  const { trial } = terms;
  const lines = wantedLines(world, before.items, params.line_items);
  const customer = world.objects.customer.get(terms.customer ?? "");
  const sum = lines.length === 0 ? undefined : check(world, lines, trial, customer?.currency);
  const { currency = "usd" } = sum ?? {};
  const source = params.discounts?.[0];
  if ((params.discounts?.length ?? 0) > 1) throw notModelled("more than one discount on a quote");
  if (source !== undefined && sum === undefined) {
    throw notModelled("a discount on a quote that has no line items");
  }
  const coupon =
    source && sum
      ? couponOf(world, source, { ...sum, customer: customer?.id })
      : params.discounts === undefined
        ? couponBefore(world, before.discounts)
        : undefined;
  const discounts = source
    ? [discountFrom(world, source, { customer: customer?.id ?? null, currency }).id]
    : params.discounts
      ? []
      : [...before.discounts];
  const sold = lines.map(({ id, price, price_data: data, quantity }, index) => {
    const made = data
      ? createInlinePrice(world, data, `line_items[${index}][price_data]`)
      : world.find("price", price ?? "");
    return { id, price: made, quantity: isMetered(made) ? null : (quantity ?? 1) };
  });
  return { lines: sold, currency, coupon, trial, discounts };
}

function couponBefore(world: World, [discount = ""]: readonly string[]) {
  return findCoupon(world, findDiscount(world, discount)?.source.coupon ?? "");
}

/** The lines that are asked for, where an id stands for what that line was. */
function wantedLines(
  world: World,
  before: readonly LineItem[],
  asked: readonly Line[] | undefined,
): readonly Line[] {
  const kept = before.map(({ id, price, quantity }) => ({
    id,
    price: price?.id,
    price_data: undefined,
    quantity: quantity ?? undefined,
  }));
  return (asked ?? kept).map((line, index) => {
    const known = kept.find(({ id }) => id === line.id);
    if (line.id !== undefined && known === undefined) {
      const at = `line_items[${index}][id]`;
      throw invalid(`No such line item: '${line.id}'`, at, "resource_missing");
    }
    const price = line.price ?? (line.price_data ? undefined : known?.price);
    const found = world.objects.price.get(price ?? "");
    const usual = found && isMetered(found) ? undefined : 1;
    return { ...line, price, quantity: line.quantity ?? known?.quantity ?? usual };
  });
}

function check(
  world: World,
  lines: readonly Line[],
  trial: boolean,
  currency: string | null | undefined,
) {
  const recurs = lines.some(({ price, price_data: data }) =>
    data ? data.recurring : world.objects.price.get(price ?? "")?.recurring,
  );
  return checkLines(
    world,
    recurs ? "subscription" : "payment",
    lines.map(({ price, price_data, quantity }) => ({
      price,
      price_data,
      quantity,
      tax_rates: undefined,
    })),
    { trial, wanted: { asked: undefined, customer: currency }, inlinePrices: true },
  );
}
