/** What every part of the core works with: the configuration, the store, Stripe, and time. */
import type Stripe from "stripe";
import { effectsByEvent, type ResourceName } from "../catalogue/catalogue.js";
import { TOLERANCES, type Tolerances } from "../mirror/interval.js";
import type { Store } from "../mirror/store.js";
import { behindGateway, type CoreStore } from "./commit/commit.js";
import { listenFirst, type Reacting } from "./commit/listening.js";
import {
  appName,
  type BillingConfig,
  chosenResources,
  type Logger,
  stripeClient,
  TIMING,
  type Timing,
} from "./config.js";
import { type Local, localOf } from "./local.js";
import type { UsageBooks } from "./records/books.js";
import type { CreditsStore } from "./records/credits.js";
import type { OutboxStore } from "./records/outbox.js";
import type { SharesStore } from "./records/shares.js";
import { logAside, observedStore } from "./telemetry/observe.js";
import type { Telemetry } from "./telemetry/telemetry.js";

export interface Runtime {
  readonly config: BillingConfig;
  /** The application's name, where several share the Stripe account. */
  readonly app: string | undefined;
  /** Everything but `commit`: that is the gateway's, see commit/commit.ts. */
  readonly store: CoreStore;
  readonly resources: readonly ResourceName[];
  readonly effects: ReturnType<typeof effectsByEvent>;
  readonly tolerances: Tolerances;
  readonly timing: Timing;
  /** Undefined without a logger, so that no line is composed in vain. */
  readonly log: Logger | undefined;
  readonly telemetry: Telemetry | undefined;
  /** What this process remembers beside the store, see local.ts. */
  readonly local: Local;
  /** Counts the seats of an entity; undefined where the application does not. */
  readonly seats: CountSeats | undefined;
  /** How the application is told of changes; undefined where this process has no handlers. */
  readonly reactions: Reacting | undefined;
  /** Where usage waits that is billed by Stripe; undefined where the store keeps none. */
  readonly outbox: OutboxStore | undefined;
  /** What was counted of usage; undefined where the store does not show it. */
  readonly books: UsageBooks | undefined;
  /** Where credits are given that are bought; undefined where no feature has a balance. */
  readonly credits: CreditsStore | undefined;
  /** Where shares of plans are given; undefined where no plan includes anything. */
  readonly shares: SharesStore | undefined;
  /** The application's own address, without a slash at the end; throws if it is not known. */
  baseUrl(): string;
  stripe(): Stripe;
  /** Milliseconds of this machine's clock. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** Something was left to do in the background, due in so many milliseconds. */
  wake(delay: number): void;
  /** Whether this instance is to end: nothing long is begun, and what is under way ends soon. */
  isClosing(): boolean;
}

/** The application's own count of the seats of an entity. */
export type CountSeats = (entityId: string) => PromiseLike<number>;

const WORKERS = 4;

/** How many pages this process works at at once. */
export function workersOf({ config }: Pick<Runtime, "config">): number {
  return Math.max(1, config.concurrency ?? WORKERS);
}

export interface Platform {
  readonly store: Store;
  /** Whether it is another database than the configured one, which a call brought along. */
  readonly isElsewhere?: boolean;
  baseUrl(): string;
  wake(delay: number): void;
  isClosing?(): boolean;
  readonly seats?: CountSeats | undefined;
  readonly reactions?: Reacting | undefined;
  readonly outbox?: OutboxStore | undefined;
  readonly books?: UsageBooks | undefined;
  readonly credits?: CreditsStore | undefined;
  readonly shares?: SharesStore | undefined;
  now?(): number;
}

export function createRuntime(config: BillingConfig, platform: Platform): Runtime {
  const resources = chosenResources(config);
  const { logger, telemetry } = config;
  const { store, seats, reactions, outbox, books, credits, shares } = platform;
  const timing = { ...TIMING, ...config.timing };
  return {
    config,
    app: appName(config),
    store: behindGateway(
      telemetry === undefined ? store : observedStore(store, telemetry),
      (snapshot, reason) => logAside({ log: logger, telemetry }, snapshot, reason),
      seats && {
        delay: timing.seatsDelay,
        knowsOffers: resources.includes("prices") && resources.includes("products"),
      },
      reactions && listenFirst(reactions),
      shares !== undefined,
    ),
    resources,
    effects: effectsByEvent(resources),
    tolerances: { ...TOLERANCES, ...config.tolerances },
    timing,
    log: logger,
    telemetry,
    local: localOf(config, platform.isElsewhere),
    seats,
    reactions,
    outbox,
    books,
    credits,
    shares,
    baseUrl: platform.baseUrl,
    stripe: stripeClient(config),
    now: platform.now ?? Date.now,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    wake: platform.wake,
    isClosing: platform.isClosing ?? (() => false),
  };
}
