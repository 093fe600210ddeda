/** The parameters of a price, apart from its routes, because products and checkouts take them too. */
import {
  decimal,
  flag,
  group,
  integer,
  listOf,
  mapOf,
  metadata,
  oneOf,
  type Parsed,
  required,
  text,
  word,
} from "../../api/params.js";

const recurringShape = {
  /** Until 2025-03-31, how usage records make up the usage of a period. */
  aggregate_usage: oneOf("last_during_period", "last_ever", "max", "sum"),
  interval: required(oneOf("day", "week", "month", "year")),
  interval_count: integer,
  meter: word,
  trial_period_days: integer,
  usage_type: oneOf("licensed", "metered"),
};

const taxBehavior = oneOf("exclusive", "inclusive", "unspecified");

/** What one unit costs: always the same, or what the customer chooses. */
const unitShape = {
  custom_unit_amount: group({
    enabled: required(flag),
    maximum: integer,
    minimum: integer,
    preset: integer,
  }),
  tax_behavior: taxBehavior,
  unit_amount: integer,
  unit_amount_decimal: decimal,
};

const tierShape = {
  flat_amount: integer,
  flat_amount_decimal: decimal,
  unit_amount: integer,
  unit_amount_decimal: decimal,
  up_to: required(word),
};
/** What a price costs in one currency. */
const amountShape = { ...unitShape, tiers: listOf(group(tierShape)) };
export type AmountParams = Partial<Parsed<typeof amountShape>>;

export const currencyOptions = mapOf(group(amountShape));

/** What `price_data` takes wherever a price may be made on the spot. */
const priceDataShape = {
  currency: required(word),
  recurring: group(recurringShape),
  tax_behavior: taxBehavior,
  unit_amount: integer,
  unit_amount_decimal: decimal,
};

/** What a product takes for its first price. */
export const defaultPriceShape = {
  ...priceDataShape,
  currency_options: currencyOptions,
  custom_unit_amount: unitShape.custom_unit_amount,
  metadata,
};

/** Inline prices also say what they are of. */
export const inlinePriceShape = {
  ...priceDataShape,
  product: word,
  product_data: group({ name: required(word), description: text, metadata }),
};

/** What only a price of its own takes. */
export const priceShape = {
  ...inlinePriceShape,
  ...amountShape,
  billing_scheme: oneOf("per_unit", "tiered"),
  currency_options: currencyOptions,
  tiers_mode: oneOf("graduated", "volume"),
  transform_quantity: group({
    divide_by: required(integer),
    round: required(oneOf("down", "up")),
  }),
};
export type PriceParams = Partial<Parsed<typeof priceShape>> & { readonly currency: string };
