/**
 * Indexes by which the newest objects of an owner are found. Documents stand in the order in which they
 * were stored, and a list of Stripe's is stored with the newest object first.
 */
import type { ResourceName } from "../../core/catalogue/catalogue.js";

/** The indexes on an owner that have such a one beside them. */
const OWNED: { readonly [N in ResourceName]?: readonly string[] } = {
  subscriptions: ["byCustomerId"],
  invoices: ["byCustomerId", "bySubscriptionId"],
  payment_methods: ["byCustomerId"],
  payment_intents: ["byCustomerId"],
  charges: ["byCustomerId"],
  checkout_sessions: ["byCustomerId", "byClientReferenceId"],
};

/** When Stripe made the object of a document. */
export const CREATED = "stripe.created";

/** The index on an owner and on when the objects were made; undefined where there is none. */
export const orderedIndex = (resource: ResourceName, index: string): string | undefined =>
  OWNED[resource]?.includes(index) ? `${index}AndCreated` : undefined;
