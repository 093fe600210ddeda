/** One seed: a Stripe of its own, an empty schema, all callers at once, one kill, and the inspection. */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Timing } from "../../packages/backend-billing/src/core/runtime/config.js";
import { createBilling } from "../../packages/backend-billing/src/postgres/index.js";
import {
  createStripeDouble,
  type StripeDouble,
} from "../../packages/backend-billing/src/testing/index.js";
import type { Report } from "./caller.js";
import type { Caller } from "./callers.js";
import { LEASE, misbehave, type Plan } from "./plan.js";

export interface Outcome {
  readonly plan: Plan;
  readonly reports: readonly Report[];
  readonly killed: number;
  /** Whether it was the sending of a creation that the process was killed at. */
  readonly killedPosting: boolean;
  /** How Stripe answered all creations; what it cut off counts as what it would have said. */
  readonly creations: { readonly [status: string]: number };
  readonly claim: { readonly generation: number; readonly past: readonly string[] };
  readonly milliseconds: number;
  /** What is wrong at the end; empty when all is well. */
  readonly wrong: readonly string[];
}

const timing: Partial<Timing> = { claimLease: LEASE, claimSettle: 200, refreshDelay: 100 };
const BASE = "https://app.example";
/** The same for all: each other one would be an update of the customer. */
const GOOD_EMAIL = "ada@example.com";

export async function runSeed(
  plan: Plan,
  callers: readonly Caller[],
  { pool, database, calls }: { pool: pg.Pool; database: string; calls: number },
): Promise<Outcome> {
  const double = await createStripeDouble({ seed: plan.seed });
  const schema = `seed_${plan.seed}`;
  const entityId = `entity ${plan.seed}`;
  try {
    const config = {
      secret_key: double.secretKey,
      webhook_secret: "whsec_unused",
      base_url: BASE,
      schema,
      timing,
      stripe_options: double.stripeConfig,
    };
    await listen(double, pool, config, plan);
    const ready = await Promise.all(callers.map((caller) => caller.tell({ database, config })));
    if (ready.some((answer) => answer !== "ready")) throw new Error("A caller is not ready");

    misbehave(double, plan);
    const started = performance.now();
    const death = watchForKill(callers, plan);
    const running = callers.map((caller) =>
      caller.tell({ entityId, emails: emailsOf(plan, calls / callers.length) }),
    );
    await death.sent;
    const reports = await Promise.all(running);
    const milliseconds = performance.now() - started;

    double.faults.clear();
    await double.settle();
    // The one that was killed may have answered just before.
    const survivors = callers.filter((caller) => caller.isAlive());
    const again = await Promise.all(
      survivors.map((caller) => caller.tell({ entityId, emails: [GOOD_EMAIL] })),
    );
    const all = [...reports, ...again].filter((report) => typeof report === "object");
    const wrong = await inspect(double, pool, schema, entityId, all);
    if (survivors.length !== callers.length - 1) wrong.push("not exactly one process was killed");
    const claim = await pool.query<{ data: Outcome["claim"] }>(
      `SELECT data FROM ${schema}.backend_billing_records WHERE kind = 'claim'`,
    );
    return {
      plan,
      reports: all,
      killed: callers.length - survivors.length,
      killedPosting: death.posting(),
      creations: creationsAt(double),
      claim: claim.rows[0]?.data ?? { generation: 0, past: [] },
      milliseconds,
      wrong,
    };
  } finally {
    for (const caller of callers) caller.onPosting = () => {};
    await double.close();
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  }
}

function creationsAt({ requests }: StripeDouble): { [status: string]: number } {
  const counts: { [status: string]: number } = {};
  for (const { signature, status } of requests.recent()) {
    if (signature === "POST /v1/customers") counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

type Config = Parameters<typeof createBilling>[0];

/** The application's own part: its tables, and its webhook endpoint if this seed has one. */
async function listen(
  double: StripeDouble,
  pool: pg.Pool,
  config: Omit<Config, "db">,
  { filled, webhooks }: Plan,
): Promise<void> {
  const secrets: string[] = [];
  const app = createBilling({ ...config, webhook_secret: secrets, db: pool });
  await app.store.migrate();
  const report = await app.sync({ data: filled, webhook: webhooks !== "none" });
  if (report.webhook?.secret) secrets.push(report.webhook.secret);
  double.answer(BASE, app.billing.fetch);
}

function emailsOf({ badEmails }: Plan, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    index % 100 < badEmails ? "not an address" : GOOD_EMAIL,
  );
}

/** Kills one process, in the middle of what the plan says. */
function watchForKill(callers: readonly Caller[], { kill, seed }: Plan) {
  let posted = 0;
  let posting = false;
  let begin = (_victim: Caller | undefined) => {};
  const sent = new Promise<Caller | undefined>((resolve) => {
    begin = resolve;
  }).then(async (victim) => {
    await sleep(kill.after);
    await victim?.kill();
  });
  for (const caller of callers) {
    caller.onPosting = () => {
      if (++posted !== (kill.posting ?? 0)) return;
      posting = true;
      begin(caller);
    };
  }
  if (kill.posting === undefined) begin(callers[seed % callers.length]);
  // With few creations the number that was planned may never come.
  else setTimeout(() => begin(callers[seed % callers.length]), 1_000);
  return { sent, posting: () => posting };
}

/** Everything that must hold once all calls are answered. */
async function inspect(
  double: StripeDouble,
  pool: pg.Pool,
  schema: string,
  entityId: string,
  reports: readonly Report[],
): Promise<string[]> {
  const wrong = reports.flatMap(({ errors }) => errors.map((error) => `a call failed: ${error}`));
  const customers = double.objects("customer");
  const [customer] = customers;
  if (customers.length !== 1) wrong.push(`${customers.length} customers at Stripe`);
  if (customer?.metadata.entityId !== entityId) wrong.push("the customer lacks its entity");
  const answered = new Set(reports.flatMap((report) => Object.keys(report.customers)));
  if (answered.size !== 1 || !answered.has(customer?.id ?? "")) {
    wrong.push(`the callers were told ${[...answered].join(", ")}`);
  }
  const rows = await pool.query<{ customer_id: string; entity_id: string }>(
    `SELECT customer_id, entity_id FROM ${schema}.backend_billing_customers`,
  );
  const mirrored = rows.rows.map((row) => `${row.entity_id}: ${row.customer_id}`);
  if (mirrored.join() !== `${entityId}: ${customer?.id}`) {
    wrong.push(`the mirror has ${mirrored.join(", ") || "nothing"}`);
  }
  const claims = await pool.query<{ ref: string; state: string; others: string[] }>(
    `SELECT ref, data ->> 'state' AS state, data -> 'others' AS others
     FROM ${schema}.backend_billing_records WHERE kind = 'claim'`,
  );
  const [claim] = claims.rows;
  if (claims.rows.length !== 1 || claim?.state !== "linked" || claim.ref !== customer?.id) {
    wrong.push(`the claims are ${JSON.stringify(claims.rows)}`);
  }
  if (claim?.others.length !== 0) wrong.push("a second customer was reported");
  return wrong;
}
