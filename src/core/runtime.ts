/** What every part of the core works with: the configuration, the store, Stripe, and time. */
import type Stripe from "stripe";
import { effectsByEvent, type ResourceName } from "./catalogue.js";
import {
  type BillingConfig,
  chosenResources,
  type Logger,
  stripeClient,
  TIMING,
  type Timing,
} from "./config.js";
import { TOLERANCES, type Tolerances } from "./interval.js";
import type { Store } from "./store.js";

export interface Runtime {
  readonly config: BillingConfig;
  readonly store: Store;
  readonly resources: readonly ResourceName[];
  readonly effects: ReturnType<typeof effectsByEvent>;
  readonly tolerances: Tolerances;
  readonly timing: Timing;
  readonly log: Logger;
  /** The application's own address, without a slash at the end; throws if it is not known. */
  baseUrl(): string;
  stripe(): Stripe;
  /** Milliseconds of this machine's clock. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** Something was left to do in the background, due in so many milliseconds. */
  wake(delay: number): void;
}

export interface Platform {
  readonly store: Store;
  baseUrl(): string;
  wake(delay: number): void;
  now?(): number;
}

const silent: Logger = { info() {}, warn() {}, error() {} };

export function createRuntime(config: BillingConfig, platform: Platform): Runtime {
  const resources = chosenResources(config);
  return {
    config,
    store: platform.store,
    resources,
    effects: effectsByEvent(resources),
    tolerances: { ...TOLERANCES, ...config.tolerances },
    timing: { ...TIMING, ...config.timing },
    log: config.logger ?? silent,
    baseUrl: platform.baseUrl,
    stripe: stripeClient(config),
    now: platform.now ?? Date.now,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    wake: platform.wake,
  };
}
