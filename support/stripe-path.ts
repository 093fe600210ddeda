/** Where Stripe's API has the objects of a resource. */
import type { ResourceName } from "../packages/backend-billing/src/core/catalogue/catalogue.js";

export const stripePath = (resource: ResourceName): string =>
  resource === "checkout_sessions" ? "checkout/sessions" : resource;
