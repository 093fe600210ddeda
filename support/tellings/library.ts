/**
 * The library on PostgreSQL with a handler for every named event, which writes down what it is told. It
 * lives by the double's time, and does what is due only when it is asked to.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { workOnce } from "../../packages/backend-billing/src/core/background.js";
import { setup } from "../../packages/backend-billing/src/core/customers/setup.js";
import { settleNow } from "../../packages/backend-billing/src/core/events/settle-now.js";
import { handleRequest } from "../../packages/backend-billing/src/core/http.js";
import type { LocalStore } from "../../packages/backend-billing/src/core/local-store.js";
import { eventNames } from "../../packages/backend-billing/src/core/reactions/names.js";
import {
  handlersIn,
  needsOf,
} from "../../packages/backend-billing/src/core/reactions/telling/handlers.js";
import { createRuntime } from "../../packages/backend-billing/src/core/runtime/runtime.js";
import { sync } from "../../packages/backend-billing/src/core/sync/sync.js";
import { openScheduled } from "../../packages/backend-billing/src/core/sync/work/scheduled.js";
import { workUntilDone } from "../../packages/backend-billing/src/core/sync/work/wait.js";
import type { Queryable } from "../../packages/backend-billing/src/postgres/database.js";
import { lendFrom } from "../../packages/backend-billing/src/postgres/reactions/lend.js";
import type { Reaction } from "../../packages/backend-billing/src/postgres/reactions/on.js";
import { deliveryOn } from "../../packages/backend-billing/src/postgres/reactions/reactions.js";
import { migrate } from "../../packages/backend-billing/src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../packages/backend-billing/src/postgres/store/store.js";
import type { StripeDouble } from "../../packages/stripe-double/src/index.js";
import type { Telling } from "./log.js";

/** What a handler was told, and of which entity. */
export interface Told extends Telling {
  readonly entity: string;
  readonly key: string;
}

export interface Library {
  /** Makes the customer of an entity; answers its id. */
  setUp(entity: string): Promise<string>;
  /** Does what is due, until nothing is; nothing where nothing came and no time has. */
  settle(): Promise<void>;
  /** Milliseconds at which the next thing is due by time. */
  dueAt(): number;
  /** Learns from Stripe's list of events what did not come. */
  catchUp(): Promise<void>;
  told(): Promise<readonly Told[]>;
  /** What it complained of. */
  readonly complaints: readonly string[];
}

const ORIGIN = "https://app.example";
const NEVER = () => false;
/** Milliseconds by which some things are done before they are due: more than any of them. */
const SLACK = 60_000;

/** In a schema of its own, after a first listing of what the account has. */
export async function openLibrary(
  pool: pg.Pool,
  double: StripeDouble,
  schema: string,
): Promise<Library> {
  const tables = { schema };
  await migrate(pool, tables);
  await pool.query(`CREATE TABLE ${schema}.told
    (n serial, name text, entity text, about text, key text, at bigint)`);
  const complaints: string[] = [];
  const complain = (details: object, message?: string) => {
    complaints.push(`${message}: ${JSON.stringify(details)}`);
  };
  const secrets: string[] = [];
  const config = {
    secret_key: double.secretKey,
    webhook_secret: secrets,
    stripe_options: double.stripeConfig,
    rate: false as const,
    logger: { debug: () => {}, info: () => {}, warn: complain, error: complain },
  };
  const on = Object.fromEntries(eventNames.map((name) => [name, writing(schema)]));
  const store = createPostgresStore({ ...tables, pool });
  const bare = createRuntime(config, { store, baseUrl: () => ORIGIN, wake: () => {} });
  const handlers = handlersIn<Reaction<never, Queryable>>(on, bare);
  const deliver = deliveryOn({
    config,
    pool,
    lend: lendFrom(pool),
    tables,
    resources: bare.resources,
    handlers,
  });
  const deliverAll = () => deliver(() => ({}) as LocalStore, NEVER); // no handler here uses it
  const reactions = {
    names: new Set(handlers.keys()),
    needs: needsOf(handlers.keys()),
    changed: () => {},
    deliver: deliverAll,
  };
  const now = () => double.clock.now();
  const runtime = createRuntime(config, {
    store,
    baseUrl: () => ORIGIN,
    wake: () => {},
    now,
    reactions,
  });
  let hasCome = true;
  double.answer(ORIGIN, (request) => {
    hasCome = true;
    return handleRequest(runtime, request);
  });
  const { webhook } = await sync(runtime, { webhook: true });
  secrets.push(webhook?.secret ?? "");

  let dueAt = -Infinity;
  async function settle(): Promise<void> {
    if (!hasCome && now() < dueAt) return;
    for (;;) {
      await double.settle();
      hasCome = false;
      const { waiting, due } = await left();
      dueAt = due;
      const isDue = dueAt <= now() + SLACK;
      const worked = isDue ? (await settleNow(runtime)) + (await workOnce(runtime)) : 0;
      const told = worked + waiting > 0 ? await deliverAll() : 0;
      if (worked + told > 0 || hasCome) continue;
      if (waiting === 0) return;
      await sleep(20); // it is due by the database's own clock
    }
  }

  /** How much is still to be told, and when the next thing of all others is due. */
  async function left(): Promise<{ readonly waiting: number; readonly due: number }> {
    const { rows } = await pool.query(
      `SELECT count(*) FILTER (WHERE kind = 'change')::int AS waiting,
         least(min(due) FILTER (WHERE kind <> 'change'),
           (SELECT min(ask_at) FROM ${schema}.backend_billing_versions)) AS due
       FROM ${schema}.backend_billing_records WHERE due IS NOT NULL`,
    );
    const [{ waiting, due }] = rows as [{ waiting: number; due: string | null }];
    return { waiting, due: due === null ? Infinity : Number(due) };
  }

  return {
    complaints,
    settle,
    dueAt: () => dueAt,
    setUp: async (entityId) => {
      hasCome = true;
      return (await setup(runtime, { entityId })).customerId;
    },
    catchUp: async () => {
      await workUntilDone(runtime, await openScheduled(runtime, "catch-up"));
      hasCome = true;
      await settle();
    },
    told: async () =>
      (await pool.query<Told>(`SELECT * FROM ${schema}.told ORDER BY n`)).rows.map(
        ({ at, ...rest }) => ({ ...rest, at: Number(at) / 1000 }),
      ),
  };
}

/** What an event may carry that says what it is about. */
interface Carried {
  readonly name: string;
  readonly entityId: string;
  readonly key: string;
  readonly at: number;
  readonly customerId?: string;
  readonly after?: {
    readonly id?: string;
    readonly subscriptionId?: string;
    readonly sessionId?: string;
    readonly group?: string;
  };
}

const writing =
  (schema: string): Reaction<never, Queryable> =>
  async ({ name, entityId, key, at, customerId, after }: Carried, { tx }) => {
    const about = name.startsWith("access.")
      ? `access ${after?.group}`
      : (customerId ?? after?.subscriptionId ?? after?.sessionId ?? after?.id);
    await tx.query(
      `INSERT INTO ${schema}.told (name, entity, about, key, at) VALUES ($1, $2, $3, $4, $5)`,
      [name, entityId, about, key, at],
    );
  };
