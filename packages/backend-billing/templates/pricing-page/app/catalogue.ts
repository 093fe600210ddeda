/** Stands for the application's own catalogue, so that the templates compile here. Not published. */
import { defineCatalogue, usd } from "backend-billing/catalogue";

export const catalogue = defineCatalogue({
  app: "acme",
  features: {
    projects: "limit",
    prioritySupport: "boolean",
    apiCalls: { meter: "api_calls" },
  },
  plans: {
    free: { name: "Free", default: true, features: { projects: 3 } },
    pro: {
      name: "Pro",
      prices: { monthly: usd("20").monthly(), yearly: usd("200").yearly() },
      trialDays: 14,
      features: { projects: 100, apiCalls: { included: 10_000, overage: usd("0.01") } },
    },
    team: {
      name: "Team",
      prices: {
        monthly: usd("12.50").perSeat().monthly(),
        yearly: usd("125").perSeat().yearly(),
      },
      features: { projects: "unlimited", prioritySupport: true },
    },
    legacy: { name: "Legacy", prices: { monthly: usd("9").monthly() }, retired: true },
  },
});
