// Short ways to say what the mirror knows. Contents are cut down to what a state is made of.
import type { StripeObject } from "../../../../src/core/catalogue/catalogue.js";
import type { StoredRecord, SubscriptionFacts } from "../../../../src/core/mirror/store.js";

type Content = { readonly [field: string]: unknown };

export const START = 1_770_000_000;
export const END = START + 30 * 86_400;

export const item = (
  priceId: string,
  more: Content & { readonly product?: string; readonly metered?: true } = {},
): Content => {
  const { product = "prod_1", metered, ...rest } = more;
  return {
    id: `si_${priceId}`,
    current_period_start: START,
    current_period_end: END,
    ...(metered ? {} : { quantity: 1 }),
    price: {
      id: priceId,
      product,
      lookup_key: null,
      recurring: { interval: "month", usage_type: metered ? "metered" : "licensed" },
    },
    ...rest,
  };
};

export const subscription = (more: Content = {}): StripeObject<"subscriptions"> => {
  const { items = [item("price_1")], ...rest } = more;
  return {
    id: "sub_1",
    object: "subscription",
    customer: "cus_1",
    created: START,
    status: "active",
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
    trial_end: null,
    pause_collection: null,
    schedule: null,
    items: { data: items },
    ...rest,
  } as unknown as StripeObject<"subscriptions">;
};

export const product = (id: string, group?: string): StripeObject<"products"> =>
  ({
    id,
    metadata: group === undefined ? {} : { billing_group: group },
  }) as unknown as StripeObject<"products">;

export const price = (id: string, more: Content = {}): StripeObject<"prices"> =>
  ({
    id,
    lookup_key: null,
    recurring: { usage_type: "licensed" },
    ...more,
  }) as unknown as StripeObject<"prices">;

export const invoice = (finalized: number | null, of = "sub_1"): StripeObject<"invoices"> =>
  ({
    id: `in_${finalized}`,
    created: START + 1,
    status: "open",
    status_transitions: { finalized_at: finalized },
    parent: { subscription_details: { subscription: of } },
  }) as unknown as StripeObject<"invoices">;

export const schedule = (more: Content = {}): StripeObject<"subscription_schedules"> =>
  ({
    id: "sub_sched_1",
    status: "active",
    end_behavior: "release",
    current_phase: { start_date: START, end_date: END },
    phases: [phase(START, [{ price: "price_1", quantity: 1 }])],
    ...more,
  }) as unknown as StripeObject<"subscription_schedules">;

export const phase = (start_date: number, items: readonly Content[]): Content => ({
  start_date,
  end_date: start_date + 30 * 86_400,
  items,
});

export const lapse = (since: number, over = true): StoredRecord => ({
  kind: "lapse",
  id: "sub_1",
  revision: 1,
  ref: null,
  due: null,
  data: { since, over },
});

export const facts = (more: Partial<SubscriptionFacts> = {}): SubscriptionFacts => ({
  subscriptions: [subscription()],
  products: [product("prod_1")],
  invoices: [],
  schedules: [],
  prices: [],
  lapses: [],
  ...more,
});
