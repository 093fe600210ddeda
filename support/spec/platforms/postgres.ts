/**
 * The specification's application on Node and PostgreSQL: a real server, a real database, tables in
 * a Drizzle schema beside the application's own, and the library's routes by `nodeHandler`.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { getTableColumns, is } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { PgTable, text } from "drizzle-orm/pg-core";
import { Hono } from "hono";
import type pg from "pg";
import Stripe from "stripe";
import type {
  ResourceName,
  Row,
} from "../../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { usual } from "../../../packages/backend-billing/src/core/catalogue/resources.js";
import type { Link } from "../../../packages/backend-billing/src/core/links/page.js";
import { createBillingTables } from "../../../packages/backend-billing/src/drizzle/index.js";
import {
  createBilling,
  createStripe,
  type PostgresConfig,
} from "../../../packages/backend-billing/src/postgres/index.js";
import { PATIENCE } from "../../patience.js";
import { createPatientDouble } from "../../patient-double.js";
import { createDatabase, createPool } from "../../postgres/database.js";
import type { Environment, OpenOptions, SpecApp, SpecPlatform, TableShape } from "../harness.js";
import { errorLog } from "../kit.js";
import { createCrons } from "./boss.js";
import { serve } from "./serve.js";

/** A Thursday. The double's time stands still until a test moves it. */
const NOW = "2026-01-15T10:00:00Z";

export async function openPostgres(): Promise<SpecPlatform> {
  const database = await createDatabase();
  const pool = createPool(database.url, { max: 20 });
  let opened = 0;
  return {
    name: "PostgreSQL",
    open: (options) => openApp(pool, `App ${opened++}`, options),
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
}

async function openApp(pool: pg.Pool, schema: string, options: OpenOptions = {}) {
  const { variant = "B", installed = true, delivery = "auto" } = options;
  const double = await createPatientDouble({ seed: schema, now: NOW, delivery });
  const server = await serve((request, response) => route(request, response));
  const scheduled = new Set<Promise<unknown>>();

  // The application's Drizzle schema: the library's tables, spread, and one of its own.
  const { billingSchema, ...billingTables } = createBillingTables(schema);
  const tables = {
    ...billingTables,
    users: billingSchema.table("users", { id: text("id").primaryKey(), email: text("email") }),
  };
  const db = drizzle(pool, { schema: tables });

  let env: Environment = {
    STRIPE_SECRET_KEY: double.secretKey,
    STRIPE_WEBHOOK_SECRET: undefined,
  };
  const log = errorLog();
  let deployed = deploy();

  function deploy() {
    const config: PostgresConfig = {
      secret_key: env.STRIPE_SECRET_KEY,
      webhook_secret: env.STRIPE_WEBHOOK_SECRET,
      db: pool,
      base_url: server.url,
      schema,
      logger: log.logger,
      stripe_options: double.stripeConfig,
      timing: { refreshDelay: 100, returnPatience: PATIENCE, claimPatience: PATIENCE },
    };
    return { A: createStripe(config), B: createBilling(config) };
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", server.url);
    if (url.pathname === "/buy") {
      const entityId = url.searchParams.get("entityId") ?? "";
      const priceId = url.searchParams.get("priceId") ?? "";
      const allowed = request.headers.authorization === entityId;
      if (allowed) response.writeHead(200).end(JSON.stringify(await sell(entityId, priceId)));
      else response.writeHead(403).end();
      return;
    }
    const client = variant === "A" ? deployed.A.stripe : deployed.B.billing;
    await client.nodeHandler(request, response);
  }

  function sell(entityId: string, priceId: string): Promise<{ url: string }> {
    const [success, cancel] = [`${server.url}/welcome`, `${server.url}/pricing`];
    if (variant === "B") {
      return deployed.B.checkout({ entityId, priceId, successUrl: success, cancelUrl: cancel });
    }
    const urls = { success_url: success, cancel_url: cancel };
    return deployed.A.stripe.subscribe({}, { entityId, priceId, mode: "subscription", ...urls });
  }

  const crons = createCrons(pool, schema, () => deployed.B.billing);

  const app: SpecApp & { close(): Promise<void> } = {
    double,
    stripe: new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 }),
    baseUrl: server.url,
    get env() {
      return env;
    },
    log: log.lines,
    a: {
      setup: (args) => deployed.A.setup(args),
      sync: (args) => deployed.A.sync(args),
      reconcile: () => deployed.A.stripe.reconcile(),
      subscribe: (params, request) => deployed.A.stripe.subscribe({}, params, request),
      pay: (params, request) => deployed.A.stripe.pay({}, params, request),
      portal: (params, request) => deployed.A.stripe.portal({}, params, request),
    },
    b: {
      setup: (args) => deployed.B.setup(args),
      sync: (args) => deployed.B.sync(args),
      reconcile: () => deployed.B.billing.reconcile(),
      checkout: (args) => deployed.B.checkout(args),
      portal: (...all) => (deployed.B.portal as (...all: unknown[]) => Promise<Link>)(...all),
    },
    exports: {
      A: { names: Object.keys(deployed.A).sort(), client: Object.keys(deployed.A.stripe).sort() },
      B: { names: Object.keys(deployed.B).sort(), client: Object.keys(deployed.B.billing).sort() },
    },
    get reads() {
      return deployed.B.store;
    },
    deploy: async (changes) => {
      env = { ...env, ...changes };
      deployed = deploy();
    },
    rows: async <N extends ResourceName>(resource: N) =>
      (await db.select().from(drizzleTable(tables, resource))) as unknown as Row<N>[],
    tables: () => readTables(pool, schema, tables),
    schemaTables: () => tableNames(pool, schema),
    router: (which) => {
      const router = new Hono();
      (which === "A" ? deployed.A.stripe : deployed.B.billing).addHttpRoutes(router);
      return {
        routes: router.routes.map(({ method, path }) => `${method} ${path}`),
        fetch: async (request) => router.fetch(request),
      };
    },
    createUser: async ({ id, email }) => {
      await db.insert(tables.users).values({ id, email });
      scheduled.add(
        new Promise<void>((resolve) => setTimeout(resolve, 0)).then(() =>
          deployed[variant].setup({ entityId: id, email }),
        ),
      );
    },
    buy: async (caller, entityId, priceId) => {
      const query = new URLSearchParams({ entityId, priceId });
      const answer = await fetch(`${server.url}/buy?${query}`, {
        method: "POST",
        headers: { Authorization: caller },
      });
      return answer.status === 403 ? "forbidden" : ((await answer.json()) as { url: string });
    },
    callFromOutside: async (name, args) => {
      const paths = [`/stripe/${name}`, `/${name}`, `/api/${name}`];
      for (const path of paths) {
        for (const method of ["POST", "GET"]) {
          const body = method === "POST" ? JSON.stringify(args) : null;
          const answer = await fetch(`${server.url}${path}`, { method, body, redirect: "manual" });
          if (answer.status !== 404) return "answered";
        }
      }
      return "refused";
    },
    startCrons: crons.start,
    schedule: crons.schedule,
    nextCron: crons.next,
    settle: async () => {
      await Promise.all(scheduled);
      await double.settle();
      await backgroundDone(pool, schema);
    },
    close: async () => {
      await crons.stop();
      await server.close();
      await double.close();
    },
  };

  await deployed.B.store.migrate();
  await pool.query(`CREATE TABLE "${schema}".users (id text PRIMARY KEY, email text)`);
  if (installed) {
    const { webhook } = await deployed[variant].sync({ data: false, webhook: true });
    await app.deploy({ STRIPE_WEBHOOK_SECRET: webhook?.secret });
  }
  return app;
}

/** Waits for asks and refreshes, which the library works off by itself. */
async function backgroundDone(pool: pg.Pool, schema: string): Promise<void> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const { rows } = await pool.query<{ left: string }>(
      `SELECT (SELECT count(*) FROM "${schema}".backend_billing_versions WHERE ask_at IS NOT NULL)
            + (SELECT count(*) FROM "${schema}".backend_billing_records WHERE kind = 'refresh') AS left`,
    );
    if (Number(rows[0]?.left) === 0) return;
    if (Date.now() > end) throw new Error(`The background left ${rows[0]?.left} things undone`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

type Tables = { readonly [name: string]: unknown };

function drizzleTable(tables: Tables, resource: ResourceName): PgTable {
  const camel = resource.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const table = tables[`billing${camel.charAt(0).toUpperCase()}${camel.slice(1)}`];
  if (!is(table, PgTable)) throw new Error(`The Drizzle schema has no table for ${resource}`);
  return table;
}

async function tableNames(pool: pg.Pool, schema: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1",
    [schema],
  );
  return rows.map(({ name }) => name);
}

const TYPES: { readonly [type: string]: TableShape["fields"][string]["type"] } = {
  uuid: "string",
  text: "string",
  bigint: "number",
  jsonb: "object",
};

/** What the database says of the tables, in the names under which the application reads them. */
async function readTables(
  pool: pg.Pool,
  schema: string,
  tables: Tables,
): Promise<{ [table: string]: TableShape }> {
  const shapes: { [table: string]: TableShape } = {};
  for (const [resource, { table }] of Object.entries(usual)) {
    const columns = await pool.query<{ name: string; type: string; nullable: string }>(
      `SELECT column_name AS name, data_type AS type, is_nullable AS nullable
       FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2`,
      [schema, table],
    );
    if (columns.rows.length === 0) continue;
    const own = Object.entries(getTableColumns(drizzleTable(tables, resource as ResourceName)));
    const fieldOf = (name: string) => own.find(([, column]) => column.name === name)?.[0] ?? name;
    const indexes = await pool.query<{ name: string; definition: string }>(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
       WHERE schemaname = $1 AND tablename = $2 AND indexdef NOT LIKE '% WHERE %'`,
      [schema, table],
    );
    shapes[table] = {
      fields: Object.fromEntries(
        columns.rows.map(({ name, type, nullable }) => [
          fieldOf(name),
          { type: TYPES[type] ?? "object", nullable: nullable === "YES" },
        ]),
      ),
      indexes: Object.fromEntries(
        indexes.rows.map(({ name, definition }) => [
          name.slice(table.length + 1),
          covered(definition, fieldOf),
        ]),
      ),
    };
  }
  return shapes;
}

/**
 * `… USING btree (((stripe -> 'recurring'::text) ->> 'interval'::text))` covers
 * `stripe.recurring.interval`, and `"left"(…, 200)` the beginning of what is inside.
 */
function covered(definition: string, fieldOf: (name: string) => string): string {
  const on = definition.slice(definition.indexOf("USING btree"));
  const column = /\(+(?:"left"\(+)?"?(\w+)/.exec(on)?.[1] ?? "";
  const path = [...on.matchAll(/'(\w+)'/g)].map(([, key]) => key);
  return [fieldOf(column), ...path].join(".");
}
