/** Making a price; a product may be made with its first one. */
import type Stripe from "stripe";
import { invalid } from "../../api/errors.js";
import type { Parsed } from "../../api/params.js";
import { planOf } from "../../billing/plan.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { mergeMetadata, referenced } from "../common.js";
import type { priceDataShape } from "./price-shapes.js";

type Data = Partial<Parsed<typeof priceDataShape>> & { currency: string };

export function createPrice(
  world: World,
  params: Data & {
    product: string;
    active?: boolean | undefined;
    lookup_key?: string | undefined;
    metadata?: Record<string, string> | null | undefined;
    nickname?: string | null | undefined;
  },
): Plain<Stripe.Price> {
  referenced(world, "product", params.product, "product");
  const exact = params.unit_amount_decimal ?? params.unit_amount?.toString();
  if (exact === undefined) {
    throw invalid(
      "You must specify either `unit_amount` or `unit_amount_decimal`.",
      "unit_amount",
      "parameter_missing",
    );
  }
  // Meters and usage are not modelled: a meter's id is taken as it is, and nothing is ever used.
  if ((params.recurring?.usage_type === "metered") !== (params.recurring?.meter !== undefined)) {
    throw invalid(
      "Metered prices need `recurring[meter]`, and no other price takes it.",
      "recurring[meter]",
    );
  }
  const whole = Number(exact);
  if (whole < 0) throw invalid(`Invalid non-negative integer: ${exact}`, "unit_amount");
  const price: Plain<Stripe.Price> = {
    id: world.id("price"),
    object: "price",
    active: params.active ?? true,
    billing_scheme: "per_unit",
    created: world.now(),
    currency: params.currency.toLowerCase(),
    custom_unit_amount: null,
    livemode: world.livemode,
    lookup_key: params.lookup_key ?? null,
    metadata: mergeMetadata({}, params.metadata),
    nickname: params.nickname ?? null,
    product: params.product,
    recurring: params.recurring
      ? {
          interval: params.recurring.interval,
          interval_count: params.recurring.interval_count ?? 1,
          meter: params.recurring.meter ?? null,
          trial_period_days: params.recurring.trial_period_days ?? null,
          usage_type: params.recurring.usage_type ?? "licensed",
        }
      : null,
    tax_behavior: params.tax_behavior ?? "unspecified",
    tiers_mode: null,
    transform_quantity: null,
    type: params.recurring ? "recurring" : "one_time",
    unit_amount: Number.isInteger(whole) ? whole : null,
    unit_amount_decimal: exact,
  };
  world.objects.price.add(price);
  if (price.recurring) world.raise("plan.created", planOf(price));
  world.raise("price.created", price);
  return price;
}
