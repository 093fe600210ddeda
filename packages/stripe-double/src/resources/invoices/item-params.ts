/** What invoice items and lines of invoices may be asked for, and what it comes to. */
import type Stripe from "stripe";
import { refused } from "../../api/errors.js";
import {
  decimal,
  flag,
  group,
  integer,
  listOf,
  metadata,
  type Parsed,
  required,
  text,
  word,
} from "../../api/params.js";
import { discountsFrom } from "../../billing/invoices/discounts.js";
import type { NewInvoiceItem } from "../../billing/invoices/invoice-items.js";
import { amountOf } from "../../billing/prices/rates.js";
import { ratesNamed } from "../../billing/taxes/rates.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { inlinePriceShape } from "../catalogue/price-shapes.js";
import { createInlinePrice } from "../catalogue/prices.js";
import { referenced } from "../common.js";

export const discountShape = listOf(group({ coupon: word, discount: word, promotion_code: word }));

export const lineShape = {
  amount: integer,
  description: text,
  discountable: flag,
  discounts: discountShape,
  metadata,
  period: group({ start: required(integer), end: required(integer) }),
  price_data: group(inlinePriceShape),
  pricing: group({ price: word }),
  quantity: integer,
  tax_rates: listOf(word),
};

/** Until 2025-03-31 there were `price` and `unit_amount`. */
export const itemShape = {
  ...lineShape,
  price: word,
  unit_amount: integer,
  unit_amount_decimal: decimal,
};

type Asked = Partial<Parsed<typeof itemShape>>;
type Terms = Partial<
  Pick<
    NewInvoiceItem,
    "amount" | "currency" | "discounts" | "price" | "quantity" | "tax_rates" | "unit_amount_decimal"
  >
>;

/** The discounts that a request names: new ones, and those that are there already. */
export function discountsNamed(
  world: World,
  named: NonNullable<Asked["discounts"]>,
  on: {
    readonly customer: string;
    readonly currency: string;
    readonly invoice?: string | undefined;
  },
): string[] {
  return named.flatMap(({ discount, ...source }) =>
    discount === undefined ? discountsFrom(world, [source], on) : [discount],
  );
}

/** The price that is billed, made on the spot if need be; it must not recur. */
function priceOf(world: World, params: Asked, at: string): Plain<Stripe.Price> | undefined {
  const inside = at === "" ? "" : `${at}.`;
  if (params.price_data !== undefined) {
    return createInlinePrice(world, params.price_data, `${inside}price_data`);
  }
  const named = params.pricing?.price ?? params.price;
  if (named === undefined) return undefined;
  const price = referenced(world, "price", named, `${inside}pricing[price]`);
  if (price.recurring === null) return price;
  throw refused(
    "The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`.",
    `${inside}pricing[price]`,
  );
}

/** What is billed and how it is priced, discounted and taxed; only what the request says. */
export function termsOf(
  world: World,
  params: Asked,
  owner: { readonly customer: string; readonly currency: string },
  at = "",
): Terms {
  const param = (name: string) => (at === "" ? name : `${at}[${name}]`);
  const price = priceOf(world, params, at);
  const unit = params.unit_amount_decimal ?? params.unit_amount?.toString();
  const { quantity, discounts, tax_rates: rates } = params;
  const amount =
    params.amount ??
    (price === undefined
      ? Math.round(Number(unit) * (quantity ?? 1))
      : amountOf(world, price, quantity ?? 1));
  const currency = price?.currency ?? owner.currency;
  return {
    ...(Number.isNaN(amount) ? {} : { amount, currency }),
    ...(price === undefined ? {} : { price }),
    ...(unit === undefined ? {} : { unit_amount_decimal: unit }),
    ...(quantity === undefined ? {} : { quantity }),
    ...(rates === undefined ? {} : { tax_rates: ratesNamed(world, rates, param("tax_rates")) }),
    ...(discounts === undefined
      ? {}
      : { discounts: discountsNamed(world, discounts, { customer: owner.customer, currency }) }),
  };
}
