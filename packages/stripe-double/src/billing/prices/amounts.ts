/** What a quantity costs by the terms of a price, piece by piece, to the smallest unit of a currency. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";

type Price = Plain<Stripe.Price>;
export type Tier = NonNullable<Price["tiers"]>[number];

/** The terms of a price in one currency. */
export interface Rate {
  readonly unit_amount_decimal: string | null;
  /** Only of a tiered price, lowest first; the last has no upper bound. */
  readonly tiers: readonly Tier[] | null;
  readonly tiers_mode: Price["tiers_mode"];
  readonly transform_quantity: Price["transform_quantity"];
}

/** One line of what a quantity costs. */
export interface Piece {
  /** 0 for the flat fee of a tier. */
  readonly quantity: number;
  readonly amount: number;
  /** Of one unit or, if `flat`, of the whole tier. */
  readonly rate: string;
  /** Counted from 1; undefined for a price without tiers. */
  readonly tier: number | undefined;
  readonly flat: boolean;
}

const PLACES = 12;
const ONE = 10n ** BigInt(PLACES);

/** The decimal times a whole number, rounded half up; exact, whatever its twelve decimal places. */
export function timesDecimal(decimal: string, count: number): number {
  const negative = decimal.startsWith("-");
  const [whole = "0", fraction = ""] = decimal.replace("-", "").split(".");
  const scaled = BigInt(whole + fraction.padEnd(PLACES, "0").slice(0, PLACES));
  const product = scaled * BigInt(Math.abs(count));
  const rounded = Number((product * 2n + ONE) / (2n * ONE));
  return negative === count < 0 ? rounded : -rounded;
}

/** How many packages of a quantity are paid for. */
function transformed(
  quantity: number,
  { transform_quantity: transform }: Pick<Rate, "transform_quantity">,
): number {
  if (transform === null) return quantity;
  const packages = quantity / transform.divide_by;
  return transform.round === "up" ? Math.ceil(packages) : Math.floor(packages);
}

/** The lines that Stripe makes of a quantity: for each tier its units, then its flat fee. */
export function piecesOf(rate: Rate, quantity: number): Piece[] {
  const { tiers, unit_amount_decimal: unit } = rate;
  if (tiers === null) {
    const amount = timesDecimal(unit ?? "0", transformed(quantity, rate));
    return [{ quantity, amount, rate: unit ?? "0", tier: undefined, flat: false }];
  }
  const reached = rate.tiers_mode === "volume" ? volumeTier : graduatedTiers;
  return reached(tiers, quantity).flatMap(({ tier, index, units }) =>
    tierPieces(tier, index, units),
  );
}

interface Reached {
  readonly tier: Tier;
  readonly index: number;
  readonly units: number;
}

/** Each tier that the quantity reaches, with the units in it. Of nothing, that is the first tier. */
function graduatedTiers(tiers: readonly Tier[], quantity: number): Reached[] {
  return tiers.flatMap((tier, index) => {
    const below = tiers[index - 1]?.up_to ?? 0;
    if (index > 0 && quantity <= below) return [];
    const units = Math.min(quantity, tier.up_to ?? quantity) - below;
    return [{ tier, index, units: Math.max(0, units) }];
  });
}

/** The tier that the whole quantity is in. */
function volumeTier(tiers: readonly Tier[], quantity: number): Reached[] {
  const index = tiers.findIndex(({ up_to: last }) => last === null || quantity <= last);
  const tier = tiers[index];
  return tier === undefined ? [] : [{ tier, index, units: quantity }];
}

function tierPieces(tier: Tier, index: number, units: number): Piece[] {
  const { unit_amount_decimal: unit, flat_amount_decimal: flat } = tier;
  const number = index + 1;
  return [
    ...(unit === null
      ? []
      : [
          {
            quantity: units,
            amount: timesDecimal(unit, units),
            rate: unit,
            tier: number,
            flat: false,
          },
        ]),
    ...(flat === null
      ? []
      : [{ quantity: 0, amount: timesDecimal(flat, 1), rate: flat, tier: number, flat: true }]),
  ];
}
