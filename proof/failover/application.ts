/** The application: the library over a pool, and handlers that write down what they are told. */
import pg from "pg";
import { BillingError } from "../../packages/backend-billing/src/core/runtime/errors.js";
import {
  createBilling,
  type PostgresConfig,
  type Queryable,
  type Reactions,
} from "../../packages/backend-billing/src/postgres/index.js";
import { catalogue } from "./catalogue.js";

export const ORIGIN = "https://app.example";
/** Tables of the application: what was told, and what was done and has to be counted. */
export const TABLES = `
  CREATE TABLE told (n serial, name text, key text, entity text, about text);
  CREATE TABLE effects (entity text, feature text, key text, PRIMARY KEY (entity, feature, key))`;
const NAMES = ["customer.linked", "subscription.started", "invoice.paid"] as const;
const DAY = 24 * 60 * 60_000;
/** Nothing is read from Stripe's events, nor compared, unless a scenario asks for it. */
export const NEVER = { catchUpEvery: 1_000 * DAY, reconcileEvery: 1_000 * DAY };

/** What an event tells, outside of the database: a mail, as it were. */
export interface Mail {
  readonly name: string;
  readonly key: string;
  readonly about: string;
}

export type Settings = Pick<
  PostgresConfig,
  "secret_key" | "webhook_secret" | "stripe_options" | "timing" | "background" | "rate"
>;

/** What the load asks of a replica, in this process or in another. */
export interface Replica {
  fetch(request: Request): Promise<Response>;
  setup(entityId: string): Promise<{ customerId: string }>;
  checkout(entityId: string): Promise<{ kind: string; url: string }>;
  consume(use: Use): Promise<{ allowed: boolean }>;
  /** In a transaction of the application, with what the use is for. */
  consumeWithin(use: Use): Promise<{ allowed: boolean }>;
}

/** What is used up. */
export interface Use {
  readonly entityId: string;
  readonly feature: "credits" | "calls";
  readonly key: string;
  readonly amount: number;
}

export interface Application extends ReturnType<typeof startApplication> {}

export function startApplication(
  url: string,
  settings: Settings,
  { max = 8, sent }: { readonly max?: number; readonly sent?: Mail[] } = {},
) {
  const pool = new pg.Pool({ connectionString: url, max, connectionTimeoutMillis: 5_000 });
  pool.on("error", () => {});
  const complaints = new Map<string, number>();
  const complain = (details: { readonly [name: string]: unknown }, message: string) => {
    const line = `${message} (${details.error ?? ""} ${details.reason ?? ""})`;
    complaints.set(line, (complaints.get(line) ?? 0) + 1);
  };
  const tell =
    (name: string) =>
    async (event: Told, { tx }: { tx: Queryable }) => {
      const about = event.customerId ?? event.after?.subscriptionId ?? event.after?.id ?? "";
      sent?.push({ name, key: event.key, about });
      await tx.query("INSERT INTO told (name, key, entity, about) VALUES ($1, $2, $3, $4)", [
        name,
        event.key,
        event.entityId,
        about,
      ]);
    };
  const on = Object.fromEntries(NAMES.map((name) => [name, tell(name)])) as Reactions<Queryable>;
  const { billing, store, setup, sync } = createBilling({
    timing: NEVER,
    ...settings,
    db: pool,
    base_url: ORIGIN,
    catalogue,
    on,
    logger: { info() {}, warn: complain, error: complain },
  });
  const replica: Replica = {
    fetch: billing.fetch,
    setup: (entityId) => setup({ entityId }),
    checkout: (entityId) => billing.checkout(orderOf(entityId)),
    consume: (use) => store.consume(use),
    consumeWithin: (use) => within(pool, use, (tx) => store.in(tx).consume(use)),
  };
  return {
    replica,
    pool,
    billing,
    store,
    setup,
    sync,
    complaints,
    async close() {
      await billing.close();
      await pool.end();
    },
  };
}

/** What the events that are told may carry. */
interface Told {
  readonly key: string;
  readonly entityId: string;
  readonly customerId?: string;
  readonly after?: { readonly id?: string; readonly subscriptionId?: string };
}

const orderOf = (entityId: string) => ({
  entityId,
  lookupKey: "pro:monthly" as const,
  successUrl: `${ORIGIN}/welcome`,
  cancelUrl: ORIGIN,
  ifSubscribed: "refuse" as const,
});

async function within(
  pool: pg.Pool,
  { entityId, feature, key }: Use,
  take: (tx: pg.PoolClient) => Promise<{ allowed: boolean }>,
): Promise<{ allowed: boolean }> {
  const client = await pool.connect();
  let failure: Error | undefined;
  const failed = (error: Error) => {
    failure = error;
  };
  client.on("error", failed);
  try {
    await client.query("BEGIN");
    const effect = "INSERT INTO effects VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    await client.query(effect, [entityId, feature, key]);
    const taken = await take(client);
    await client.query(taken.allowed ? "COMMIT" : "ROLLBACK");
    return taken;
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.off("error", failed);
    client.release(failure); // a connection that failed is not used again
  }
}

/** How a call failed: the library's code, or that of what is not the library's. */
export const codeOf = (error: unknown): string =>
  error instanceof BillingError
    ? error.code
    : `not the library's: ${(error as { code?: string }).code ?? error}`;
