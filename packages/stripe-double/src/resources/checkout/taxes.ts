/** How a checkout session is taxed, by what its request says. */
import { invalid, refused } from "../../api/errors.js";
import type { LineTaxes } from "../../billing/checkout/lines.js";
import { isLocated } from "../../billing/taxes/location.js";
import { isExempt, ratesNamed } from "../../billing/taxes/rates.js";
import type { Objects, World } from "../../world/world.js";
import type { CheckoutParams } from "./params.js";

/** What the session knows of taxes, and whether it can compute them before an address is entered. */
export function checkoutTaxes(
  world: World,
  params: CheckoutParams,
  customer: Objects["customer"] | undefined,
): LineTaxes & { readonly located: boolean } {
  const automatic = params.automatic_tax?.enabled ?? false;
  const named = params.subscription_data?.default_tax_rates ?? [];
  const defaults = ratesNamed(world, named, "subscription_data[default_tax_rates]");
  const rates = (params.line_items ?? []).map(({ tax_rates: ids = [] }, index) =>
    ratesNamed(world, ids, `line_items[${index}][tax_rates]`),
  );
  if (automatic && [defaults, ...rates].some(({ length }) => length > 0)) {
    throw invalid("You cannot set tax rates when automatic tax is enabled.", "automatic_tax");
  }
  const located = customer !== undefined && isLocated(world, customer);
  const saves = params.customer_update?.address === "auto";
  if (automatic && customer !== undefined && !located && !saves) {
    throw refused(
      "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in Checkout to the Customer.",
      undefined,
      "customer_tax_location_invalid",
    );
  }
  return { automatic, defaults, rates, located, exempt: isExempt(customer?.tax_exempt) };
}
