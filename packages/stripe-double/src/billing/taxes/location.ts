/** Where a customer is, as far as automatic tax is concerned. */
import type Stripe from "stripe";
import { refused } from "../../api/errors.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";

type Customer = Plain<Stripe.Customer>;
type CustomerTax = NonNullable<Customer["tax"]>;
type Address = NonNullable<Customer["address"]>;

/** What each country needs to be recognized (docs: tax/customer-locations). */
function isEnough({ country, postal_code: code, state }: Partial<Address>): boolean {
  if (country === "US") return Boolean(code);
  return country === "CA" ? Boolean(code || state) : Boolean(country);
}

/** The first of the places that Stripe looks at, in its order. */
function locationOf(world: World, customer: Customer): CustomerTax["location"] {
  const places = [
    ["shipping_destination", customer.shipping?.address],
    ["billing_address", customer.address],
  ] as const;
  for (const [source, address] of places) {
    if (!address || !isEnough(address)) continue;
    return { country: address.country ?? "", source, state: address.state ?? null };
  }
  return ipAddress(world, customer.id)
    ? { country: "US", source: "ip_address", state: null }
    : null;
}

function ipAddress(world: World, customer: string): string | null {
  const known = world.hidden.get(customer)?.ip_address;
  return typeof known === "string" ? known : null;
}

export const isLocated = (world: World, customer: Customer): boolean =>
  locationOf(world, customer) !== null;

/** `customer.tax`, which Stripe shows only when it is asked for. */
export function customerTax(world: World, customer: Customer): CustomerTax {
  const location = locationOf(world, customer);
  const collects = world.taxPercentage > 0;
  return {
    automatic_tax:
      location === null ? "unrecognized_location" : collects ? "supported" : "not_collecting",
    ip_address: ipAddress(world, customer.id),
    location,
    provider: "stripe",
  };
}

/** Keeps the address that a request says the customer was seen at, and checks if it says so. */
export function noteLocation(
  world: World,
  customer: Customer,
  said:
    | {
        readonly ip_address: string | null | undefined;
        readonly validate_location: string | undefined;
      }
    | undefined,
): void {
  const { ip_address: address, validate_location: validates } = said ?? {};
  if (address !== undefined) {
    world.hidden.set(customer.id, { ...world.hidden.get(customer.id), ip_address: address });
  }
  if (validates === "immediately") checkLocation(world, customer);
}

/** Refuses automatic tax for a customer whose location Stripe could not tell. */
export function checkLocation(world: World, customer: Customer): void {
  if (isLocated(world, customer)) return;
  throw refused(
    "The customer's location isn't recognized. Set a valid customer address in order to automatically calculate tax.",
    undefined,
    "customer_tax_location_invalid",
  );
}
