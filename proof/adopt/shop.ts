/** An account with customers that no entity has, a file of pairs, and what must become of each. */
import type pg from "pg";
import Stripe from "stripe";
import {
  createBilling,
  type PostgresConfig,
} from "../../packages/backend-billing/src/postgres/index.js";
import {
  createStripeDouble,
  type StripeDouble,
} from "../../packages/backend-billing/src/testing/index.js";

/** A line of the file; `code` is what it must be refused with, undefined if it must be linked. */
export interface Line {
  readonly entityId: string;
  readonly customerId: string;
  readonly code: string | undefined;
}

export interface Shop {
  readonly double: StripeDouble;
  readonly lines: readonly Line[];
  /** Links that were there before, by entity. */
  readonly before: ReadonlyMap<string, string>;
}

export const RESOURCES = ["products", "prices", "customers", "subscriptions"] as const;

/** A tenth of the pairs is wrong, an eighth of that in each of eight ways. */
export async function openShop(pairs: number, pool: pg.Pool): Promise<Shop> {
  const none = { global: 1e9, endpoint: 1e9, search: 1e9 };
  const double = await createStripeDouble({ rateLimits: none, delivery: "held" });
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const config: PostgresConfig = {
    secret_key: double.secretKey,
    webhook_secret: "whsec_none",
    db: pool,
    base_url: "http://127.0.0.1",
    resources: [...RESOURCES],
    stripe_options: double.stripeConfig,
  };
  const { billing, setup, store } = createBilling(config);
  await store.migrate();
  double.populate({ object: "customer", count: pairs });
  const ids = double.objects("customer").map(({ id }) => id);
  const before = new Map<string, string>();
  const wrong: ((n: number, id: string) => Promise<Line[]>)[] = [
    async (n, id) => {
      await stripe.customers.del(id);
      return [line(`deleted_${n}`, id, "customer_not_found")];
    },
    async (n) => [line(`missing_${n}`, `cus_missing${n}`, "customer_not_found")],
    async (n, id) => {
      await stripe.customers.update(id, { metadata: { entityId: `theirs_${n}` } });
      return [line(`marked_${n}`, id, "already_linked")];
    },
    async (n, id) => {
      await stripe.customers.update(id, { metadata: { billingApp: "other" } });
      return [line(`app_${n}`, id, "already_linked")];
    },
    async (n, id) => {
      await billing.adopt({ entityId: `owner_${n}`, customerId: id });
      before.set(`owner_${n}`, id);
      return [line(`taken_${n}`, id, "already_linked")];
    },
    async (n, id) => {
      before.set(`has_${n}`, (await setup({ entityId: `has_${n}` })).customerId);
      return [line(`has_${n}`, id, "already_linked")];
    },
    async (n, id) => [line(`first_${n}`, id, "duplicate"), line(`second_${n}`, id, "duplicate")],
    async (n, id) => [line(n % 2 ? "" : `long_${n}`, n % 2 ? id : "", "malformed")],
  ];
  const lines: Line[] = [];
  for (const [n, id] of ids.entries()) {
    const make = n % 10 === 0 ? wrong[(n / 10) % wrong.length] : undefined;
    lines.push(...((await make?.(n, id)) ?? [line(`user "${n}"`, id, undefined)]));
  }
  await billing.close();
  double.requests.clear();
  return { double, lines, before };
}

const line = (entityId: string, customerId: string, code: string | undefined): Line => ({
  entityId,
  customerId,
  code,
});
