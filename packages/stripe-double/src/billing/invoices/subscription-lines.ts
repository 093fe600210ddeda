/** Lines of an invoice for a period of a subscription item: paid beforehand, used, or free. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { money } from "../money.js";
import { type Piece, piecesOf } from "../prices/amounts.js";
import { isMetered, rateOf } from "../prices/rates.js";
import type { TaxRate } from "../taxes/taxes.js";
import { lineOf, type NewLine, nameOf } from "./lines.js";

type Price = Plain<Stripe.Price>;

/** What the lines are about, and in which currency. */
export interface Billed {
  readonly subscription: { readonly id: string; readonly currency: string };
  readonly item: {
    readonly id: string;
    readonly price: Price;
    readonly tax_rates?: readonly TaxRate[] | null;
  };
  readonly period: { readonly start: number; readonly end: number };
}

/** What a quantity costs for a period, or for the part of it that the subscription lasts. */
export function periodLines(
  world: World,
  billed: Billed,
  quantity: number,
  part = 1,
): [NewLine, ...NewLine[]] {
  const { price } = billed.item;
  const { currency } = billed.subscription;
  const pieces = piecesOf(rateOf(world, price, currency), quantity);
  const lines = pieces.map((piece): NewLine => {
    const what = piece.flat ? nameOf(world, price) : counted(world, price, piece.quantity);
    return periodLine(world, billed, {
      amount: Math.round(piece.amount * part),
      description: `${what} ${termsText(piece, price, currency)}`,
      quantity: piece.quantity,
      rate: piece.flat ? null : piece.rate,
    });
  });
  const [first, ...more] = lines;
  if (first === undefined) throw new Error(`${price.id} has no tier for ${quantity}`);
  return [first, ...more];
}

/** A period that costs nothing, because it is a trial. */
export function trialLine(world: World, billed: Billed, quantity: number): NewLine {
  const { price } = billed.item;
  return periodLine(world, billed, {
    amount: 0,
    description: isMetered(price)
      ? `${counted(world, price, quantity)} (Free trial)`
      : `Trial period for ${nameOf(world, price)}`,
    quantity,
    rate: price.unit_amount_decimal,
  });
}

/** A period whose usage is billed when it is over, as classic billing mode shows it beforehand. */
export function unusedLine(world: World, billed: Billed): NewLine {
  const [line] = periodLines(world, billed, 0);
  return { ...line, amount: 0, subtotal: 0 };
}

/** `3 × Pro`; `3 seat × Pro` of a product whose units have a name. */
function counted(world: World, price: Price, quantity: number): string {
  const unit = world.objects.product.get(price.product)?.unit_label;
  return `${quantity}${unit ? ` ${unit}` : ""} × ${nameOf(world, price)}`;
}

/** `(at $10.00 / month)`, `(at $0.08 per 60 units / month)`, `(Tier 2 at $5.00 / every 3 months)`. */
function termsText({ tier, rate }: Piece, price: Price, currency: string): string {
  const { interval = "month", interval_count: count = 1 } = price.recurring ?? {};
  const { divide_by: size } = price.transform_quantity ?? {};
  const each = `${money(Number(rate), currency)}${size ? ` per ${size} units` : ""}`;
  const often = count === 1 ? interval : `every ${count} ${interval}s`;
  return `(${tier === undefined ? "" : `Tier ${tier} `}at ${each} / ${often})`;
}

function periodLine(
  world: World,
  { subscription: { id: subscription, currency }, item, period }: Billed,
  line: {
    readonly amount: number;
    readonly description: string;
    readonly quantity: number;
    /** Of one unit; null for a flat fee. */
    readonly rate: string | null;
  },
): NewLine {
  const { id, price } = item;
  return {
    ...lineOf(world, currency, line.amount),
    description: line.description,
    period: { start: period.start, end: period.end },
    parent: {
      type: "subscription_item_details",
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: { credited_items: null },
        subscription,
        subscription_item: id,
      },
    },
    pricing: {
      type: "price_details",
      price_details: { price: price.id, product: price.product },
      unit_amount_decimal: line.rate,
    },
    quantity: line.quantity,
    quantity_decimal: String(line.quantity),
    rates: item.tax_rates ?? [],
    subscription,
  };
}
