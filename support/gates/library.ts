/** The library on PostgreSQL beside a double, read through its gates with plans in code and without. */
import type pg from "pg";
import {
  type GateReads,
  gateReads,
} from "../../packages/backend-billing/src/core/subscriptions/gates.js";
import { usageCalls } from "../../packages/backend-billing/src/core/usage/usage.js";
import { createBilling } from "../../packages/backend-billing/src/postgres/billing.js";
import { usageOn } from "../../packages/backend-billing/src/postgres/usage/usage.js";
import type { StripeDouble } from "../../packages/stripe-double/src/index.js";
import { type Following, follow, ORIGIN } from "../postgres/following.js";
import { type Answers, GATES, GROUPS, LIMITS } from "./reading.js";
import { catalogue } from "./shop.js";

export interface GatedLibrary extends Following {
  /** What the gates answer: `inCode` by the catalogue, otherwise by the products alone. */
  answers(entity: string, inCode: boolean): Promise<Answers>;
  close(): Promise<void>;
}

/** In a schema of its own, after a first listing of what the account has. */
export async function openGatedLibrary(
  pool: pg.Pool,
  double: StripeDouble,
  schema: string,
): Promise<GatedLibrary> {
  const following = await follow(pool, double, { schema, catalogue });
  const place = { db: pool, schema, base_url: ORIGIN };
  const keys = {
    secret_key: double.secretKey,
    webhook_secret: "whsec_unused",
    stripe_options: double.stripeConfig,
  };
  const named = createBilling({ ...keys, ...place, catalogue });
  const bare = createBilling({ ...keys, ...place });
  const now = () => double.clock.now();
  const gates = gateReads(named.store, catalogue);
  const inTime = usageCalls({ store: usageOn(pool, { schema }), catalogue, now, gates });
  return {
    ...following,
    answers: (entity, inCode) => answersFrom(inCode ? inTime : bare.store, entity),
    close: async () => {
      await named.billing.close();
      await bare.billing.close();
    },
  };
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
