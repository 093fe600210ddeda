/** What the app sells, and what each plan includes. `npx backend-billing push` brings Stripe there. */
import { defineCatalogue, usd } from "backend-billing/catalogue";

export const catalogue = defineCatalogue({
  app: "inkwell",
  features: { notebooks: "limit", history: "boolean" },
  plans: {
    free: { name: "Free", default: true, features: { notebooks: 1 } },
    writer: {
      name: "Writer",
      prices: { monthly: usd("8").monthly(), yearly: usd("80").yearly() },
      features: { notebooks: 10 },
    },
    author: {
      name: "Author",
      prices: { monthly: usd("20").monthly(), yearly: usd("200").yearly() },
      features: { notebooks: 100, history: true },
    },
  },
});
