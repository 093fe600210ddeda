/**
 * An instance of the library in a process of Node, Bun or Deno: the core's runtime over whatever
 * store it is given, timers for what is left to do, and an end.
 */
import type { Store } from "../core/mirror/store.js";
import { type BillingConfig, checkedBaseUrl } from "../core/runtime/config.js";
import { createRuntime, type Runtime } from "../core/runtime/runtime.js";
import { createBackground } from "./background.js";
import { createLife, type Life } from "./life.js";

/** The store, with what an application does to its tables. */
export interface BillingStore extends Store {
  /** Creates or updates the tables; safe with many instances starting at once. Not with drizzle-kit. */
  migrate(): Promise<{ applied: readonly string[] }>;
}

/** Where an instance keeps its data. */
export interface Storage<Db extends object> {
  /** The database of calls that bring none along. */
  readonly db: Db;
  /** What the installation is called, distinct within its database. */
  readonly name: string;
  storeOn(db: Db): Store;
  migrate(): Promise<{ applied: readonly string[] }>;
}

export interface Host<Db extends object> {
  readonly name: string;
  readonly store: BillingStore;
  readonly life: Life;
  /** Runs a call on the runtime for it, unless the instance was closed. */
  run<T>(
    context: { readonly db?: Db } | undefined,
    work: (runtime: Runtime) => Promise<T>,
  ): Promise<T>;
  /** The runtime for a call: on its own database if it brought one. */
  in(context?: { readonly db?: Db }): Runtime;
}

export function createHost<Db extends object>(
  config: BillingConfig,
  storage: Storage<Db>,
): Host<Db> {
  const life = createLife();
  const on = (store: Store): Runtime => {
    const wake = createBackground(() => runtime, life);
    const baseUrl = () => checkedBaseUrl(config.base_url, BASE_URL);
    const runtime = createRuntime(config, { store, baseUrl, wake });
    return runtime;
  };
  const store = life.guard(storage.storeOn(storage.db));
  const own = on(store);
  // What a process remembers hangs on its runtime, so a database that comes again has the same one.
  const byDatabase = new WeakMap<Db, Runtime>([[storage.db, own]]);
  const within = (context?: { readonly db?: Db }): Runtime => {
    if (context?.db === undefined) return own;
    const known = byDatabase.get(context.db);
    if (known !== undefined) return known;
    const made = on(life.guard(storage.storeOn(context.db)));
    byDatabase.set(context.db, made);
    return made;
  };
  return {
    name: storage.name,
    store: { ...store, migrate: () => life.run(storage.migrate) },
    life,
    in: within,
    run: (context, work) => life.run(async () => work(within(context))),
  };
}

const BASE_URL =
  "`base_url` must be the http(s) address where this application is reached, such as https://app.example: Stripe sends webhooks and people back there.";
