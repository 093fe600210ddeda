/** What a double is asked for and what it offers, as types; double.ts puts it together. */

import type { Dashboard } from "./dashboard.js";
import type { Faults } from "./faults.js";
import type { Access } from "./http/keys.js";
import type { RateLimits } from "./http/limits.js";
import type { RequestLog } from "./http/log.js";
import type { UnmodelledRequest } from "./http/unmodelled.js";
import type { Deliveries, FetchHandler } from "./webhooks/webhooks.js";
import type { Population } from "./world/bulk.js";
import type { Clock, Instant } from "./world/clock.js";
import type { Kind, Objects } from "./world/world.js";

/** How a double is started; all of it is optional. */
export interface StripeDoubleOptions {
  /** Ids, secrets and chance come from it: the same seed gives the same history. Default 1. */
  readonly seed?: string | number;
  /** Stands the clock still at this moment until a test moves it. Without it the clock runs. */
  readonly now?: Instant;
  /** A fixed port; any free one without it. */
  readonly port?: number;
  /**
   * The address to listen on. Default `127.0.0.1`, where only this machine can reach it. Any other,
   * such as `0.0.0.0` in a container, opens the API, the pages and the control API to the network.
   */
  readonly host?: string;
  /** A webhook endpoint that is there from the start, and again after a reset. */
  readonly webhook?: string | WebhookOptions;
  /**
   * A file that keeps the double's state: the next double with this file goes on from it. Its clock
   * follows the wall clock, with whatever `clock.advance` added; `now` cannot be combined with it.
   */
  readonly state?: string;
  /** Forgets what the file `state` holds. */
  readonly fresh?: boolean;
  /**
   * The test-mode key that the application has in its environment, such as `sk_test_123`, or `"any"`
   * to accept every key that begins with `sk_test_`. Default: a key from the seed, and no other.
   */
  readonly secretKey?: string;
  /** The account's API version. Default: the newest one that the double knows. */
  readonly apiVersion?: string;
  /** Turns on Stripe's rate limits, or limits of your own. Off without it. */
  readonly rateLimits?: boolean | RateLimits;
  /**
   * `"auto"` sends events to the webhook endpoints as they happen; `"held"` keeps them until
   * `deliveries.release`, for tests that choose the order. Default `"auto"`.
   */
  readonly delivery?: "auto" | "held";
  /** Deliveries under way at once. Default 1 with a still clock, otherwise 16. */
  readonly deliveryConcurrency?: number;
  /** Milliseconds an endpoint has to answer. Default 20,000. */
  readonly deliveryTimeout?: number;
  /** `"wall"`, the default, signs webhooks with the real time, so that the SDK's tolerance holds. */
  readonly signatureClock?: "wall" | "double";
  /**
   * What is in Stripe's API and not in the double: `"refuse"`, the default, answers it with 501;
   * `"record"` goes on without it. Parameters and objects are then kept and shown again, and have no
   * other effect. Both are written down for `unmodelled()`. What is not in Stripe's API either is
   * refused as Stripe does.
   */
  readonly unknown?: "refuse" | "record";
  /**
   * The one rate of automatic tax, such as `{ rate: 0.19 }`: it is added to prices, and is inside
   * those whose `tax_behavior` is `inclusive`. Default 0: nothing is collected.
   */
  readonly tax?: { readonly rate: number };
  /** Where Stripe cuts the lists inside objects. Default 10. */
  readonly embeddedLimit?: number;
}

/** A webhook endpoint, as the double makes it by itself. */
export interface WebhookOptions {
  readonly url: string;
  /** The types of the events that it gets. Default: all of them. */
  readonly events?: readonly string[];
  /** The API version of its events. Default: the account's. */
  readonly apiVersion?: string;
}

/** The endpoint that the option `webhook` made. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  /** What its deliveries are signed with. */
  readonly secret: string;
}

/** What may be different after a reset. */
export interface ResetOptions {
  readonly seed?: string | number;
  /** Where the clock stands still from then on. */
  readonly now?: Instant;
}

/** A running double. */
export interface StripeDouble {
  /** Where it listens, such as `http://127.0.0.1:4242`. The hosted pages are there too. */
  readonly url: string;
  readonly port: number;
  /** The test-mode key. */
  readonly secretKey: string;
  /** A live-mode key of the same account; live data is apart from test data. */
  readonly liveSecretKey: string;
  readonly account: string;
  /** What its ids, secrets and chance come from. */
  readonly seed: string | number;
  /** The account's API version. */
  readonly apiVersion: string;
  /** The endpoint of the option `webhook`. */
  readonly webhook: WebhookEndpoint | undefined;
  /** Options for `new Stripe(key, options)` that point the SDK here. */
  readonly stripeConfig: { host: string; port: number; protocol: "http"; telemetry: false };
  readonly clock: Clock;
  readonly faults: Faults;
  readonly deliveries: Deliveries;
  /** What was asked of it, and how often. */
  readonly requests: RequestLog;
  /** What was asked of it that Stripe does and the double does not, in the order of the first time. */
  unmodelled(): readonly UnmodelledRequest[];
  /** What people and banks do: deletions in the dashboard, failing payouts, rolling a secret. */
  readonly dashboard: Dashboard;
  /** A key that may do only what is named, such as `{ customers: "write", prices: "read" }`. */
  restrictedKey(scopes: { readonly [resource: string]: Access }): string;
  /** Makes a key invalid. */
  revokeKey(key: string): void;
  /** Connects another account to this one, for the `Stripe-Account` header; answers its id. */
  connectAccount(): string;
  /** Puts a handler in the place of a host, such as `https://app.example`: no socket is used. */
  answer(origin: string, handler: FetchHandler): void;
  /** Adds very many objects at once, made only when they are looked at. */
  populate(population: Population): void;
  /** The objects of one kind as they are now, oldest first. */
  objects<K extends Kind>(kind: K): Objects[K][];
  /** Resolves once every delivery that is due has been attempted. */
  settle(): Promise<void>;
  /**
   * Everything that is and was, as one JSON text: the same seed and steps give the same bytes. The
   * double's own address, and the idempotency keys that the SDK makes up, are given other names.
   */
  dump(): string;
  /**
   * Begins anew, as if it had just been started with the same options: no objects, no faults, the
   * same keys and the same ids again, on the same port. Handlers of `answer` stay. Another seed gives
   * other keys and ids. `clock`, `faults` and the other parts must be read from the double again.
   */
  reset(options?: ResetOptions): Promise<void>;
  /** Stops the server, and forgets everything but what is in the file `state`. */
  close(): Promise<void>;
}
