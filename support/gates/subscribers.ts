/**
 * Entities with random subscriptions, as the mirror has them: every status, open invoices of any age,
 * and records of a grace that fit or are of another time.
 */
import { defineCatalogue, usd } from "../../packages/backend-billing/src/catalogue/index.js";
import type { Batch, Snapshot } from "../../packages/backend-billing/src/core/mirror/store.js";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { event } from "../conformance/fixtures.js";

const prices = { monthly: usd("20").monthly() };

/** What the products below are. */
export const catalogue = defineCatalogue({
  app: "acme",
  features: { sso: "boolean", projects: "limit", seats: { limit: "highest" } },
  plans: {
    free: { name: "Free", default: true, features: { projects: 3, seats: 1 } },
    pro: { name: "Pro", prices, features: { sso: true, projects: 100, seats: 5 } },
    team: { name: "Team", was: "crew", prices, features: { projects: "unlimited", seats: 50 } },
    help: { name: "Help", group: "support", prices, features: { projects: 10, seats: 2 } },
  },
});

export const GROUPS = ["main", "support", "other"] as const;

const PRODUCTS = ["acme_pro", "acme_crew", "acme_help", "acme_usage_calls", "prod_1", "prod_2"];
const STATUSES = [
  ...["active", "trialing", "past_due", "past_due", "past_due"],
  ...["unpaid", "incomplete", "canceled", "incomplete_expired", "paused"],
];
const START = 1_770_000_000;

/** What is stored of one entity. */
export interface Subscriber {
  readonly entityId: string;
  readonly snapshots: readonly Snapshot[];
  readonly records: NonNullable<Batch["records"]>;
}

/** The products that are mirrored; `prod_2` is not. */
export const productSnapshots = (): readonly Snapshot[] => [
  ...PRODUCTS.slice(0, 4).map((id) => event("products", id, 100)),
  event("products", "prod_1", 100, { metadata: { billing_group: "other" } }),
];

export function subscriberOf(seed: number, number: number): Subscriber {
  const next = stream(seed, "subscriber", number);
  const below = (count: number) => Math.floor(next() * count);
  const one = <T>(all: readonly T[]): T => all[below(all.length)] as T;
  const entityId = `entity_${number}`;
  const customer = `cus_${number}`;
  const snapshots: Snapshot[] = [event("customers", customer, 100)];
  const records: { -readonly [K in keyof Subscriber]: Subscriber[K] }["records"][number][] = [
    { kind: "claim", id: entityId, expect: 0, next: { ref: customer, due: null, data: {} } },
  ];
  for (let index = below(4); index > 0; index--) {
    const id = `sub_${number}_${index}`;
    const starts = Array.from({ length: 1 + below(3) }, () => START + below(3));
    const data = starts.map((current_period_start, place) => ({
      id: `si_${id}_${place}`,
      quantity: 1,
      current_period_start,
      current_period_end: current_period_start + 86_400,
      price: { id: `price_${place}`, product: one(PRODUCTS), lookup_key: null, recurring: {} },
    }));
    snapshots.push(
      event("subscriptions", id, 100, {
        customer,
        created: START + below(3),
        status: one(STATUSES),
        schedule: null,
        cancel_at: null,
        items: { data },
      }),
    );
    const finalised: number[] = [];
    for (let left = below(3); left > 0; left--) {
      const created = START + below(5);
      const finalized_at = one([null, created, created + 1]);
      const status = one(["open", "open", "paid"]);
      if (status === "open") finalised.push(finalized_at ?? created);
      const parent = { subscription_details: { subscription: id } };
      const more = { customer, created, status, status_transitions: { finalized_at }, parent };
      snapshots.push(event("invoices", `in_${id}_${left}`, 100, more));
    }
    const since = finalised.length > 0 ? Math.min(...finalised) : Math.min(...starts);
    if (below(4) === 0) continue;
    const state = { since: (since + one([0, 0, 0, 1])) * 1000, over: below(4) > 0 };
    records.push({ kind: "lapse", id, expect: 0, next: { ref: null, due: null, data: state } });
  }
  return { entityId, snapshots, records };
}
