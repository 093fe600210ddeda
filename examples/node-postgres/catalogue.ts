/** What the app sells, and what each plan includes. `npx backend-billing push` brings Stripe there. */
import { defineCatalogue, usd } from "backend-billing/catalogue";

export const catalogue = defineCatalogue({
  app: "paperboat",
  features: { members: "limit", support: "boolean", sends: "credits" },
  plans: {
    free: { name: "Free", default: true, features: { members: 2, sends: { included: 100 } } },
    starter: {
      name: "Starter",
      prices: { monthly: usd("9").monthly(), yearly: usd("90").yearly() },
      features: { members: 5, sends: { included: 5_000 } },
    },
    studio: {
      name: "Studio",
      prices: { monthly: usd("29").perSeat().monthly(), yearly: usd("290").perSeat().yearly() },
      features: { members: 50, support: true, sends: { included: 50_000 } },
    },
  },
  packs: {
    sends: { name: "10,000 extra sends", price: usd("15"), credits: { sends: 10_000 } },
  },
});
