/**
 * `setup` before and after the database is set back: really, on PostgreSQL, to a copy that was made
 * with `CREATE DATABASE … TEMPLATE …`. The double of Stripe keeps what it has, and so do its keys.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import Stripe from "stripe";
import { setup } from "../../packages/backend-billing/src/core/customers/setup.js";
import {
  createRuntime,
  type Runtime,
} from "../../packages/backend-billing/src/core/runtime/runtime.js";
import { createBilling } from "../../packages/backend-billing/src/postgres/index.js";
import {
  createStripeDouble,
  type StripeDouble,
} from "../../packages/backend-billing/src/testing/index.js";
import { administer, databaseAt } from "../../support/postgres/admin.js";

export interface SetBack {
  readonly name: string;
  /** What happens between the copy and the return to it. */
  readonly lost: "the last seconds, with calls under way" | "an hour";
}

export const setBacks: readonly SetBack[] = [
  { name: "failover", lost: "the last seconds, with calls under way" },
  { name: "restore", lost: "an hour" },
];

export interface SetBackOutcome {
  readonly name: string;
  readonly wrong: readonly string[];
  readonly customers: number;
  /** Customers that were there when the database was set back. */
  readonly before: number;
  readonly interrupted: number;
  readonly milliseconds: number;
}

interface Options {
  readonly adminUrl: string;
  readonly entities: number;
  /** Sends random idempotency keys instead of the library's own, to show that the race can be lost. */
  readonly randomKeys: boolean;
}

export async function runSetBack(
  { name, lost }: SetBack,
  { adminUrl, entities, randomKeys }: Options,
): Promise<SetBackOutcome> {
  const started = performance.now();
  const database = `set_back_${name}`;
  const copy = `${database}_copy`;
  const double = await createStripeDouble({ seed: name });
  const ids = Array.from({ length: entities }, (_, index) => `entity ${index}`);
  try {
    await administer(adminUrl, `CREATE DATABASE ${database}`);
    await using(adminUrl, database, double, randomKeys, async (_, fill) => fill());
    await administer(adminUrl, `CREATE DATABASE ${copy} TEMPLATE ${database}`);

    const told = new Map<string, string>();
    let [before, interrupted] = [0, 0];
    await using(adminUrl, database, double, randomKeys, async (runtime) => {
      const calls = ids.map(async (entityId) => {
        try {
          told.set(entityId, (await setup(runtime, argsOf(entityId, "before"))).customerId);
        } catch (error) {
          if (lost === "an hour") throw error;
          interrupted++; // the caller was cut off, and does not know its customer
        }
      });
      if (lost === "an hour") {
        await Promise.all(calls);
        await double.clock.advance({ hours: 1 });
      } else {
        while (double.objects("customer").length < entities / 2) await sleep(1);
      }
      before = double.objects("customer").length;
      await administer(adminUrl, `DROP DATABASE ${database} WITH (FORCE)`);
      await Promise.all(calls);
    });
    await administer(adminUrl, `ALTER DATABASE ${copy} RENAME TO ${database}`);

    const wrong: string[] = [];
    await using(adminUrl, database, double, randomKeys, async (runtime) => {
      await Promise.all(
        ids.map(async (entityId) => {
          const { customerId } = await setup(runtime, argsOf(entityId, "after"));
          const known = told.get(entityId);
          if (known !== undefined && known !== customerId) {
            wrong.push(`${entityId} was told ${known}, and ${customerId} afterwards`);
          }
          const own = double.objects("customer").filter((c) => c.metadata.entityId === entityId);
          if (own.length !== 1) wrong.push(`${entityId} has ${own.length} customers at Stripe`);
          const linked = (await runtime.store.customerOf(entityId))?.customerId;
          if (linked !== customerId) wrong.push(`${entityId} is linked to ${linked}`);
        }),
      );
    });
    const customers = double.objects("customer").length;
    if (customers !== entities) wrong.push(`${customers} customers at Stripe, not ${entities}`);
    const milliseconds = Math.round(performance.now() - started);
    return { name, wrong, customers, before, interrupted, milliseconds };
  } finally {
    await double.close();
    for (const each of [database, copy]) {
      await administer(adminUrl, `DROP DATABASE IF EXISTS ${each} WITH (FORCE)`);
    }
  }
}

/** Every third caller comes back with another email, so that its key meets other parameters. */
function argsOf(entityId: string, when: "before" | "after") {
  const isChanged = when === "after" && Number(entityId.split(" ")[1]) % 3 === 0;
  return { entityId, email: isChanged ? "changed@example.com" : "first@example.com" };
}

/** An application on this database, in the double's time, with connections of its own. */
async function using(
  adminUrl: string,
  database: string,
  double: StripeDouble,
  randomKeys: boolean,
  work: (runtime: Runtime, fill: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseAt(adminUrl, database), max: 20 });
  pool.on("error", () => {}); // connections are cut when the database is dropped
  const config = {
    secret_key: double.secretKey,
    webhook_secret: "whsec_unused",
    base_url: "https://app.example",
    timing: { claimPatience: 180_000 },
    stripe_options: {
      ...double.stripeConfig,
      ...(randomKeys ? { httpClient: forgetfulClient() } : {}),
    },
  };
  const app = createBilling({ ...config, db: pool });
  const runtime = createRuntime(config, {
    store: app.store,
    baseUrl: () => config.base_url,
    wake: () => {},
    now: double.clock.now,
  });
  const patient: Runtime = {
    ...runtime,
    sleep: async (milliseconds) => {
      await sleep(5); // others are at work meanwhile
      await double.clock.advance({ milliseconds: Math.ceil(milliseconds) });
    },
  };
  try {
    await work(patient, async () => {
      await app.store.migrate();
      await app.sync(); // the mirror knows of all customers: nothing is searched for
    });
  } finally {
    await pool.end();
  }
}

/** The SDK's own client, with a random key on creations, as this library had them before. */
function forgetfulClient() {
  const client = Stripe.createNodeHttpClient();
  const send = client.makeRequest.bind(client);
  client.makeRequest = (host, port, path, method, headers, ...rest) => {
    const isCreation = method === "POST" && path === "/v1/customers";
    const own = isCreation ? { ...headers, "Idempotency-Key": crypto.randomUUID() } : headers;
    return send(host, port, path, method, own, ...rest);
  };
  return client;
}
