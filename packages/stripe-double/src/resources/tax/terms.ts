/** How a request says what is to be taxed, and what Stripe refuses of it. */
import type Stripe from "stripe";
import { invalid, notModelled } from "../../api/errors.js";
import { flag, group, oneOf, required, word } from "../../api/params.js";
import { checkLocation } from "../../billing/taxes/location.js";
import { ratesNamed, type TaxTerms } from "../../billing/taxes/rates.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";

export const automaticTaxShape = group({
  enabled: required(flag),
  liability: group({ account: word, type: required(oneOf("account", "self")) }),
});

export interface AutomaticTax {
  readonly enabled: boolean;
  readonly liability: { readonly type: string } | undefined;
}

interface Asked {
  readonly automatic_tax?: AutomaticTax | undefined;
  readonly default_tax_rates?: readonly string[] | undefined;
}

/** The terms that a request asks for; what it leaves out stays as it was. */
export function taxTerms(
  world: World,
  customer: Plain<Stripe.Customer>,
  { automatic_tax: tax, default_tax_rates: named }: Asked,
  before: TaxTerms,
): TaxTerms {
  if (tax?.liability?.type === "account")
    throw notModelled("tax that another account is liable for");
  const automatic = tax?.enabled ?? before.automatic;
  const defaults = named ? ratesNamed(world, named, "default_tax_rates") : before.defaults;
  if (automatic && defaults.length > 0) {
    throw invalid(
      "You cannot set tax rates when automatic tax is enabled: leave out `default_tax_rates`.",
      "default_tax_rates",
    );
  }
  if (automatic && !before.automatic) checkLocation(world, customer);
  return { automatic, defaults };
}
