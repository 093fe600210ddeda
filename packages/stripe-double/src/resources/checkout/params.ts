/** What a checkout session may be asked for, and what Stripe refuses before it makes one. */

import { invalid, notModelled, refused } from "../../api/errors.js";
import {
  flag,
  group,
  integer,
  listOf,
  metadata,
  oneOf,
  type Parsed,
  required,
  word,
} from "../../api/params.js";
import { firstAmount } from "../../billing/checkout/lines.js";
import { timesDecimal } from "../../billing/prices/amounts.js";
import { commonCurrency, hasCurrency } from "../../billing/prices/rates.js";
import { checkMetered } from "../../billing/subscriptions/items.js";
import type { Objects, World } from "../../world/world.js";
import { inlinePriceShape } from "../catalogue/price-shapes.js";
import { anchorShape, checkAnchor } from "../subscriptions/anchor.js";
import { billingModeShape } from "../subscriptions/shapes.js";
import { checkTrialLength } from "../subscriptions/trials.js";
import { automaticTaxShape } from "../tax/terms.js";
import { checkAddresses } from "./appearance.js";

const lineShape = {
  price: word,
  price_data: group(inlinePriceShape),
  quantity: integer,
  tax_rates: listOf(word),
};

const consent = oneOf("none", "required");

export const checkoutShape = {
  after_expiration: group({
    recovery: group({ allow_promotion_codes: flag, enabled: required(flag) }),
  }),
  allow_promotion_codes: flag,
  allowed_payment_method_types: listOf(word),
  automatic_tax: automaticTaxShape,
  billing_address_collection: oneOf("auto", "required"),
  cancel_url: word,
  client_reference_id: word,
  consent_collection: group({
    payment_method_reuse_agreement: group({ position: required(oneOf("auto", "hidden")) }),
    promotions: oneOf("auto", "none"),
    terms_of_service: consent,
  }),
  currency: word,
  customer: word,
  customer_creation: oneOf("always", "if_required"),
  customer_email: word,
  customer_update: group({ address: oneOf("auto", "never"), name: oneOf("auto", "never") }),
  discounts: listOf(group({ coupon: word, promotion_code: word })),
  expires_at: integer,
  invoice_creation: group({
    enabled: required(flag),
    invoice_data: group({ description: word, footer: word, metadata }),
  }),
  line_items: listOf(group(lineShape)),
  locale: word,
  metadata,
  mode: required(oneOf("payment", "setup", "subscription")),
  payment_intent_data: group({
    description: word,
    metadata,
    receipt_email: word,
    setup_future_usage: oneOf("off_session", "on_session"),
  }),
  payment_method_collection: oneOf("always", "if_required"),
  payment_method_types: listOf(word),
  phone_number_collection: group({ enabled: required(flag) }),
  redirect_on_completion: oneOf("always", "if_required", "never"),
  return_url: word,
  setup_intent_data: group({ description: word, metadata }),
  submit_type: oneOf("auto", "book", "donate", "pay", "subscribe"),
  subscription_data: group({
    ...anchorShape,
    billing_mode: billingModeShape,
    default_tax_rates: listOf(word),
    description: word,
    metadata,
    proration_behavior: oneOf("create_prorations", "none"),
    trial_end: integer,
    trial_period_days: integer,
    trial_settings: group({
      end_behavior: required(
        group({ missing_payment_method: required(oneOf("cancel", "create_invoice", "pause")) }),
      ),
    }),
  }),
  success_url: word,
  ui_mode: word,
};
export type CheckoutParams = Parsed<typeof checkoutShape>;
type Params = CheckoutParams;

const HOUR = 3600;
/** From this version on, the types of payment methods are not listed but filtered. */
const FILTERS_METHODS_SINCE = "2026-09-30";

/** Refuses what contradicts itself, in Stripe's words, and what the double cannot tell the truth of. */
export function checkParams(world: World, params: Params, version: string): void {
  const { mode, expires_at: expires } = params;
  const together = (a: keyof Params & string, b: keyof Params & string) => {
    if (params[a] !== undefined && params[b] !== undefined) {
      throw invalid(`You may only specify one of these parameters: ${a}, ${b}.`, a);
    }
  };
  if (mode === "setup" && params.currency === undefined && !params.payment_method_types) {
    throw invalid("Missing required param: currency.", "currency", "parameter_missing");
  }
  checkAddresses(params);
  if (params.payment_method_types && version.slice(0, 10) >= FILTERS_METHODS_SINCE) {
    throw invalid(
      "Received unknown parameter: payment_method_types",
      "payment_method_types",
      "parameter_unknown",
    );
  }
  together("customer", "customer_email");
  together("customer", "customer_creation");
  together("allow_promotion_codes", "discounts");
  const wrongMode = (param: keyof Params & string, ...allowed: readonly Params["mode"][]) => {
    if (params[param] !== undefined && !allowed.includes(mode)) {
      throw invalid(`You can not pass \`${param}\` in \`${mode}\` mode.`, param);
    }
  };
  wrongMode("customer_creation", "payment", "setup");
  wrongMode("line_items", "payment", "subscription");
  wrongMode("allow_promotion_codes", "payment", "subscription");
  wrongMode("discounts", "payment", "subscription");
  wrongMode("setup_intent_data", "setup");
  wrongMode("invoice_creation", "payment");
  wrongMode("payment_intent_data", "payment");
  wrongMode("subscription_data", "subscription");
  wrongMode("payment_method_collection", "subscription");
  if (params.customer !== undefined) world.find("customer", params.customer, "customer");
  else if (params.customer_update !== undefined) {
    throw invalid("`customer_update` can only be used with `customer`.", "customer_update");
  }
  if (params.customer_email !== undefined && !/^[^@\s]+@[^@\s]+$/.test(params.customer_email)) {
    throw invalid(
      `Invalid email address: ${params.customer_email}`,
      "customer_email",
      "email_invalid",
    );
  }
  if (expires !== undefined && expires < world.now() + HOUR / 2) {
    throw invalid(
      "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.",
      "expires_at",
    );
  }
  if (expires !== undefined && expires > world.now() + 24 * HOUR) {
    throw invalid(
      "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.",
      "expires_at",
    );
  }
  const { trial_end: end, trial_period_days: days } = params.subscription_data ?? {};
  if (end !== undefined && days !== undefined) {
    throw invalid(
      "You may only specify one of these parameters: trial_end, trial_period_days.",
      "subscription_data[trial_end]",
    );
  }
  if (days !== undefined && days < 1) {
    throw invalid(
      "The minimum number of trial period days is 1.",
      "subscription_data[trial_period_days]",
    );
  }
  if (end !== undefined && end < world.now() + 48 * HOUR) {
    throw invalid(
      "The `trial_end` date has to be at least 2 days in the future.",
      "subscription_data[trial_end]",
    );
  }
  if (days !== undefined) {
    checkTrialLength(world, world.now() + days * 86_400, "subscription_data[trial_period_days]");
  }
  if (end !== undefined) checkTrialLength(world, end, "subscription_data[trial_end]");
  if (params.subscription_data !== undefined) {
    checkAnchor(world, params.subscription_data, end ?? days);
  }
  if ((params.discounts?.length ?? 0) > 1) {
    throw invalid(
      "You can only apply one coupon or promotion code to a Checkout Session.",
      "discounts",
    );
  }
}

/** What the lines amount to, for the terms of a discount. */
interface Sum {
  readonly amount: number;
  readonly currency: string;
  readonly products: readonly (string | undefined)[];
}

type Price = Objects["price"];
type Line = NonNullable<Params["line_items"]>[number];

/** How many are sold; of a metered price it must not be said, and none was used yet. */
function quantityOf(
  { quantity }: Line,
  price: { readonly recurring: { readonly usage_type?: string | undefined } | null },
  at: string,
): number {
  checkMetered(price, quantity, at);
  if (price.recurring?.usage_type === "metered") return 0;
  if (quantity === undefined)
    throw invalid(`Quantity is required. Add \`quantity\` to \`${at}\``, at);
  if (quantity < 1) {
    throw invalid(
      "This value must be greater than or equal to 1.",
      `${at}[quantity]`,
      "parameter_invalid_integer",
    );
  }
  return quantity;
}

/** The currency that the session or its customer asks for. */
interface Wanted {
  readonly asked: string | undefined;
  readonly customer: string | null | undefined;
}

/** The currency of all lines: that of prices made on the spot, or one that all prices have. */
function currencyOf(
  world: World,
  terms: readonly { readonly found: Price | undefined; readonly currency: string }[],
  wanted: Wanted,
): string {
  const sold = terms.flatMap(({ found }) => found ?? []);
  const inline = terms.find(({ found }) => found === undefined)?.currency;
  const asked = wanted.asked ?? inline;
  const currency = commonCurrency(world, sold, { ...wanted, asked });
  for (const { found, currency: own } of terms) {
    if (found ? hasCurrency(world, found, currency) : own === currency) continue;
    throw refused(
      wanted.asked === undefined
        ? "All line items must use the same currency."
        : `The price specified only supports \`${own}\`. This doesn't match the expected currency: \`${currency}\`.`,
      "line_items",
    );
  }
  return currency;
}

/** Checks the lines without making anything, so that a refused request leaves no prices behind. */
export function checkLines(
  world: World,
  mode: string,
  lines: readonly Line[],
  {
    trial,
    wanted,
    inlinePrices = false,
  }: { readonly trial: boolean; readonly wanted: Wanted; readonly inlinePrices?: boolean },
): Sum {
  if (lines.length === 0)
    throw invalid("Missing required param: line_items.", "line_items", "parameter_missing");
  const terms = lines.map((line, index) => {
    const at = `line_items[${index}]`;
    const { price, price_data: data } = line;
    if (price !== undefined && data !== undefined) {
      throw invalid(
        "You may only specify one of these parameters: price, price_data.",
        `${at}[price]`,
      );
    }
    if (data !== undefined) {
      if ((data.product === undefined) === (data.product_data === undefined)) {
        throw invalid("You must specify either `product` or `product_data`.", `${at}[price_data]`);
      }
      if (data.product !== undefined)
        world.find("product", data.product, `${at}[price_data][product]`);
      if (data.unit_amount === undefined && data.unit_amount_decimal === undefined) {
        throw invalid(
          "You must specify either `unit_amount` or `unit_amount_decimal`.",
          `${at}[price_data]`,
        );
      }
      const recurring = data.recurring ?? null;
      const unit = data.unit_amount_decimal ?? String(data.unit_amount);
      const quantity = quantityOf(line, { recurring }, at);
      return {
        found: undefined,
        quantity,
        amount: timesDecimal(unit, quantity),
        currency: data.currency.toLowerCase(),
        product: data.product,
        recurring,
      };
    }
    if (price === undefined)
      throw invalid(`Missing required param: ${at}[price].`, `${at}[price]`, "parameter_missing");
    const found = world.find("price", price, `${at}[price]`);
    if (!found.active && !(inlinePrices && world.inline.has(price))) {
      throw refused(
        "The price specified is inactive. This field only accepts active prices.",
        `${at}[price]`,
      );
    }
    const { currency, product, recurring } = found;
    if (found.custom_unit_amount && found.custom_unit_amount.preset === null) {
      throw notModelled("a checkout whose customer enters an amount that has no preset");
    }
    return {
      found,
      quantity: quantityOf(line, found, at),
      amount: 0,
      currency,
      product,
      recurring,
    };
  });
  const recurring = terms.filter((term) => term.recurring !== null);
  const oneTime = terms.length - recurring.length;
  if (mode === "payment" && recurring.length > 0) {
    throw refused(
      "You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.",
    );
  }
  if (mode === "subscription" && recurring.length === 0) {
    throw refused(
      "You must provide at least one recurring price in `subscription` mode when using prices.",
    );
  }
  if (mode === "payment" && terms.length > 100) {
    throw invalid("You may only have up to 100 line items in `payment` mode.", "line_items");
  }
  if (mode === "subscription" && (recurring.length > 20 || oneTime > 20)) {
    throw invalid(
      "You may only have up to 20 line items with recurring prices and 20 with one-time prices in `subscription` mode.",
      "line_items",
    );
  }
  const currency = currencyOf(world, terms, wanted);
  const cycles = recurring.map(
    (term) => `${term.recurring?.interval_count ?? 1} ${term.recurring?.interval}`,
  );
  if (new Set(cycles).size > 1)
    throw notModelled("a subscription whose prices have different intervals");
  if (trial && oneTime > 0) throw notModelled("one-time line items together with a trial");
  return {
    amount: terms.reduce(
      (sum, { found: price, quantity, amount }) =>
        sum +
        (price ? firstAmount(world, { price, quantity }, { trial: false, currency }) : amount),
      0,
    ),
    currency,
    products: terms.map(({ product }) => product),
  };
}
