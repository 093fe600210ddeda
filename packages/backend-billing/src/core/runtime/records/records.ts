/**
 * Every record that the library keeps under a name of its own, with its type, who writes it and who
 * reads it. All are of the kind `setting` unless another one is given. What is stored under these
 * ids must stay readable: an application may be older or newer than its tables.
 *
 * The other kinds have types of their own: `claim` (customers/claim/claim.ts, one for each entity),
 * `run` and `partition` (sync/run/run.ts), and `aside` (runtime/commit/set-aside.ts, one for each
 * object that cannot be stored).
 */

import type { ResourceName } from "../../catalogue/catalogue.js";
import type { Drift } from "../reports.js";
import { defineLock, defineRecord } from "./record.js";

/** What the tables are of. */
export interface StoredMode {
  readonly livemode: boolean;
  /** Absent while no process had a name. */
  readonly app?: string;
}

/** A customer that carries an entity's id and is not linked because of what it carries. */
export interface Stranger {
  /** `app`: another application's. `unnamed`: of no application. `malformed`: no entity's id. */
  readonly kind: "app" | "unnamed" | "malformed";
  /** The other application, where it is named. */
  readonly app: string | null;
  readonly customer: string;
}

/** A line of slots at which Stripe may be asked. */
export interface Line {
  /** Requests a second at the time `at`, in milliseconds. */
  readonly rate: number;
  readonly at: number;
  /** When the next slot is free. */
  readonly next: number;
  /** When a 429 last made it slower. */
  readonly cutAt: number;
}

/** How fast all workers of a deployment may ask Stripe. */
export interface Pace {
  readonly total: Line | null;
  readonly endpoints: { readonly [endpoint: string]: Line };
}

/** The portal's configuration at Stripe. */
export interface StoredPortal {
  readonly configurationId: string;
  /** What it offers, as a text to compare; absent if it is not the library's own. */
  readonly offered?: string;
}

export const records = {
  /** Mode and application. Written at first use (runtime/mode.ts); read at every start, by `doctor`. */
  mode: defineRecord<StoredMode>("mode"),

  /** The Stripe account. Written at first use (stripe/account.ts); read at every start, by `doctor`. */
  account: defineRecord<{ readonly id: string }>("account"),

  /** Other applications' customers. Written by events and pages (customers/strangers.ts); read by `doctor`. */
  strangers: defineRecord<{ readonly seen: readonly Stranger[] }>("strangers"),

  /** The portal's configuration. Written by `sync` (sync/portal.ts); read by portal links, `doctor`. */
  portal: defineRecord<StoredPortal>("portal"),

  /**
   * The pace of all workers. Written and read before requests of the background (stripe/pacer.ts);
   * read by `status`. Each worker of a large deployment may write it twice a second, so that one
   * may lose far more rounds than elsewhere before its turn comes.
   */
  pace: defineRecord<Pace>("pace", { rounds: 1_000 }),

  /** The open run of each kind. Written when a run opens or ends (sync/run); read by jobs, `status`. */
  runs: defineRecord<{ readonly [kind: string]: string }>("runs"),

  /** How far the removal of old parameters came. Written and read by the pruning job (customers/claim/sweep.ts). */
  swept: defineRecord<{ readonly after: string; readonly done: boolean }>("claims swept"),

  /** When the watchdog looks next. Written and read on Convex alone, by its commits (convex/schedule.ts). */
  watchdog: defineRecord<{ readonly at: number }>("watchdog"),

  /** One caller at a time (runtime/exclusive.ts): of `sync` for the webhook endpoint and the portal. */
  lock: (name: string) => defineLock(`lock ${name}`),

  /** How often a customer's return links were used. Written and read by the return route (links/return.ts); removed when due. */
  returns: (customerId: string) =>
    defineRecord<{ readonly until: number }>(`return ${customerId}`, { due: ({ until }) => until }),

  /** A digest of an endpoint's secret. Written when `sync` makes the endpoint (sync/endpoint.ts); read by `sync`, `doctor`. */
  endpoint: (id: string) => defineRecord<{ readonly digest: string }>(`endpoint ${id}`),

  /** What the pages of a run repaired. Written by its pages (sync/drift/findings.ts); read by reports; removed with the run. */
  drift: (runId: string, resource: ResourceName) =>
    defineRecord<Drift>(`drift ${runId} ${resource}`, { ref: runId }),

  /**
   * The second of Stripe's time up to which a resource was listed, or events were read. Written when
   * a run's phase ends (sync/run/commit.ts); read by every commit, by catch-ups, by `setup`.
   */
  watermark: (of: ResourceName | "events") =>
    defineRecord<{ readonly at: number }>(of, { kind: "watermark" }),

  /**
   * A customer whose subscriptions must be read. Requested by events; removed after the reading
   * (events).
   */
  refresh: (customerId: string) => defineRecord<object>(customerId, { kind: "refresh" }),
} as const;
