// Run by the race of checkouts in a process of its own, so that it can be killed: asks for pages for
// one entity, in both variants, as an application would, and tells of each as it comes.
import pg from "pg";
import { BillingError } from "../../../packages/backend-billing/src/core/runtime/errors.js";
import {
  type BillingExports,
  createBilling,
  createStripe,
  type PostgresConfig,
  type StripeExports,
} from "../../../packages/backend-billing/src/postgres/index.js";

/** One call. */
export interface Purchase {
  readonly id: number;
  /** Milliseconds after the others began. */
  readonly after: number;
  readonly variant: "A" | "B";
  readonly priceId: string;
  readonly quantity: number;
  readonly trialDays: number | null;
  readonly idempotencyKey: string | null;
}

/** What the process is told: where to work, or what to call for whom. */
export type Order =
  | {
      readonly database: string;
      readonly config: Pick<
        PostgresConfig,
        | "secret_key"
        | "webhook_secret"
        | "base_url"
        | "schema"
        | "timing"
        | "if_subscribed"
        | "stripe_options"
      >;
    }
  | { readonly entityId: string; readonly purchases: readonly Purchase[] };

/** What came of one call. A page to pay has a session; who is subscribed gets none. */
export interface Told {
  readonly id: number;
  readonly kind: string;
  readonly url: string;
  readonly sessionId: string | null;
  /** How often it was refused before, with a code. */
  readonly retries: number;
}

/** What it answers: that it is ready, what came of a call, what failed for good, and that all is done. */
export type Answer = "ready" | "done" | { readonly told: Told } | { readonly error: string };

/** Ends what would never end. How long it takes depends on the machine, and is told in the end. */
const GIVE_UP = 600_000;
/** Callers of one instance wait for each other in memory; those of two meet only in the database. */
const INSTANCES = 5;
const tell = (answer: Answer) => process.send?.(answer);
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
let pool: pg.Pool | undefined;
let instances: { readonly A: StripeExports; readonly B: BillingExports }[] = [];

function call(entityId: string, purchase: Purchase) {
  const { variant, priceId, quantity, trialDays, idempotencyKey } = purchase;
  const instance = instances[purchase.id % INSTANCES];
  if (instance === undefined) throw new Error("The process was not told where to work");
  const { A, B } = instance;
  const sold = { entityId, priceId, quantity, ...(trialDays === null ? {} : { trialDays }) };
  const [success, cancel] = ["https://app.example/welcome", "https://app.example/pricing"];
  if (variant === "B") return B.checkout({ ...sold, successUrl: success, cancelUrl: cancel });
  return A.stripe.subscribe(
    {},
    { ...sold, mode: "subscription", success_url: success, cancel_url: cancel },
    idempotencyKey === null ? undefined : { idempotencyKey },
  );
}

async function buy(entityId: string, purchase: Purchase): Promise<void> {
  await sleep(purchase.after);
  const end = Date.now() + GIVE_UP;
  for (let retries = 0; ; retries++) {
    try {
      const { kind, url, sessionId } = await call(entityId, purchase);
      tell({ told: { id: purchase.id, kind, url, sessionId, retries } });
      return;
    } catch (error) {
      if (!(error instanceof BillingError) || Date.now() > end) {
        tell({ error: `call ${purchase.id} failed: ${String(error)}` });
        return;
      }
      await sleep(100 + Math.random() * 200);
    }
  }
}

async function obey(order: Order): Promise<void> {
  if ("database" in order) {
    pool ??= new pg.Pool({ connectionString: order.database, max: 8 });
    const config = { ...order.config, db: pool };
    instances = Array.from({ length: INSTANCES }, () => ({
      A: createStripe(config),
      B: createBilling(config),
    }));
    await pool.query("SELECT 1");
    tell("ready");
    return;
  }
  await Promise.all(order.purchases.map((purchase) => buy(order.entityId, purchase)));
  tell("done");
}

process.on("message", (order: Order) => {
  obey(order).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
process.on("disconnect", () => process.exit());
