/** The parameters of a price, apart from its routes, because products and checkouts take them too. */
import {
  decimal,
  group,
  integer,
  metadata,
  oneOf,
  required,
  text,
  word,
} from "../../api/params.js";

const recurringShape = {
  interval: required(oneOf("day", "week", "month", "year")),
  interval_count: integer,
  meter: word,
  trial_period_days: integer,
  usage_type: oneOf("licensed", "metered"),
};

/** What `price_data` takes wherever a price may be made on the spot. */
export const priceDataShape = {
  currency: required(word),
  recurring: group(recurringShape),
  tax_behavior: oneOf("exclusive", "inclusive", "unspecified"),
  unit_amount: integer,
  unit_amount_decimal: decimal,
};

/** Inline prices also say what they are of. */
export const inlinePriceShape = {
  ...priceDataShape,
  product: word,
  product_data: group({ name: required(word), description: text, metadata }),
};
