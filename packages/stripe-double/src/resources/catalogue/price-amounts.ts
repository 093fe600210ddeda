/** What the parameters of a price say that it costs in a currency, checked as Stripe checks it. */
import type Stripe from "stripe";
import { invalid } from "../../api/errors.js";
import type { Tier } from "../../billing/prices/amounts.js";
import type { CurrencyOption } from "../../billing/prices/rates.js";
import type { Plain } from "../../world/plain.js";
import type { AmountParams } from "./price-shapes.js";

type Price = Plain<Stripe.Price>;
/** The fields of a price that tell its amount; tiers are shown only when they are asked for. */
export type Amounts = Pick<Price, "custom_unit_amount" | "unit_amount" | "unit_amount_decimal"> & {
  readonly tiers?: Tier[];
};

/** The amounts of a price, or of one of its currencies, whose parameters begin with `at`. */
export function amountsFrom(params: AmountParams, tiered: boolean, at: string): Amounts {
  const param = (name: string) => (at === "" ? name : `${at}[${name}]`);
  const { custom_unit_amount: custom, tiers } = params;
  if (tiered) return { ...NOTHING, tiers: tiersFrom(params, param("tiers")) };
  if (tiers !== undefined) {
    throw invalid("`tiers` requires `billing_scheme` to be `tiered`.", param("tiers"));
  }
  const unit = decimalOf(params.unit_amount, params.unit_amount_decimal, param("unit_amount"));
  if (custom?.enabled) {
    if (unit !== null) throw onlyOne("unit_amount", "custom_unit_amount", param("unit_amount"));
    const { maximum = null, minimum = null, preset = null } = custom;
    return { ...NOTHING, custom_unit_amount: { maximum, minimum, preset } };
  }
  if (unit === null) {
    throw invalid(
      "You must specify either `unit_amount` or `unit_amount_decimal`.",
      param("unit_amount"),
      "parameter_missing",
    );
  }
  return { ...NOTHING, unit_amount: wholeOf(unit), unit_amount_decimal: unit };
}

const NOTHING = { custom_unit_amount: null, unit_amount: null, unit_amount_decimal: null };

export const optionFrom = (params: AmountParams, tiered: boolean, at: string): CurrencyOption => ({
  ...amountsFrom(params, tiered, at),
  tax_behavior: params.tax_behavior ?? "unspecified",
});

function tiersFrom({ tiers, ...rest }: AmountParams, at: string): Tier[] {
  if (tiers === undefined || tiers.length === 0) {
    throw invalid(`Missing required param: ${at}.`, at, "parameter_missing");
  }
  if (rest.unit_amount !== undefined || rest.unit_amount_decimal !== undefined) {
    throw onlyOne("unit_amount", "tiers", at.replace(/tiers/, "unit_amount"));
  }
  const last = tiers.length - 1;
  const bounds = tiers.map(({ up_to: bound }, index) => boundOf(bound, `${at}[${index}][up_to]`));
  return tiers.map((tier, index): Tier => {
    const bound = bounds[index] ?? null;
    const path = `${at}[${index}]`;
    if (
      (bound === null) !== (index === last) ||
      (bound !== null && bound <= (bounds[index - 1] ?? 0))
    ) {
      throw invalid(
        "Tiers must be in ascending order of `up_to`, and only the last one has `up_to` set to `inf`.",
        `${path}[up_to]`,
      );
    }
    const unit = decimalOf(tier.unit_amount, tier.unit_amount_decimal, `${path}[unit_amount]`);
    const flat = decimalOf(tier.flat_amount, tier.flat_amount_decimal, `${path}[flat_amount]`);
    if (unit === null && flat === null) {
      throw invalid("Each tier needs a `unit_amount` or a `flat_amount`.", path);
    }
    return {
      flat_amount: wholeOf(flat),
      flat_amount_decimal: flat,
      unit_amount: wholeOf(unit),
      unit_amount_decimal: unit,
      up_to: bound,
    };
  });
}

function boundOf(bound: string, at: string): number | null {
  if (bound === "inf") return null;
  if (!/^[1-9]\d*$/.test(bound)) throw invalid(`Invalid integer: ${bound}`, at);
  return Number(bound);
}

function decimalOf(
  whole: number | undefined,
  decimal: string | undefined,
  at: string,
): string | null {
  if (whole !== undefined && decimal !== undefined) {
    const name = at.replace(/^.*\[|\]$/g, "");
    throw onlyOne(name, `${name}_decimal`, at);
  }
  const exact = decimal ?? whole?.toString() ?? null;
  if (exact?.startsWith("-")) throw invalid(`Invalid non-negative integer: ${exact}`, at);
  return exact;
}

const wholeOf = (decimal: string | null): number | null =>
  decimal !== null && Number.isInteger(Number(decimal)) ? Number(decimal) : null;

const onlyOne = (first: string, second: string, at: string) =>
  invalid(`You may only specify one of these parameters: ${first}, ${second}.`, at);
