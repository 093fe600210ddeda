/** What a function and its host agree on: what is sold, what is told, and the settings. */
import { defineCatalogue, usd } from "../../../src/catalogue/index.js";
import type { PostgresConfig } from "../../../src/postgres/index.js";

export const ORIGIN = "https://app.example";
export const CRON_SECRET = "a long text that is hard to guess";

export const catalogue = defineCatalogue({
  app: "acme",
  features: { calls: { meter: "calls" } },
  plans: {
    pro: {
      name: "Pro",
      prices: { monthly: usd("20").monthly() },
      features: { calls: { overage: usd("0.01") } },
    },
  },
});

export const TOLD = ["customer.linked", "subscription.started", "subscription.ended"] as const;

/** What a function is started with. */
export interface Order {
  readonly database: string;
  readonly config: Omit<PostgresConfig, "db" | "on" | "catalogue">;
  /** It answers webhooks before it stores them, to show that this would be found. */
  readonly isFaulty: boolean;
}
