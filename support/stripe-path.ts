/** Where Stripe's API has the objects of a resource, and which there are. */
import {
  ownerFieldOf,
  type ResourceName,
} from "../packages/backend-billing/src/core/catalogue/catalogue.js";
import { resources } from "../packages/backend-billing/src/core/catalogue/resources.js";
import type { StripeDouble } from "../packages/backend-billing/src/testing/index.js";

/** Where it is not the resource's own name. */
const PATHS: { readonly [name in ResourceName]?: string } = {
  checkout_sessions: "checkout/sessions",
  invoice_items: "invoiceitems",
  early_fraud_warnings: "radar/early_fraud_warnings",
  portal_configurations: "billing_portal/configurations",
  features: "entitlements/features",
  meters: "billing/meters",
  credit_grants: "billing/credit_grants",
  active_entitlements: "entitlements/active_entitlements",
  product_features: "products",
  credit_balance_transactions: "billing/credit_balance_transactions",
  discounts: "subscriptions",
};

interface ListOfOwner {
  readonly owner: string;
  readonly path: string;
  /** The field with the list, where the path leads to the owner. */
  readonly field?: "discounts";
}

/** The lists of what does not name its owner, with whose they are. */
export function listsByOwner(double: StripeDouble, resource: ResourceName): readonly ListOfOwner[] {
  const ids = (object: "customer" | "product" | "subscription") => idsOf(double.objects(object));
  if (resource === "discounts") {
    const path = (owner: string) => `subscriptions/${owner}?expand[]=discounts`;
    return ids("subscription").map((owner) => ({ owner, path: path(owner), field: resource }));
  }
  if (resource === "product_features") {
    return ids("product").map((owner) => ({ owner, path: `products/${owner}/features` }));
  }
  if (ownerFieldOf(resource) === undefined) return [];
  return ids("customer").map((owner) => ({
    owner,
    path: `${stripePath(resource)}?customer=${owner}`,
  }));
}

export const stripePath = (resource: ResourceName): string => PATHS[resource] ?? resource;

const idsOf = (objects: readonly { readonly id: string }[]): readonly string[] =>
  objects.map(({ id }) => id);

/** The ids of what can be mirrored, looked up in the double itself: lists may hide some. */
export function idsAtStripe(double: StripeDouble, resource: ResourceName): readonly string[] {
  const { object } = resources[resource];
  // A plan is a recurring price, shown in another way.
  if (object === "plan") return idsOf(double.objects("price").filter((price) => price.recurring));
  // One that never belonged to a customer is in no list, and no event tells of it.
  if (object === "payment_method") {
    return idsOf(double.objects(object).filter((method) => method.customer !== null));
  }
  if (object === "discount")
    return double.objects("subscription").flatMap((each) => each.discounts);
  return idsOf(double.objects(object));
}
