/**
 * The library on PostgreSQL, read through its gates with plans in code and without. It lives by the
 * double's time, and does what is due only when it is asked to.
 */
import type pg from "pg";
import { workOnce } from "../../packages/backend-billing/src/core/background.js";
import { setup } from "../../packages/backend-billing/src/core/customers/setup.js";
import { settleNow } from "../../packages/backend-billing/src/core/events/settle-now.js";
import { handleRequest } from "../../packages/backend-billing/src/core/http.js";
import { createRuntime } from "../../packages/backend-billing/src/core/runtime/runtime.js";
import {
  type GateReads,
  gateReads,
} from "../../packages/backend-billing/src/core/subscriptions/gates.js";
import { sync } from "../../packages/backend-billing/src/core/sync/sync.js";
import { usageCalls } from "../../packages/backend-billing/src/core/usage/usage.js";
import { createBilling } from "../../packages/backend-billing/src/postgres/billing.js";
import { createPostgresStore } from "../../packages/backend-billing/src/postgres/store/store.js";
import { usageOn } from "../../packages/backend-billing/src/postgres/usage/usage.js";
import type { StripeDouble } from "../../packages/stripe-double/src/index.js";
import { type Answers, GATES, GROUPS, LIMITS } from "./reading.js";
import { catalogue } from "./shop.js";

export interface GatedLibrary {
  /** Makes the customer of an entity; answers its id. */
  setUp(entity: string): Promise<string>;
  /** Does what is due, until nothing is: the mirror is settled then. */
  settle(): Promise<void>;
  /** The customers that something came of since it was last asked. */
  changed(): ReadonlySet<string>;
  /** What the gates answer: `inCode` by the catalogue, otherwise by the products alone. */
  answers(entity: string, inCode: boolean): Promise<Answers>;
  close(): Promise<void>;
}

const ORIGIN = "https://app.example";

/** In a schema of its own, after a first listing of what the account has. */
export async function openGatedLibrary(
  pool: pg.Pool,
  double: StripeDouble,
  schema: string,
): Promise<GatedLibrary> {
  const secrets: string[] = [];
  const config = {
    secret_key: double.secretKey,
    webhook_secret: secrets,
    stripe_options: double.stripeConfig,
    rate: false as const,
    catalogue,
  };
  const place = { db: pool, schema, base_url: ORIGIN };
  const named = createBilling({ ...config, ...place });
  const { catalogue: _, ...without } = config;
  const bare = createBilling({ ...without, ...place });
  await named.store.migrate();
  const now = () => double.clock.now();
  const store = createPostgresStore({ schema, pool });
  const gates = gateReads(named.store, catalogue);
  const inTime = usageCalls({ store: usageOn(pool, { schema }), catalogue, now, gates });
  const runtime = createRuntime(config, { store, baseUrl: () => ORIGIN, wake: () => {}, now });
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
  async function settle(): Promise<void> {
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
  }

  return {
    settle,
    setUp: async (entityId) => {
      hasCome = true;
      return (await setup(runtime, { entityId })).customerId;
    },
    changed: () => {
      const found = changed;
      changed = new Set();
      return found;
    },
    answers: (entity, inCode) => answersFrom(inCode ? inTime : bare.store, entity),
    close: async () => {
      await named.billing.close();
      await bare.billing.close();
    },
  };
}

interface Owned {
  readonly id: string;
  readonly customer: unknown;
}

async function answersFrom(store: GateReads, entity: string): Promise<Answers> {
  const all = async <T>(names: readonly string[], ask: (name: string) => Promise<T>) =>
    Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await ask(name)] as const)),
    );
  return {
    plans: await all(GROUPS, (group) => store.planOf(entity, { group })),
    can: await all(GATES, (feature) => store.can(entity, feature)),
    limits: await all(LIMITS, (feature) => store.limit(entity, feature)),
  };
}
