/** The core's runtime on Node: PostgreSQL as the store, timers for what is left to do. */
import { workOnce } from "../core/background.js";
import type { Store } from "../core/mirror/store.js";
import type { BillingConfig } from "../core/runtime/config.js";
import { factsOf } from "../core/runtime/error-facts.js";
import { BillingError } from "../core/runtime/errors.js";
import { createRuntime, type Runtime } from "../core/runtime/runtime.js";
import type { PoolLike } from "./database.js";
import { createLife, type Life } from "./life.js";
import { surviveIdleErrors } from "./pool-errors.js";
import { type MigrationOptions, migrate } from "./schema/migrations.js";
import { schemaOf } from "./schema/schema.js";
import { createPostgresStore } from "./store/store.js";

/** What an application configures on Node and PostgreSQL. */
export interface PostgresConfig extends BillingConfig {
  /**
   * A `pg` pool, or another client through `fromPostgresJs` or `fromPglite`. The library listens to
   * the pool's errors, so that an idle connection that ends does not end the process.
   */
  readonly db: PoolLike;
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

/** The store, with what an application does to its tables. */
export interface BillingStore extends Store {
  /** Creates or updates the tables; safe with many instances starting at once. Not with drizzle-kit. */
  migrate(): Promise<{ applied: readonly string[] }>;
}

/** How often to look while something is known to fall due, and when there may be more of it. */
const SOON = 1_100;
const AGAIN = 50;

export interface NodeRuntime {
  readonly schema: string;
  readonly store: BillingStore;
  readonly life: Life;
  /** Runs a call on the runtime for it, unless the instance was closed. */
  run<T>(context: Context | undefined, work: (runtime: Runtime) => Promise<T>): Promise<T>;
  /** The runtime for a call: on its own pool if it brought one. */
  in(context?: Context): Runtime;
}

export function createNodeRuntime(config: PostgresConfig): NodeRuntime {
  const { telemetry } = config;
  const retried = telemetry && (() => telemetry.measure("commit.retries", 1, {}));
  const life = createLife();
  const storeOn = (pool: PoolLike): Store => {
    surviveIdleErrors(pool, config.logger);
    return life.guard(
      createPostgresStore({
        pool,
        ...(retried === undefined ? {} : { retried }),
        ...(config.schema === undefined ? {} : { schema: config.schema }),
        ...(config.resources === undefined ? {} : { resources: config.resources }),
      }),
    );
  };
  const on = (store: Store): Runtime => {
    const wake = createBackground(() => runtime, life);
    const runtime = createRuntime(config, { store, baseUrl: () => baseUrl(config), wake });
    return runtime;
  };
  const store = storeOn(config.db);
  const own = on(store);
  const options: MigrationOptions = {
    ...(config.schema === undefined ? {} : { schema: config.schema }),
    ...(config.resources === undefined ? {} : { resources: config.resources }),
    ...(config.roles === undefined ? {} : { roles: config.roles }),
  };
  // What a process remembers hangs on its runtime, so a pool that comes again has the same one.
  const byPool = new WeakMap<PoolLike, Runtime>([[config.db, own]]);
  const within = (context?: Context): Runtime => {
    if (context?.db === undefined) return own;
    const known = byPool.get(context.db);
    if (known !== undefined) return known;
    const made = on(storeOn(context.db));
    byPool.set(context.db, made);
    return made;
  };
  return {
    schema: schemaOf(config),
    store: { ...store, migrate: () => life.run(() => migrate(config.db, options)) },
    life,
    in: within,
    run: (context, work) => life.run(async () => work(within(context))),
  };
}

function baseUrl({ base_url: url }: PostgresConfig): string {
  if (!url || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new BillingError(
      "invalid_config",
      "`base_url` must be the http(s) address where this application is reached, such as https://app.example: Stripe sends webhooks and people back there.",
    );
  }
  return url.replace(/\/+$/, "");
}

/**
 * Works off what is left, soon and until nothing is due. It does not keep the process alive: what
 * a process leaves behind, the scheduled jobs or the next event find in the store.
 */
function createBackground(runtime: () => Runtime, life: Life): (delay: number) => void {
  let isScheduled = false;
  let until = 0;
  const schedule = (delay: number) => {
    if (isScheduled) return;
    isScheduled = true;
    life.later(delay, run);
  };
  const run = async () => {
    isScheduled = false; // a wake from now on schedules another run
    const began = Date.now();
    try {
      const done = await workOnce(runtime());
      if (done > 0) schedule(AGAIN);
      // One look must begin after everything fell due, however long the one before took.
      else if (began < until) schedule(SOON);
    } catch (error) {
      if (life.isClosing) return; // what is left is done by another instance
      runtime().log?.error(factsOf(error), "Background work failed; it is tried again");
      schedule(10 * SOON);
    }
  };
  return (delay) => {
    until = Math.max(until, Date.now() + delay + SOON);
    schedule(Math.min(delay, SOON));
  };
}
