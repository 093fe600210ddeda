/** A catalogue with balances, and what the mirror has of entities that subscribe to it. */
import { defineCatalogue, usd } from "../../packages/backend-billing/src/catalogue/index.js";
import type { Batch, Store } from "../../packages/backend-billing/src/core/mirror/store.js";
import { batch, event } from "../conformance/fixtures.js";

export const catalogue = defineCatalogue({
  app: "acme",
  features: { credits: "credits", calls: { meter: "api_calls" } },
  plans: {
    free: { name: "Free", default: true, features: { credits: { included: 10 } } },
    pro: {
      name: "Pro",
      prices: { monthly: usd("20").monthly(), yearly: usd("200").yearly() },
      features: {
        credits: { included: 100 },
        calls: { included: 1_000, overage: usd("0.01"), cap: 1_500 },
      },
    },
    team: {
      name: "Team",
      prices: { monthly: usd("50").monthly() },
      features: { credits: { included: 500 }, calls: { overage: usd("0.01") } },
    },
  },
});

/** What an entity has; milliseconds. */
export interface Subscribed {
  readonly plan: "pro" | "team";
  readonly status?: string;
  readonly from: number;
  readonly until: number;
  readonly interval?: "month" | "year";
  readonly cancelAt?: number | null;
}

/** What the mirror has of an entity's subscription, as Stripe said it in a second. */
function subscribed(entityId: string, of: Subscribed, second: number): Batch {
  const { plan, status = "active", interval = "month", cancelAt = null, from, until } = of;
  const customer = `cus_${entityId}`;
  const recurring = { interval, interval_count: 1, usage_type: "licensed" };
  const price = { id: `price_${plan}`, product: `acme_${plan}`, lookup_key: null, recurring };
  const period = { current_period_start: from / 1000, current_period_end: until / 1000 };
  const items = { data: [{ id: `si_${entityId}`, quantity: 1, price, ...period }] };
  return batch(
    event("customers", customer, second),
    event("subscriptions", `sub_${entityId}`, second, {
      customer,
      status,
      created: from / 1000,
      schedule: null,
      cancel_at: cancelAt === null ? null : cancelAt / 1000,
      cancel_at_period_end: false,
      billing_cycle_anchor: from / 1000,
      items,
    }),
  );
}

/** Has the mirror show a subscription, each time as another event. */
export function subscriber(store: Pick<Store, "commit" | "record">) {
  let second = 0;
  return async (entityId: string, of: Subscribed): Promise<void> => {
    second += 1_000; // far enough apart that no clock could have mixed them up
    const next = { ref: `cus_${entityId}`, due: null, data: {} };
    const isKnown = (await store.record("claim", entityId)) !== undefined;
    await store.commit({
      ...subscribed(entityId, of, second),
      ...(isKnown ? {} : { records: [{ kind: "claim", id: entityId, expect: 0, next }] }),
    });
  };
}
