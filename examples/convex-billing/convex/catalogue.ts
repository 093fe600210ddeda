import { defineCatalogue, usd } from "backend-billing/catalogue";

export const catalogue = defineCatalogue({
  app: "acme",
  features: { projects: "limit" },
  plans: {
    free: { name: "Free", default: true, features: { projects: 1 } },
    pro: {
      name: "Pro",
      prices: { monthly: usd("20").monthly(), yearly: usd("200").yearly() },
      features: { projects: 100 },
    },
  },
});
