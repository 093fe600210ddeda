/**
 * backend-billing on Node and PostgreSQL: both variants of the public surface, the tables, their
 * migrations and the store over them.
 *
 * @module backend-billing/postgres
 */

export type { LocalStore } from "../core/local-store.js";
export type { Progress, RunReport, SyncReport } from "../core/runtime/reports.js";
export type { PortalOptions } from "../core/sync/portal/settings.js";
export type { ReconcileArgs, SyncArgs, VerifyArgs } from "../core/sync/sync.js";
export type { Ticked, TickOptions } from "../core/tick.js";
export type {
  BillingClient,
  BillingExportsIn,
  Routes,
  StripeExportsIn,
  Upkeep,
} from "../node/facade.js";
export type { BillingStoreIn } from "../node/host.js";
export type { BossLike, CronJobs, CronOptions } from "../pg-boss/crons.js";
export { fromPglite, fromPostgresJs, type Pglite, type PostgresJs } from "./adapters.js";
export {
  type BillingExports,
  type BillingStore,
  type Context,
  createBilling,
  createStripe,
  type PostgresConfig,
  type StripeClient,
  type StripeExports,
} from "./billing.js";
export type { Connection, PoolLike, Queryable } from "./database.js";
export type { Database, DrizzleDatabase, TxOf } from "./drizzle-database.js";
export type { Reaction, ReactionContext, Reactions } from "./reactions/on.js";
export {
  type MigrationOptions,
  migrate,
  type PrintOptions,
  printMigrations,
} from "./schema/migrations.js";
export { createPostgresStore, type PostgresStoreOptions } from "./store/store.js";
export type { Tx } from "./transaction.js";
