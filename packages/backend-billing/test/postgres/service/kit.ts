/**
 * What the tests of the service share: an application over real HTTP with a database schema of its
 * own, the real SDK, and a Stripe of its own.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type pg from "pg";
import Stripe from "stripe";
import { afterAll, afterEach, beforeAll } from "vitest";
import { PATIENCE } from "../../../../../support/patience.js";
import { createPatientDouble } from "../../../../../support/patient-double.js";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../../support/postgres/database.js";
import type { Row } from "../../../src/core/catalogue/catalogue.js";
import type { Claim } from "../../../src/core/customers/claim/claim.js";
import { BillingError } from "../../../src/core/runtime/errors.js";
import { createRuntime, type Runtime } from "../../../src/core/runtime/runtime.js";
import { checkPlace } from "../../../src/core/stripe/account.js";
import {
  type BillingExports,
  createBilling,
  createStripe,
  type PostgresConfig,
  type StripeExports,
} from "../../../src/postgres/index.js";
import type { StripeDouble, StripeDoubleOptions } from "../../../src/testing/index.js";

/** A Thursday, for clocks that stand still. */
export const NOW = "2026-01-15T10:00:00Z";

export interface App {
  readonly double: StripeDouble;
  /** The merchant's own hand at Stripe; it does not retry. */
  readonly stripe: Stripe;
  readonly url: string;
  readonly pool: pg.Pool;
  readonly schema: string;
  readonly config: PostgresConfig;
  /** Both variants, over one table set. */
  readonly a: StripeExports;
  readonly b: BillingExports;
  /**
   * The core by itself, in the double's time: sleeping moves that time forward, and nothing is done
   * in the background unless a test does it.
   */
  readonly core: Runtime;
  /** The messages that were logged, with the object they are about. */
  readonly log: readonly string[];
  /** The endpoint's secret; empty without an endpoint. */
  readonly secret: string;
  readonly endpoint: string;
  claim(entityId: string): Promise<Claim | undefined>;
  customers(): Promise<Row<"customers">[]>;
  sql<T = unknown>(text: string): Promise<T[]>;
}

export interface AppOptions {
  readonly stripe?: StripeDoubleOptions;
  /** Another application whose Stripe account this one shares. */
  readonly beside?: App;
  readonly config?: Partial<PostgresConfig>;
  /** Whether Stripe has a webhook endpoint of this application. Default true. */
  readonly endpoint?: boolean;
  /** Whether it is known already that the key is of the tables' account. Default true. */
  readonly checked?: boolean;
  /** Answers requests instead of the library's handler, which it is given. */
  readonly handler?: (
    request: IncomingMessage,
    response: ServerResponse,
    next: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ) => void;
}

/** To be called once in a test file: answers what opens applications, which are closed by themselves. */
export function applications(): (options?: AppOptions) => Promise<App> {
  let database: TestDatabase;
  let pool: pg.Pool;
  let opened = 0;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    database = await createDatabase();
    pool = createPool(database.url, { max: 20 });
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  return async (options = {}) => {
    const app = await openApp(pool, `app_${opened++}`, options);
    closing.push(app.close);
    return app;
  };
}

async function openApp(
  pool: pg.Pool,
  schema: string,
  {
    stripe: doubleOptions,
    beside,
    config: extra,
    endpoint = true,
    checked = true,
    handler,
  }: AppOptions,
): Promise<App & { close(): Promise<void> }> {
  const double = beside?.double ?? (await createPatientDouble({ seed: schema, ...doubleOptions }));
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    b.billing.nodeHandler(request, response);
  const server = await listen((request, response) =>
    handler === undefined ? serve(request, response) : handler(request, response, serve),
  );
  const log: string[] = [];
  const write = (details: { readonly [name: string]: unknown }, message: string) => {
    log.push(details.object === undefined ? message : `${message}: ${details.object}`);
  };
  const secrets: string[] = [];
  const config: PostgresConfig = {
    secret_key: double.secretKey,
    webhook_secret: secrets,
    db: pool,
    base_url: server.url,
    schema,
    stripe_options: double.stripeConfig,
    logger: { info: write, warn: write, error: write },
    ...extra,
  };
  const b = createBilling(config);
  await b.store.migrate();
  let id = "";
  if (endpoint) {
    const { webhook } = await b.sync({ data: false, webhook: true });
    id = webhook?.id ?? "";
    secrets.push(webhook?.secret ?? "");
  } else secrets.push("whsec_none");
  const runtime = createRuntime(config, {
    store: b.store,
    baseUrl: () => config.base_url ?? server.url,
    wake: () => {},
    now: double.clock.now,
    seats: config.seats,
  });
  if (!endpoint && checked) {
    await checkPlace(runtime);
    double.requests.clear();
  }
  return {
    double,
    stripe: new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 }),
    url: server.url,
    pool,
    schema,
    config,
    a: createStripe(config),
    b,
    core: {
      ...runtime,
      sleep: (milliseconds) => double.clock.advance({ milliseconds: Math.ceil(milliseconds) }),
    },
    log,
    get secret() {
      return secrets[0] ?? "";
    },
    endpoint: id,
    claim: async (entityId) => {
      const record = await runtime.store.record("claim", entityId);
      return record?.data as Claim | undefined;
    },
    customers: async () => [...(await runtime.store.rows("customers", "", 100))],
    sql: async <T>(text: string) => (await pool.query(text)).rows as T[],
    close: async () => {
      await server.close();
      // A test may have closed it already.
      if (beside === undefined) await double.close().catch(() => {});
    },
  };
}

export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Listening> {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The error of the library that a call ends in; that it ends in none, or in another, is an error. */
export async function billingError(call: Promise<unknown>): Promise<BillingError> {
  const ended = await call.then(
    (value) => new Error(`It did not fail: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(ended instanceof BillingError)) throw ended;
  return ended;
}

/** Waits until something holds that the background brings about. */
export async function eventually<T>(
  read: () => Promise<T> | T,
  holds: (value: T) => boolean,
  patience = PATIENCE,
): Promise<T> {
  const end = Date.now() + patience;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > end) throw new Error(`It stayed ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** All that comes out of a stream. */
export async function bytes(stream: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
