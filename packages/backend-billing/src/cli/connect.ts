/**
 * How a command finds the application's settings, and connects: options win over the environment,
 * and the environment over .env files. Nothing is connected before it is needed.
 */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import type { Command } from "commander";
import { defaultResources, type ResourceName, resourceNames } from "../core/catalogue/catalogue.js";
import type { AnyCatalogue } from "../core/plans/catalogue.js";
import { type BillingConfig, chosenResources, secretKey } from "../core/runtime/config.js";
import { BillingError } from "../core/runtime/errors.js";
import { createRuntime, type Runtime } from "../core/runtime/runtime.js";
import type { PoolLike } from "../postgres/database.js";
import { schemaOf } from "../postgres/schema/schema.js";
import { createPostgresStore } from "../postgres/store/store.js";
import { booksOn } from "../postgres/usage/books.js";
import type { Io } from "./terminal/io.js";
import { createTally, type Tally } from "./terminal/tally.js";

export interface ConnectOptions {
  readonly database?: string;
  readonly schema?: string;
  readonly resources?: string;
  readonly stripeHost?: string;
  /** A file of settings. */
  readonly env?: string;
  /** Where the application is reached, or its webhook's whole address. */
  readonly url?: string;
  readonly concurrency?: string;
  readonly rate?: string;
}

/** The options that every command has which touches the database or Stripe. */
export function withConnectOptions(command: Command): Command {
  return withStripeOptions(
    command
      .option(
        "--database <url>",
        "the PostgreSQL database; prefer DATABASE_URL, which other users cannot see",
      )
      .option("--schema <name>", "the schema that holds the tables (default: billing)")
      .option(
        "--resources <names>",
        "what is mirrored, by commas, as in your code (default: as without that setting)",
      ),
  );
}

/** The options of commands that need Stripe alone. */
export function withStripeOptions(command: Command): Command {
  return (
    command
      .option(
        "--stripe-host <url>",
        "another Stripe, such as http://127.0.0.1:12111 (default: STRIPE_HOST)",
      )
      // Not --env-file: Node 20 takes that for itself, even behind the name of a script.
      .option("--env <path>", "read settings from this file instead of .env.local and .env")
  );
}

/** The options of commands that read very much from Stripe. */
export function withPaceOptions(command: Command): Command {
  return command
    .option("--concurrency <pages>", "pages read at once (default: 4)")
    .option("--rate <requests>", "requests a second at most (default: Stripe's limit)");
}

/** Fills what the environment does not have from .env files. The first file that says it wins. */
export function loadEnv(io: Io, { env: file }: Pick<ConnectOptions, "env">): void {
  const names = file === undefined ? [".env.local", ".env"] : [file];
  for (const name of names) {
    const path = resolve(io.cwd, name);
    if (!existsSync(path)) {
      if (file === undefined) continue;
      throw new BillingError("invalid_argument", `There is no file ${name}.`);
    }
    for (const [key, value] of Object.entries(parseEnv(readFileSync(path, "utf8")))) {
      io.env[key] ??= value;
    }
  }
}

/** The address of another Stripe; undefined for Stripe itself. */
export const stripeHostOf = (io: Io, { stripeHost: given }: ConnectOptions): string | undefined =>
  given ?? (io.env.STRIPE_HOST || undefined);

export function resourcesOf({ resources }: ConnectOptions): readonly ResourceName[] {
  if (resources === undefined) return defaultResources;
  if (resources.trim() === "all") return resourceNames;
  const names = resources.split(",").map((name) => name.trim());
  return chosenResources({ resources: names as ResourceName[] } as unknown as BillingConfig);
}

/** The application's settings, as its own code would pass them. */
export function billingConfig(io: Io, options: ConnectOptions): BillingConfig {
  const { url, concurrency, rate } = options;
  const webhook = url === undefined ? undefined : webhookPlace(url);
  const perSecond = rate === undefined ? undefined : positive("--rate", rate);
  return {
    secret_key: io.env.STRIPE_SECRET_KEY,
    webhook_secret: io.env.STRIPE_WEBHOOK_SECRET,
    app: io.env.BILLING_APP,
    resources: resourcesOf(options),
    stripe_host: stripeHostOf(io, options),
    ...(webhook === undefined ? {} : { path: webhook.path }),
    ...(concurrency === undefined ? {} : { concurrency: positive("--concurrency", concurrency) }),
    ...(perSecond === undefined ? {} : { rate: { total: perSecond, perEndpoint: perSecond } }),
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new BillingError("invalid_argument", `${name} must be a number above 0, not ${text}.`);
}

interface WebhookPlace {
  readonly base: string;
  readonly path: string;
}

/** From `https://app.example`, or from the whole address that ends in /webhook. */
export function webhookPlace(url: string): WebhookPlace {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new BillingError(
      "invalid_argument",
      `--url must be where your application is reached, such as https://app.example, not ${url}`,
    );
  }
  const whole = /^(.*)\/webhook\/?$/.exec(parsed.pathname);
  if (whole !== null) return { base: parsed.origin, path: whole[1] || "/stripe" };
  return { base: url.replace(/\/+$/, ""), path: "/stripe" };
}

/** The schema only if one was given: without one, what the tables' place is must be decided. */
export const placeOf = ({ schema }: ConnectOptions): { readonly schema?: string } =>
  schema === undefined ? {} : { schema };

/** A connection to the database and a runtime over it, to be closed. */
export interface Connected {
  readonly runtime: Runtime;
  readonly pool: PoolLike;
  readonly schema: string;
  /** What this process did, as it is counted. */
  readonly tally: Tally;
}

/** Connects, does the work, and closes the connection whatever happens. `catalogue` is the application's. */
export async function connected<T>(
  io: Io,
  options: ConnectOptions,
  work: (connected: Connected) => Promise<T>,
  catalogue?: AnyCatalogue,
): Promise<T> {
  loadEnv(io, options);
  return withPool(io, options, (pool) => {
    const schema = schemaOf(options);
    const config = { ...billingConfig(io, options), catalogue };
    const tally = createTally(
      createPostgresStore({ pool, ...placeOf(options), resources: resourcesOf(options) }),
    );
    const runtime = createRuntime(config, {
      store: tally.store,
      books: booksOn(pool, placeOf(options)),
      baseUrl: () => {
        if (options.url !== undefined) return webhookPlace(options.url).base;
        throw new BillingError(
          "invalid_argument",
          "Say where your application is reached: --url https://app.example, or BASE_URL in the environment.",
        );
      },
      wake: () => {}, // a command ends by what it was asked for; it does not linger
    });
    if (config.secret_key) tally.watch(runtime.stripe());
    return work({ runtime, pool, schema, tally });
  });
}

/** Whether Stripe can be asked; throws if there is a key and it is none. */
export function hasKey({ config }: Runtime): boolean {
  return config.secret_key ? secretKey(config) !== "" : false;
}

/** A pool of `pg`, which the application installs. */
export async function withPool<T>(
  io: Io,
  options: ConnectOptions,
  work: (pool: PoolLike) => Promise<T>,
): Promise<T> {
  const connectionString = options.database ?? io.env.DATABASE_URL;
  if (!connectionString) {
    throw new BillingError(
      "invalid_config",
      "No database: set DATABASE_URL, in the environment or in .env, or pass --database. For Convex add --convex.",
    );
  }
  io.env.DATABASE_URL = connectionString; // so that its password is known, and hidden
  const { Pool } = await loadPg();
  const pool = new Pool({ connectionString, max: 10, connectionTimeoutMillis: 10_000 });
  pool.on("error", () => {}); // an idle connection that broke; the next query tells
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

async function loadPg() {
  try {
    return (await import("pg")).default;
  } catch (error) {
    throw new BillingError(
      "invalid_config",
      "The package `pg` is not installed, and commands that use PostgreSQL need it: npm install pg",
      { cause: error },
    );
  }
}
