/** The library on Node and PostgreSQL: what an application configures, and both variants over the store. */

import { effectsByEvent } from "../core/catalogue/catalogue.js";
import type { AnyCatalogue, Names, NamesOf } from "../core/plans/catalogue.js";
import { includesAny } from "../core/plans/usage.js";
import { type Handled, handlersIn, needsOf } from "../core/reactions/telling/handlers.js";
import { chosenResources } from "../core/runtime/config.js";
import { hasBalances } from "../core/usage/args.js";
import {
  type BillingExportsIn,
  billingOn,
  type StripeClientIn,
  type StripeExportsIn,
  stripeOn,
} from "../node/facade.js";
import {
  type BillingStoreIn,
  createHost,
  type Host,
  type NodeConfig,
  type StoredReactions,
} from "../node/host.js";
import type { PoolLike } from "./database.js";
import { type Database, lendOf, poolOf, type TxOf } from "./drizzle-database.js";
import { surviveIdleErrors } from "./pool-errors.js";
import type { Reaction, Reactions } from "./reactions/on.js";
import { deliveryOn } from "./reactions/reactions.js";
import { type MigrationOptions, migrate } from "./schema/migrations.js";
import { schemaOf } from "./schema/schema.js";
import { requestRecord } from "./store/leases.js";
import { namesIn } from "./store/names.js";
import { createPostgresReads } from "./store/reads.js";
import { createPostgresStore } from "./store/store.js";
import { queryableOf, type Tx } from "./transaction.js";
import { booksOn } from "./usage/books.js";
import { creditsOn } from "./usage/credits.js";
import { outboxOn } from "./usage/outbox.js";
import { sharesOn } from "./usage/shares.js";
import { usageIn, usageOn } from "./usage/usage.js";

/** What an application configures on Node and PostgreSQL. */
export interface PostgresConfig<
  D extends Database = PoolLike,
  C extends AnyCatalogue = AnyCatalogue,
> extends NodeConfig {
  /**
   * A `pg` pool, or another client through `fromPostgresJs` or `fromPglite`; or a Drizzle database
   * over one of these, so that handlers get its transactions. The library listens to the pool's
   * errors, so that an idle connection that ends does not end the process.
   */
  readonly db: D;
  /** What the application does when something has happened: see docs/reactions.md. */
  readonly on?: Reactions<TxOf<D>, NamesOf<C>> | undefined;
  /**
   * The application's own catalogue, by `defineCatalogue` of `backend-billing/catalogue`: it says who
   * keeps access and what each plan includes, and its names are the types of `store.can` and the like.
   */
  readonly catalogue?: C | undefined;
  /**
   * Where this application is reached, such as `https://app.example`. With a path, such as
   * `https://app.example/api`, the routes are below it, whether or not the server sees that path.
   */
  readonly base_url?: string | undefined;
  /** The schema that holds the tables. Default `billing`. */
  readonly schema?: string;
  /**
   * The roles that the application connects as, where it is not the owner of the tables: `migrate`
   * grants them what they need. Leave it out when the application runs its own migrations.
   */
  readonly roles?: readonly string[];
}

/** What a call may bring along; everything is optional. */
export interface Context {
  /**
   * Another pool for this call. It must not be an open transaction: a claim has to be committed.
   * What is made for a pool is kept as long as the pool, so pass the same one again.
   */
  readonly db?: PoolLike;
}

/** The client of variant A. */
export interface StripeClient<N extends Names = Names> extends StripeClientIn<Context, N> {}

/** The store: reads for the application, migrations, and the port that the library itself uses. */
export interface BillingStore<N extends Names = Names> extends BillingStoreIn<Tx, N> {}

/** What `createStripe` answers: variant A. */
export interface StripeExports<N extends Names = Names> extends StripeExportsIn<Context, Tx, N> {}

/** What `createBilling` answers: variant B. */
export interface BillingExports<N extends Names = Names> extends BillingExportsIn<Tx, N> {}

/**
 * Variant A: client functions named after what they sell.
 *
 * @example
 * ```ts
 * import { createStripe } from "backend-billing/postgres";
 * import pg from "pg";
 *
 * export const { stripe, store, sync, setup } = createStripe({
 *   secret_key: process.env.STRIPE_SECRET_KEY,
 *   webhook_secret: process.env.STRIPE_WEBHOOK_SECRET,
 *   db: new pg.Pool(),
 *   base_url: "https://app.example",
 * });
 *
 * const { url } = await stripe.subscribe({}, {
 *   entityId: "user_1",
 *   priceId: "price_1",
 *   mode: "subscription",
 *   success_url: "https://app.example/welcome",
 *   cancel_url: "https://app.example/pricing",
 * });
 * ```
 */
export function createStripe<D extends Database, C extends AnyCatalogue = AnyCatalogue>(
  config: PostgresConfig<D, C>,
): StripeExports<NamesOf<C>> {
  // The names that a catalogue defines are types alone.
  return stripeOn(hostOn(config)) as unknown as StripeExports<NamesOf<C>>;
}

/**
 * Variant B: actions that take one argument object.
 *
 * @example
 * ```ts
 * import { createBilling } from "backend-billing/postgres";
 * import pg from "pg";
 *
 * export const { billing, store, sync, portal, checkout, setup } = createBilling({
 *   secret_key: process.env.STRIPE_SECRET_KEY,
 *   webhook_secret: process.env.STRIPE_WEBHOOK_SECRET,
 *   db: new pg.Pool(),
 *   base_url: "https://app.example",
 * });
 *
 * const { url } = await checkout({
 *   entityId: "user_1",
 *   priceId: "price_1",
 *   successUrl: "https://app.example/welcome",
 *   cancelUrl: "https://app.example/pricing",
 * });
 * ```
 */
export function createBilling<D extends Database, C extends AnyCatalogue = AnyCatalogue>(
  config: PostgresConfig<D, C>,
): BillingExports<NamesOf<C>> {
  return billingOn(hostOn(config)) as unknown as BillingExports<NamesOf<C>>;
}

/** An instance whose store is a schema of PostgreSQL. */
export function hostOn<D extends Database, C extends AnyCatalogue>(
  config: PostgresConfig<D, C>,
): Host<PoolLike, Tx> {
  const { telemetry, catalogue } = config;
  const db = poolOf(config.db);
  const retried = telemetry && (() => telemetry.measure("commit.retries", 1, {}));
  const tables = {
    ...(config.schema === undefined ? {} : { schema: config.schema }),
    ...(config.resources === undefined ? {} : { resources: config.resources }),
  };
  const options: MigrationOptions = {
    ...tables,
    ...(config.roles === undefined ? {} : { roles: config.roles }),
  };
  return createHost(config, {
    db,
    name: schemaOf(config),
    storeOn: (pool) => {
      surviveIdleErrors(pool, config.logger);
      return createPostgresStore({
        ...tables,
        pool,
        ...(retried === undefined ? {} : { retried }),
      });
    },
    readsIn: (tx) => createPostgresReads(queryableOf(tx), tables),
    requestIn: (tx, request) => requestRecord(queryableOf(tx), namesIn(schemaOf(config)), request),
    usage: usageOn(db, tables),
    usageIn: (tx) => usageIn(queryableOf(tx), tables),
    outboxOn: (pool) => outboxOn(pool, tables),
    booksOn: (pool) => booksOn(pool, tables),
    creditsOn: (pool) =>
      catalogue !== undefined && hasBalances(catalogue)
        ? creditsOn(pool, tables, catalogue)
        : undefined,
    sharesOn: (pool) =>
      catalogue !== undefined && includesAny(catalogue)
        ? sharesOn(pool, tables, catalogue)
        : undefined,
    migrate: () => migrate(db, options),
    reactions: reactionsOn(config, db, tables),
  });
}

/** The handlers of the setting `on`, if it has any. */
function reactionsOn<D extends Database, C extends AnyCatalogue>(
  config: PostgresConfig<D, C>,
  pool: PoolLike,
  tables: Pick<MigrationOptions, "schema" | "resources">,
): StoredReactions<Tx> | undefined {
  const resources = chosenResources(config);
  const on = config.on as Handled<Reaction<never, Tx>> | undefined;
  const handlers = handlersIn(on, { resources, effects: effectsByEvent(resources) });
  if (handlers.size === 0) return undefined;
  const lend = lendOf(config.db, pool);
  return {
    names: new Set(handlers.keys()),
    needs: needsOf(handlers.keys(), config.initial_events),
    deliver: deliveryOn({ config, pool, lend, tables, resources, handlers }),
  };
}
