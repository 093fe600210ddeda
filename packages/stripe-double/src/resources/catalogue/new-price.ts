/** Making a price; a product may be made with its first one. */
import type Stripe from "stripe";
import { invalid, refused } from "../../api/errors.js";
import { planOf } from "../../billing/plan.js";
import type { CurrencyOptions } from "../../billing/prices/rates.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { mergeMetadata, referenced } from "../common.js";
import { amountsFrom, optionFrom } from "./price-amounts.js";
import type { PriceParams } from "./price-shapes.js";

type Price = Plain<Stripe.Price>;

export function createPrice(
  world: World,
  params: PriceParams & {
    product: string;
    active?: boolean | undefined;
    lookup_key?: string | undefined;
    metadata?: Record<string, string> | null | undefined;
    nickname?: string | null | undefined;
    /** Of the request; older ones take metered prices without a meter. */
    version?: string | undefined;
  },
): Price {
  referenced(world, "product", params.product, "product");
  const tiered = params.billing_scheme === "tiered";
  checkTerms(params, tiered);
  const { tiers, ...amounts } = amountsFrom(params, tiered, "");
  const recurring = recurringOf(world, params.recurring, params.version ?? world.version);
  const price: Price = {
    id: world.id("price"),
    object: "price",
    active: params.active ?? true,
    billing_scheme: tiered ? "tiered" : "per_unit",
    created: world.now(),
    currency: params.currency.toLowerCase(),
    livemode: world.livemode,
    lookup_key: params.lookup_key ?? null,
    metadata: mergeMetadata({}, params.metadata),
    nickname: params.nickname ?? null,
    product: params.product,
    recurring,
    tax_behavior: params.tax_behavior ?? "unspecified",
    tiers_mode: params.tiers_mode ?? null,
    transform_quantity: params.transform_quantity ?? null,
    type: recurring ? "recurring" : "one_time",
    ...amounts,
  };
  world.objects.price.add(price);
  const others = currencyOptionsFrom(params.currency_options ?? {}, price);
  const isCounted = recurring?.usage_type === "metered" && recurring.meter === null;
  const hidden = {
    ...(tiers ? { tiers } : {}),
    ...(Object.keys(others).length > 0 ? { currency_options: others } : {}),
    ...(isCounted ? { aggregate_usage: params.recurring?.aggregate_usage ?? "sum" } : {}),
  };
  if (Object.keys(hidden).length > 0) world.hidden.set(price.id, hidden);
  if (price.recurring) world.raise("plan.created", planOf(price));
  world.raise("price.created", price);
  return price;
}

/** What a price costs in currencies other than its own. */
export function currencyOptionsFrom(
  params: NonNullable<PriceParams["currency_options"]>,
  { billing_scheme: scheme, currency }: Pick<Price, "billing_scheme" | "currency">,
): CurrencyOptions {
  const others = Object.entries(params).filter(([name]) => name.toLowerCase() !== currency);
  return Object.fromEntries(
    others.map(([name, option]) => [
      name.toLowerCase(),
      optionFrom(option, scheme === "tiered", `currency_options[${name}]`),
    ]),
  );
}

function checkTerms(params: PriceParams, tiered: boolean): void {
  if (tiered !== (params.tiers_mode !== undefined)) {
    throw invalid(
      "`tiers_mode` must be set if and only if `billing_scheme` is `tiered`.",
      "tiers_mode",
    );
  }
  if (params.transform_quantity === undefined) return;
  if (tiered) throw invalid("`transform_quantity` cannot be combined with `tiers`.", "tiers");
  if (params.transform_quantity.divide_by < 1) {
    throw invalid(
      "This value must be greater than or equal to 1.",
      "transform_quantity[divide_by]",
      "parameter_invalid_integer",
    );
  }
}

/** The first API version in which usage is counted by meters only. */
const METERS_ONLY = "2025-03-31";

function recurringOf(
  world: World,
  params: PriceParams["recurring"],
  version: string,
): Price["recurring"] {
  if (params === undefined) return null;
  const isMetered = params.usage_type === "metered";
  const needsMeter = isMetered && version.slice(0, 10) >= METERS_ONLY;
  if ((needsMeter && params.meter === undefined) || (!isMetered && params.meter !== undefined)) {
    throw invalid(
      "Metered prices need `recurring[meter]`, and no other price takes it.",
      "recurring[meter]",
    );
  }
  if (params.meter !== undefined) {
    const { status } = referenced(world, "billing.meter", params.meter, "recurring[meter]");
    if (status !== "active") {
      throw refused("A deactivated meter cannot be attached to a price.", "recurring[meter]");
    }
  }
  return {
    interval: params.interval,
    interval_count: params.interval_count ?? 1,
    meter: params.meter ?? null,
    trial_period_days: params.trial_period_days ?? null,
    usage_type: params.usage_type ?? "licensed",
  };
}
