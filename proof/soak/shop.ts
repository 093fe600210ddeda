/** What the soak's application sells, and what its processes are started with. */
import { defineCatalogue, usd } from "../../packages/backend-billing/src/catalogue/index.js";

export const catalogue = defineCatalogue({
  app: "soak",
  features: { sso: "boolean", credits: "credits" },
  plans: {
    free: { name: "Free", default: true, features: { credits: { included: 1_000_000 } } },
    pro: {
      name: "Pro",
      prices: { monthly: usd("20").monthly() },
      features: { sso: true, credits: { included: 2_000_000 } },
    },
  },
});

/** Entities that use what their plan includes. */
export const USERS = 200;

/** An event of Stripe's that nothing in the mirror comes from; the application has a handler for it. */
export const RAW = "balance.available";

/** What can be broken on purpose, to show that the soak finds it. */
export const BREAKS = ["memory", "connection", "timer", "hook", "mirror"] as const;
export type Break = (typeof BREAKS)[number];

export interface StripeOrder {
  readonly customers: number;
  readonly subscriptions: number;
  readonly seed: string;
  /** Where the application takes webhooks. */
  readonly webhook: string;
}

export interface AppOrder {
  readonly database: string;
  readonly port: number;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly stripe: { readonly host: string; readonly port: number; readonly protocol: "http" };
  readonly break?: Break | undefined;
}
