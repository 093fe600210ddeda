// Run by race.ts in a process of its own, so that it can be killed: calls `setup` for one entity
// very often at once, as an application would, and tells what came of it.
import pg from "pg";
import Stripe from "stripe";
import { BillingError } from "../../packages/backend-billing/src/core/runtime/errors.js";
import {
  type BillingExports,
  createBilling,
  type PostgresConfig,
} from "../../packages/backend-billing/src/postgres/index.js";

/** What the process is told: first where to work, then what to call. */
export type Order =
  | {
      readonly database: string;
      readonly config: Pick<
        PostgresConfig,
        "secret_key" | "webhook_secret" | "base_url" | "schema" | "timing" | "stripe_options"
      >;
    }
  | { readonly entityId: string; readonly emails: readonly string[] };

export interface Report {
  /** How many calls were answered with each customer. */
  readonly customers: { readonly [id: string]: number };
  /** Calls that Stripe refused for their own bad email. */
  readonly refused: number;
  /** Calls that had to be made again, and how often that was in all. */
  readonly retriedCalls: number;
  readonly retries: number;
  readonly errors: readonly string[];
  /** How Stripe answered the creations that this process sent. */
  readonly answers: { readonly [answer: string]: number };
}

/** What it answers: that it is ready, that a creation is on its way, and what came of the calls. */
export type Answer = "ready" | "posting" | Report;

const GIVE_UP = 60_000;
/** Callers of one instance wait for each other in memory; those of two meet only in the database. */
const INSTANCES = 10;
const tell = (answer: Answer) => process.send?.(answer);
let pool: pg.Pool | undefined;
let instances: BillingExports[] = [];
let answers: { [answer: string]: number } = {};

/** The SDK's own client, with an ear on the creations. */
function listeningClient() {
  const client = Stripe.createNodeHttpClient();
  const send = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    const [, , path, method] = request;
    if (method !== "POST" || path !== "/v1/customers") return send(...request);
    tell("posting");
    let outcome = "no answer";
    try {
      const response = await send(...request);
      const replayed = response.getHeaders()["idempotent-replayed"] ? " replayed" : "";
      outcome = `${response.getStatusCode()}${replayed}`;
      return response;
    } finally {
      answers[outcome] = (answers[outcome] ?? 0) + 1;
    }
  };
  return client;
}

async function call(
  { setup }: BillingExports,
  entityId: string,
  email: string,
  tally: Tally,
): Promise<void> {
  const end = Date.now() + GIVE_UP;
  for (let retries = 0; ; retries++) {
    try {
      const { customerId } = await setup({ entityId, email });
      tally.customers[customerId] = (tally.customers[customerId] ?? 0) + 1;
      return;
    } catch (error) {
      if (isRefused(error)) {
        tally.refused++;
        return;
      }
      if (!(error instanceof BillingError) || Date.now() > end) {
        tally.errors.push(String(error));
        return;
      }
      tally.retries++;
      if (retries === 0) tally.retriedCalls++;
      await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 200));
    }
  }
}

type Tally = {
  -readonly [K in keyof Report]: Report[K] extends readonly string[]
    ? string[]
    : Report[K] extends number
      ? number
      : { [name: string]: number };
};

function isRefused(error: unknown): boolean {
  const cause = error instanceof BillingError ? error.cause : undefined;
  return cause instanceof Stripe.errors.StripeError && cause.statusCode === 400;
}

async function obey(order: Order): Promise<void> {
  if ("database" in order) {
    pool ??= new pg.Pool({ connectionString: order.database, max: 8 });
    const config = {
      ...order.config,
      db: pool,
      stripe_options: { ...order.config.stripe_options, httpClient: listeningClient() },
    };
    instances = Array.from({ length: INSTANCES }, () => createBilling(config));
    await pool.query("SELECT 1");
    tell("ready");
    return;
  }
  answers = {};
  const tally: Tally = {
    customers: {},
    refused: 0,
    retriedCalls: 0,
    retries: 0,
    errors: [],
    answers: {},
  };
  await Promise.all(
    order.emails.map(async (email, index) => {
      const instance = instances[index % INSTANCES];
      if (instance !== undefined) await call(instance, order.entityId, email, tally);
    }),
  );
  tell({ ...tally, answers });
}

process.on("message", (order: Order) => {
  obey(order).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
process.on("disconnect", () => process.exit());
