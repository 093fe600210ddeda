/**
 * Which rates apply to something that is sold. A rate of its own comes before that of its invoice
 * or subscription; automatic tax has one rate in the double, and its behavior is the price's.
 */
import type Stripe from "stripe";
import { invalid, refused } from "../../api/errors.js";
import { referenced } from "../../resources/common.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import type { TaxRate } from "./taxes.js";

type Customer = Plain<Stripe.Customer>;

/** How an invoice or a session is taxed, before it is known what is on it. */
export interface TaxTerms {
  readonly automatic: boolean;
  readonly defaults: readonly TaxRate[];
}

/** What a subscription says of its automatic tax. */
export const automaticTax = (enabled: boolean): Plain<Stripe.Subscription>["automatic_tax"] => ({
  disabled_reason: null,
  enabled,
  liability: enabled ? { type: "self" } : null,
});

/** What an invoice says of it: its tax is computed as soon as it is drafted. */
export const invoiceTax = (enabled: boolean): Plain<Stripe.Invoice>["automatic_tax"] => ({
  ...automaticTax(enabled),
  provider: enabled ? "stripe" : null,
  status: enabled ? "complete" : null,
});

export const UNTAXED: TaxTerms = { automatic: false, defaults: [] };

/** The rates for one line. An exempt customer pays none of them, which `exemption` says. */
export function ratesFor(
  world: World,
  terms: TaxTerms,
  own: readonly TaxRate[],
  price: string | undefined,
): readonly TaxRate[] {
  if (!terms.automatic) return own.length > 0 ? own : terms.defaults;
  if (world.taxPercentage === 0) return [];
  const behavior = world.objects.price.get(price ?? "")?.tax_behavior;
  return [automaticRate(world, behavior === "inclusive")];
}

/** Stripe makes the rates of automatic tax by itself; they are inactive, and raise no event. */
function automaticRate(world: World, inclusive: boolean): TaxRate {
  const known = [...world.objects.tax_rate.values()].find(
    ({ id, inclusive: inside }) => world.hidden.get(id)?.automatic && inside === inclusive,
  );
  if (known !== undefined) return known;
  const percentage = world.taxPercentage;
  const rate = newRate(world, { display_name: "Tax", inclusive, percentage, active: false });
  world.hidden.set(rate.id, { automatic: true });
  return world.objects.tax_rate.add({ ...rate, effective_percentage: percentage });
}

/** `ids` as the rates that they are, each once and at most five; archived ones are refused. */
export function ratesNamed(world: World, ids: readonly string[], param: string): TaxRate[] {
  if (ids.length > 5) throw invalid(`You can only set up to 5 tax rates in ${param}.`, param);
  return ids.map((id, index) => {
    const rate = referenced(world, "tax_rate", id, `${param}[${index}]`);
    if (!rate.active) throw refused(`The tax rate ${id} is archived and cannot be used.`, param);
    return rate;
  });
}

export interface NewRate {
  readonly display_name: string;
  readonly inclusive: boolean;
  readonly percentage: number;
  readonly active?: boolean | undefined;
}

export function newRate(world: World, params: NewRate): TaxRate {
  return {
    id: world.id("txr"),
    object: "tax_rate",
    active: params.active ?? true,
    country: null,
    created: world.now(),
    description: null,
    display_name: params.display_name,
    effective_percentage: null,
    flat_amount: null,
    inclusive: params.inclusive,
    jurisdiction: null,
    jurisdiction_level: null,
    livemode: world.livemode,
    metadata: {},
    percentage: params.percentage,
    rate_type: "percentage",
    state: null,
    tax_type: null,
  };
}

type Reason = "customer_exempt" | "reverse_charge" | "not_available" | "standard_rated";

/** Why a line has this tax: by hand nothing is known, and an exempt customer pays none. */
export function taxabilityReason(automatic: boolean, exempt: Customer["tax_exempt"]): Reason {
  if (exempt === "exempt") return "customer_exempt";
  if (exempt === "reverse") return "reverse_charge";
  return automatic ? "standard_rated" : "not_available";
}

export const isExempt = (exempt: Customer["tax_exempt"]): boolean =>
  exempt === "exempt" || exempt === "reverse";
