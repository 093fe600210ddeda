/** What the shop sells: credits for all, a plan with calls that Stripe counts, and a pack. */
import { defineCatalogue, usd } from "../../packages/backend-billing/src/catalogue/index.js";

export const catalogue = defineCatalogue({
  app: "acme",
  features: { credits: "credits", calls: { meter: "calls" } },
  plans: {
    free: { name: "Free", default: true, features: { credits: { included: 1_000_000 } } },
    pro: {
      name: "Pro",
      prices: { monthly: usd("20").monthly() },
      features: { credits: { included: 1_000_000 }, calls: { overage: usd("0.01") } },
    },
  },
});
