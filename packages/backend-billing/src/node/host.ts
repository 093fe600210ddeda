/**
 * An instance of the library in a process of Node, Bun or Deno: the core's runtime over whatever
 * store it is given, timers for what is left to do, and an end.
 */

import { erase } from "../core/erase/erase.js";
import { ERASE_DELAY, type EraseArgs, eraseRequest } from "../core/erase/request.js";
import type { LocalStore } from "../core/local-store.js";
import type { LocalReads, RecordRequest, Store } from "../core/mirror/store.js";
import type { Names } from "../core/plans/catalogue.js";
import { purchaseReads } from "../core/purchases/reads.js";
import { argsOf } from "../core/runtime/arguments.js";
import type { Reacting } from "../core/runtime/commit/listening.js";
import { seatsRequest } from "../core/runtime/commit/seats.js";
import { type BillingConfig, checkedBaseUrl } from "../core/runtime/config.js";
import type { UsageBooks } from "../core/runtime/records/books.js";
import type { CreditsStore } from "../core/runtime/records/credits.js";
import type { OutboxStore } from "../core/runtime/records/outbox.js";
import type { SharesStore } from "../core/runtime/records/shares.js";
import { createRuntime, type Runtime } from "../core/runtime/runtime.js";
import { checkedReads } from "../core/subscriptions/checked-reads.js";
import { gateReads } from "../core/subscriptions/gates.js";
import { subscriptionReads } from "../core/subscriptions/reads.js";
import {
  checkCounts,
  type SeatsChangedArgs,
  seatsChanged,
} from "../core/subscriptions/seats/count.js";
import { SOON } from "../core/usage/outbox/outbox.js";
import type { UsageStore } from "../core/usage/store.js";
import { usageCalls } from "../core/usage/usage.js";
import { createBackground } from "./background.js";
import { createDelivery } from "./delivery.js";
import { createLife, type Life } from "./life.js";

/** What an application configures in a process of Node, Bun or Deno. */
export interface NodeConfig extends BillingConfig {
  /**
   * Counts the seats of an entity, such as the members of an organisation. With it the quantity of
   * what is sold per seat (`billing_per_seat: "true"` in the metadata of a price or a product)
   * follows the count: tell of changes by `seatsChanged`.
   */
  readonly seats?: ((entityId: string) => PromiseLike<number>) | undefined;
  /**
   * What a schedule sends as `Authorization: Bearer …` to `GET /stripe/tick`, from `CRON_SECRET`: a long
   * random text. That route calls `tick`; without a secret it is closed.
   */
  readonly cron_secret?: string | undefined;
  /**
   * Whether this process does what is left to do by itself, soon after a call or a request. Default
   * true. `false` where the host freezes or ends the process once it has answered: then the route of
   * the schedule, `tick` or another process does it.
   */
  readonly background?: boolean | undefined;
}

/** The store, with what an application does to its tables; `Tx` is a transaction of the application's. */
export interface BillingStoreIn<Tx, N extends Names = Names> extends Store, LocalStore<N> {
  /**
   * The same inside an open transaction of the application: reads see what it has written, and what
   * is written is there if it commits.
   */
  in(tx: Tx): LocalStore<N>;
  /** Creates or updates the tables; safe with many instances starting at once. Not with drizzle-kit. */
  migrate(): Promise<{ applied: readonly string[] }>;
}

/** Where an instance keeps its data. */
export interface Storage<Db extends object, Tx> {
  /** The database of calls that bring none along. */
  readonly db: Db;
  /** What the installation is called, distinct within its database. */
  readonly name: string;
  storeOn(db: Db): Store & LocalReads;
  /** The reads inside a transaction of the application. */
  readsIn(tx: Tx): LocalReads;
  /** Requests a record inside a transaction of the application, in one statement. */
  requestIn(tx: Tx, request: RecordRequest): Promise<void>;
  /** Usage, each call a transaction of its own. */
  readonly usage: UsageStore;
  /** Usage inside a transaction of the application. */
  usageIn(tx: Tx): UsageStore;
  /** The usage of a database that is to be sent to Stripe. */
  outboxOn(db: Db): OutboxStore;
  /** What was counted of it, to be compared and put in order. */
  booksOn(db: Db): UsageBooks;
  /** The credits that are bought; undefined where no feature has a balance. */
  creditsOn(db: Db): CreditsStore | undefined;
  /** The shares of plans; undefined where none includes anything. */
  sharesOn(db: Db): SharesStore | undefined;
  migrate(): Promise<{ applied: readonly string[] }>;
  /** The application's handlers; undefined where it has none. */
  readonly reactions?: StoredReactions<Tx> | undefined;
}

/** Handlers that are told of what is stored. */
export interface StoredReactions<Tx> extends Pick<Reacting, "names" | "needs"> {
  /** Tells what is due, until nothing is or `isOver`; `storeIn` is what a handler is given. */
  deliver(storeIn: (tx: Tx) => LocalStore, isOver: () => boolean): Promise<number>;
}

export interface Host<Db extends object, Tx> {
  readonly name: string;
  readonly store: BillingStoreIn<Tx>;
  readonly life: Life;
  readonly cronSecret: string | undefined;
  /** Runs a call on the runtime for it, unless the instance was closed. */
  run<T>(
    context: { readonly db?: Db } | undefined,
    work: (runtime: Runtime) => Promise<T>,
  ): Promise<T>;
  /** The runtime for a call: on its own database if it brought one. */
  in(context?: { readonly db?: Db }): Runtime;
}

export function createHost<Db extends object, Tx>(
  config: NodeConfig,
  storage: Storage<Db, Tx>,
): Host<Db, Tx> {
  const life = createLife();
  const handled = storage.reactions;
  const isQuiet = config.background === false;
  const reactions = handled && {
    names: handled.names,
    ...(handled.needs === undefined ? {} : { needs: handled.needs }),
    ...createDelivery((isOver) => handled.deliver(storeIn, isOver), life, config.logger),
    ...(isQuiet ? { changed: () => {} } : {}),
  };
  const on = (db: Db, store: Store): Runtime => {
    const wake = isQuiet ? () => {} : createBackground(() => runtime, life);
    const baseUrl = () => checkedBaseUrl(config.base_url, BASE_URL);
    const { seats } = config;
    const outbox = life.guard(storage.outboxOn(db));
    const books = life.guard(storage.booksOn(db));
    const bought = storage.creditsOn(db);
    const credits = bought && life.guard(bought);
    const included = storage.sharesOn(db);
    const shares = included && life.guard(included);
    const usage = { outbox, books, credits, shares };
    const isClosing = () => life.isClosing;
    const isElsewhere = db !== storage.db;
    const platform = { store, isElsewhere, baseUrl, wake, isClosing, seats, reactions, ...usage };
    const runtime = createRuntime(config, platform);
    return runtime;
  };
  const store = life.guard(storage.storeOn(storage.db));
  const own = on(storage.db, store);
  // What a process remembers hangs on its runtime, so a database that comes again has the same one.
  const byDatabase = new WeakMap<Db, Runtime>([[storage.db, own]]);
  const within = (context?: { readonly db?: Db }): Runtime => {
    if (context?.db === undefined) return own;
    const known = byDatabase.get(context.db);
    if (known !== undefined) return known;
    const made = on(context.db, life.guard(storage.storeOn(context.db)));
    byDatabase.set(context.db, made);
    return made;
  };
  const { catalogue } = config;
  const local = <R extends LocalReads>(reads: R, usage: UsageStore) => ({
    ...checkedReads(reads),
    ...subscriptionReads(reads, catalogue),
    ...purchaseReads(reads),
    ...usageCalls({
      store: usage,
      catalogue,
      now: own.now,
      billed: async () => own.wake(SOON), // what commits later than that, the scheduled jobs find
      gates: gateReads(reads, catalogue),
    }),
  });
  const seatsChangedIn = async (tx: Tx, args: SeatsChangedArgs): Promise<void> => {
    const { entityId } = argsOf("seatsChanged", args);
    checkCounts(own);
    const delay = own.timing.seatsDelay;
    await storage.requestIn(tx, seatsRequest(entityId, own.now() + delay));
    own.wake(delay); // what commits later than that, the scheduled jobs find
  };
  const eraseIn = async (tx: Tx, args: EraseArgs): Promise<void> => {
    await storage.requestIn(tx, eraseRequest(args, own.now()));
    own.wake(ERASE_DELAY); // what commits later than that, the scheduled jobs find
  };
  const storeIn = (tx: Tx): LocalStore => ({
    ...local(life.guard(storage.readsIn(tx)), life.guard(storage.usageIn(tx))),
    seatsChanged: (args) => life.run(() => seatsChangedIn(tx, args)),
    erase: (args) => life.run(() => eraseIn(tx, args)),
  });
  return {
    name: storage.name,
    store: {
      ...local(store, life.guard(storage.usage)),
      seatsChanged: (args) => life.run(() => seatsChanged(own, args)),
      erase: (args) => life.run(() => erase(own, args)),
      in: storeIn,
      migrate: () => life.run(storage.migrate),
    },
    life,
    cronSecret: config.cron_secret,
    in: within,
    run: (context, work) => life.run(async () => work(within(context))),
  };
}

const BASE_URL =
  "`base_url` must be the http(s) address where this application is reached, such as https://app.example: Stripe sends webhooks and people back there.";
