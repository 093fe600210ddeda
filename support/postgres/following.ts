/**
 * The library on PostgreSQL beside a double of Stripe: it lives by the double's time, takes its webhooks,
 * and does what is due only when it is asked to.
 */
import type pg from "pg";
import { workOnce } from "../../packages/backend-billing/src/core/background.js";
import { setup } from "../../packages/backend-billing/src/core/customers/setup.js";
import { settleNow } from "../../packages/backend-billing/src/core/events/settle-now.js";
import { handleRequest } from "../../packages/backend-billing/src/core/http.js";
import type { BillingConfig } from "../../packages/backend-billing/src/core/runtime/config.js";
import { createRuntime } from "../../packages/backend-billing/src/core/runtime/runtime.js";
import { sync } from "../../packages/backend-billing/src/core/sync/sync.js";
import { migrate } from "../../packages/backend-billing/src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../packages/backend-billing/src/postgres/store/store.js";
import { sharesOn } from "../../packages/backend-billing/src/postgres/usage/shares.js";
import type { StripeDouble } from "../../packages/stripe-double/src/index.js";

export interface Following {
  /** Makes the customer of an entity; answers its id. */
  setUp(entity: string): Promise<string>;
  /** Does what is due, until nothing is: the mirror is settled then. */
  settle(): Promise<void>;
  /** The customers that something came of since it was last asked. */
  changed(): ReadonlySet<string>;
  /** Milliseconds: when the grace of a subscription is to be looked at next. */
  dueAt(): number;
}

export const ORIGIN = "https://app.example";

interface Owned {
  readonly id: string;
  readonly customer: unknown;
}

/** In a schema of its own, after a first listing of what the account has. */
export async function follow(
  pool: pg.Pool,
  double: StripeDouble,
  { schema, ...settings }: { readonly schema: string } & Partial<BillingConfig>,
): Promise<Following> {
  const secrets: string[] = [];
  const config = {
    secret_key: double.secretKey,
    webhook_secret: secrets,
    stripe_options: double.stripeConfig,
    rate: false as const,
    ...settings,
  };
  await migrate(pool, { schema });
  const now = () => double.clock.now();
  const store = createPostgresStore({ schema, pool });
  const { catalogue } = settings;
  const shares = catalogue && sharesOn(pool, { schema }, catalogue);
  const host = { store, shares, baseUrl: () => ORIGIN, wake: () => {}, now };
  const runtime = createRuntime(config, host);
  let hasCome = true;
  let changed = new Set<string>();
  double.answer(ORIGIN, async (request) => {
    hasCome = true;
    const { data } = (await request.clone().json()) as { data: { object: Partial<Owned> } };
    const { customer, id } = data.object;
    changed.add(typeof customer === "string" ? customer : (id ?? ""));
    return handleRequest(runtime, request);
  });
  const { webhook } = await sync(runtime, { webhook: true });
  secrets.push(webhook?.secret ?? "");

  let dueAt = Number.NEGATIVE_INFINITY;
  return {
    async settle() {
      if (!hasCome && now() < dueAt) return;
      for (;;) {
        await double.settle();
        hasCome = false;
        if ((await settleNow(runtime)) + (await workOnce(runtime)) === 0 && !hasCome) break;
      }
      const { rows } = await pool.query(
        `SELECT min(due) AS due FROM ${schema}.backend_billing_records WHERE kind = 'lapse'`,
      );
      dueAt = rows[0].due === null ? Number.POSITIVE_INFINITY : Number(rows[0].due);
    },
    setUp: async (entityId) => {
      hasCome = true;
      return (await setup(runtime, { entityId })).customerId;
    },
    dueAt: () => dueAt,
    changed: () => {
      const found = changed;
      changed = new Set();
      return found;
    },
  };
}
