/**
 * Every record that the library keeps under a name of its own, with its type, who writes it and who
 * reads it. All are of the kind `setting` unless another one is given. What is stored under these
 * ids must stay readable: an application may be older or newer than its tables.
 *
 * The other kinds have types of their own: `claim` (customers/claim/claim.ts, one for each entity),
 * `run` and `partition` (sync/run/run.ts), `lapse` (runtime/commit/lapse.ts, for each subscription
 * that is past due: requested by its commits, written by the job of subscriptions/grace.ts, read by
 * the reads of subscriptions), `seats` (runtime/commit/seats.ts, for each entity whose seats are to be
 * counted: requested by `seatsChanged` and by commits, removed by the job of subscriptions/seats),
 * `aside` (runtime/commit/set-aside.ts, one for each object that cannot be stored), `change`
 * (mirror/plan-changes.ts, one for each change of a row that the application listens to, which
 * mirror/listening.ts says: written by the commit that writes the row, removed when it was told; and
 * for each event that a handler takes as it comes: requested with its receipt by events/receive.ts),
 * `credits` (mirror/credits.ts, for each purchase with credits: requested by the commits from which
 * another amount may follow, taken up by the job of usage/credits; kept, because it names the page of a
 * payment), `share` (mirror/shares.ts, for each change of a subscription within its period: written by
 * the commit of the change, where plans include something; removed by the job of usage/shares once what
 * was included is given), `batch` (usage/outbox, for each batch of usage on its way to a meter, with the id that Stripe knows it
 * by: made by the store's `gather`; removed once it is sent, kept where it is reported),
 * `access` (reactions/access-record.ts, for each entity: what was last told of its access), and
 * `notice` (reactions/notices.ts, for each subscription whose trial is to be announced).
 */

import type { ResourceName } from "../../catalogue/catalogue.js";
import { erasedKey } from "../../mirror/erased.js";
import { type Former, formerKey } from "../../mirror/former.js";
import type { StoredListening } from "../../mirror/listening.js";
import { LISTENING } from "../../mirror/listening.js";
import type { Drift } from "../reports.js";
import type { MeterErrors, Outbox } from "./batches.js";
import { defineLock, defineRecord } from "./record.js";
import { WATCHDOG } from "./watchdog.js";

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
  /** What `sync` was given for it, as JSON; absent if that was nothing. */
  readonly options?: string;
}

/** A checkout page that was handed out. */
export interface HandedPage {
  readonly sessionId: string;
  readonly customerId: string;
  /** What it sells, and how: the same order has the same. */
  readonly order: string;
}

/** What is remembered of an entity's checkout. */
export interface Guard {
  /** The page of each group of plans that exclude each other. */
  readonly pages: { readonly [group: string]: HandedPage };
  /** How many pages were made, those included that were not handed out. */
  readonly made: number;
  /** Milliseconds until which one caller works at it, and others wait. It only saves work. */
  readonly leasedUntil: number;
  /** The groups in which a trial was used. */
  readonly trials: readonly string[];
  /** Whether the last page was recorded so late that the record may have been set back meanwhile. */
  readonly isLate?: boolean;
}

/** One line of what is bought. */
export interface PurchaseLine {
  readonly priceId: string;
  /** The key that the price had when it was bought: keys move on to newer prices. */
  readonly lookupKey: string | null;
  readonly quantity: number;
}

/** What is bought on a checkout page: Stripe's session names none of it unless it is asked to. */
export interface SessionLines {
  readonly lines: readonly PurchaseLine[];
  /** Whether they stay as they are, whatever the buyer does on the page. */
  readonly final: boolean;
}

/** A worker's turn at an entity's seats. */
export interface SeatsTurn {
  /** Milliseconds until which no other worker has a turn. */
  readonly until: number;
  /** Whether something may be on its way to Stripe: the turn goes on, or did not end as it should. */
  readonly isOpen: boolean;
}

/** A revision that does not repeat when the database is set back to an earlier point. */
const randomRevision = (): number => Math.floor(Math.random() * 2 ** 52) + 1;

export const records = {
  /** Mode and application. Written at first use (runtime/mode.ts); read at every start, by `doctor`. */
  mode: defineRecord<StoredMode>("mode"),

  /** The Stripe account. Written at first use (stripe/account.ts); read at every start, by `doctor`. */
  account: defineRecord<{ readonly id: string }>("account"),

  /** Other applications' customers. Written by events and pages (customers/strangers.ts); read by `doctor`. */
  strangers: defineRecord<{ readonly seen: readonly Stranger[] }>("strangers"),

  /**
   * What the application's processes have handlers for. Written at first use and once an hour
   * (runtime/commit/listening.ts); read by every commit that writes rows, and at each delivery. Not on
   * Convex, where all functions are of one version.
   */
  listening: defineRecord<StoredListening>(LISTENING.id),

  /**
   * Whose a customer was that is gone. Written by the commit that learns it (mirror/plan-changes.ts)
   * where anything is listened to; read when what it had is told (reactions/telling/entity.ts); removed
   * when due.
   */
  former: (customerId: string) => defineRecord<Former>(formerKey(customerId).id),

  /**
   * That a customer was erased. Written by the job that erases its entity (erase/customers.ts); read by
   * every commit that writes something of a customer, where any was erased, and by `setup`; never
   * removed.
   */
  erased: (customerId: string) =>
    defineRecord<{ readonly at: number }>(erasedKey(customerId).id, { kind: "erased" }),

  /**
   * Which keys were used to make customers of an entity that was erased, under a digest of whose they
   * were: the same key would not make another. Written as above; read by `setup`; never removed.
   */
  usedKeys: (digest: string) =>
    defineRecord<{ readonly counter: number }>(`keys ${digest}`, { kind: "erased" }),

  /** The portal's configuration. Written by `sync` (sync/portal); read by portal links, `doctor`. */
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
  watchdog: defineRecord<{ readonly at: number }>(WATCHDOG.id),

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
   * a run's phase ends (sync/run/commit.ts); read by every commit, by catch-ups, by `setup`; removed by
   * runs that read events without the resource.
   */
  watermark: (of: ResourceName | "events") =>
    defineRecord<{ readonly at: number }>(of, { kind: "watermark" }),

  /**
   * The checkout pages of an entity, under the id of its claim. Written and read when a subscription
   * is sold (links/guard); never removed, because it remembers trials.
   */
  // mutant "the guard's revisions repeat": revision: randomRevision ->
  guard: (id: string) => defineRecord<Guard>(id, { kind: "guard", revision: randomRevision }),

  /**
   * The turns at an entity's seats. Written and read by the job that counts and sends them
   * (subscriptions/seats); never removed, so that its revisions do not repeat.
   */
  seats: (entityId: string) => defineRecord<SeatsTurn>(`seats ${entityId}`),

  /**
   * The minutes of an entity's batches of a feature. Written and read by the store's `gather`, which
   * locks it (usage/outbox); never removed.
   */
  outbox: (place: string) => defineRecord<Outbox>(`outbox ${place}`),

  /** Usage that Stripe took and could not count. Written by events (events/meter-errors.ts); read by `status`. */
  meterErrors: defineRecord<MeterErrors>("meter errors"),

  /**
   * A customer whose subscriptions must be read, a checkout session whose lines must be, an owner
   * whose list must (events/owner.ts), or an event that must (events/meter-errors.ts). Requested by events; removed after the reading (events).
   */
  refresh: (id: string) => defineRecord<object>(id, { kind: "refresh" }),

  /**
   * What is bought on a checkout page. Written when the page is made (links/session.ts) and when its
   * session is read (events/session.ts); read by the reads of purchases; never removed.
   */
  purchase: (sessionId: string) => defineRecord<SessionLines>(sessionId, { kind: "purchase" }),
} as const;
