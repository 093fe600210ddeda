/**
 * What calls report to the application: plain data. These types are below everything that makes
 * them, because an error can carry a report.
 */
import type { ResourceName } from "../catalogue/catalogue.js";

/** An object that is at Stripe and not in the tables, or not all of it. */
export interface SetAside {
  readonly resource: ResourceName;
  readonly id: string;
  /** Why it cannot be stored, without anything of its content. */
  readonly reason: string;
  /** Milliseconds at which it was last tried. */
  readonly at: number;
  /** `none`: the tables have no row of it, or an older one. `part`: what did not fit is left out. */
  readonly kept: "none" | "part";
}

/** What is set aside: how many objects, and some of them. */
export interface SetAsideReport {
  readonly count: number;
  readonly examples: readonly SetAside[];
}

/** An object in which the tables and Stripe differ. */
export interface Example {
  readonly id: string;
  /**
   * `missing`: Stripe has it and the mirror has not. `different`: both have it. `ghost`: the mirror
   * has it and Stripe has not.
   */
  readonly kind: "missing" | "different" | "ghost";
  /** Some of the fields that differ. */
  readonly fields?: readonly string[];
}

/** What differs between Stripe and the tables. */
export interface Drift {
  readonly missing: number;
  readonly different: number;
  readonly ghost: number;
  readonly examples: readonly Example[];
}

/** What a sample says about the whole. */
export interface Confidence {
  /** Rows that were compared, of so many. */
  readonly sampled: number;
  readonly of: number;
  readonly differing: number;
  readonly level: number;
  /** At most this part of all rows differs, with that confidence. */
  readonly atMost: number;
  readonly statement: string;
}

/** What a run is for. */
export type RunKind = "backfill" | "catch-up" | "reconcile" | "verify";

/** How a run, or a part of it, stands. */
export type RunState = "running" | "done" | "failed";

/**
 * A part of a run. `list`: what Stripe's lists show. `sweep`: what the lists did not show is asked
 * for by id. `events`: what happened since. `settle`: what is still in doubt is asked. `sample`:
 * some rows.
 */
export type Phase = "list" | "sweep" | "events" | "settle" | "sample" | "usage";

/** How far one resource of a run is. */
export interface Progress {
  readonly pages: number;
  /** Objects that pages showed, or that were asked for by id. */
  readonly rows: number;
  readonly state: RunState;
  /** What went wrong last; a run that is still running tries it again. */
  readonly error?: string;
  /** Where the mirror and Stripe disagreed; a reconcile has repaired it, a verification not. */
  readonly drift?: Drift;
  /** Of a sampled verification: what the sample says about all rows. */
  readonly confidence?: Confidence;
}

/** A day of which Stripe's meter has counted something else than was sent for a customer. */
export interface UsageDifference {
  readonly customerId: string;
  /** The event's name of the meter. */
  readonly meter: string;
  /** In UTC, such as `2026-01-31`. */
  readonly day: string;
  /** Units that were sent, and units that Stripe has counted. */
  readonly ours: number;
  readonly stripe: number;
}

/** How far the comparison of usage is; `rows` are customers with a meter. */
export interface UsageProgress extends Omit<Progress, "drift" | "confidence"> {
  /** How many days differ, and some of them. */
  readonly differing: number;
  readonly examples: readonly UsageDifference[];
}

/** A run of `sync`, `reconcile` or `verify`, while it runs and after it. */
export interface RunReport {
  readonly runId: string;
  readonly kind: RunKind;
  /** `done` only when every partition of every phase was. */
  readonly state: RunState;
  readonly phase: Phase;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly error?: string;
  /** Objects that could not be stored, as of the run's end; absent if there were none. */
  readonly setAside?: SetAsideReport;
  readonly resources: { readonly [N in ResourceName]?: Progress };
  /** The reading of Stripe's events, where the run has come to it. */
  readonly events?: Progress;
  /** Of a verification: usage, where it has come to it and plans bill some. */
  readonly usage?: UsageProgress;
  readonly partitions: { readonly [state in RunState]: number };
}

/** What was done about the webhook endpoint. */
export interface WebhookReport {
  readonly id: string;
  /** Only when the endpoint is new: set it as `STRIPE_WEBHOOK_SECRET`, beside the old one if there is one. */
  readonly secret?: string;
  /** What was not as it should be, and was mended: such as `events`, `status` or `api_version`. */
  readonly mended?: readonly string[];
  /**
   * Other endpoints that Stripe sends to the same address: each event arrives once more, and is
   * refused unless `webhook_secret` holds their secret too. `replace: true` disables them.
   */
  readonly others?: readonly OtherEndpoint[];
}

/** An enabled webhook endpoint beside the one that `sync` looks after. */
export interface OtherEndpoint {
  readonly id: string;
  readonly url: string;
  /** Null: the account's own version. */
  readonly apiVersion: string | null;
}

/** What was done about the portal's configuration. */
export interface PortalReport {
  readonly configurationId: string;
}

/** What was done. Of the copying itself it says what {@link RunReport} does. */
export interface SyncReport extends Partial<Omit<RunReport, "runId" | "state" | "resources">> {
  readonly runId: string | null;
  /** `done` only when every resource was copied to its end. */
  readonly state: RunReport["state"];
  readonly resources: RunReport["resources"];
  readonly webhook?: WebhookReport;
  readonly portal?: PortalReport;
}
