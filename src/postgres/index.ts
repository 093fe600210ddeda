/**
 * backend-billing on Node and PostgreSQL: the tables, their migrations and the store over them.
 *
 * @module
 */
export { fromPglite, fromPostgresJs, type Pglite, type PostgresJs } from "./adapters.js";
export type { Connection, PoolLike, Queryable } from "./database.js";
export {
  type MigrationOptions,
  migrate,
  type PrintOptions,
  printMigrations,
} from "./migrations.js";
export { createPostgresStore, type PostgresStoreOptions } from "./store.js";
