/** What queries and mutations call: the library's reads, by the catalogue. They never ask Stripe. */
import { createLocal } from "backend-billing/convex/local";
import { catalogue } from "./catalogue";

export const { subscriptionOf, can, limit, purchaseBy, usageOf, consume, seatsChanged, onEvent } =
  createLocal({ catalogue, module: "stripe" });
