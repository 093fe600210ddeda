/** What is stored of usage on its way to Stripe's meters, and of what Stripe says of it later. Types alone. */

/** Why a batch is not simply sent. */
export type BatchProblem =
  /** Stripe refused it. */
  | "refused"
  /** Its answers were lost for too long, and its minute shows nothing. */
  | "missing"
  /** The same, and its minute shows something else, or is not its own. */
  | "unclear"
  /** It was counted, but after its invoice may have been final. */
  | "late";

/** Usage of one customer that is sent to a meter as one event; the record's id is its identifier. */
export interface MeterBatch {
  readonly entityId: string;
  readonly feature: string;
  readonly customerId: string;
  /** The event's name of the meter. */
  readonly meter: string;
  /** Units: a whole number. */
  readonly value: number;
  /** Seconds: the beginning of a minute that no other batch of the customer and meter has, unless `isShared`. */
  readonly timestamp: number;
  /** Whether others may have its minute too, so that its sum says nothing of this one. */
  readonly isShared?: true;
  /** Milliseconds: when the period ends that it is billed with; null if none is known. */
  readonly closesAt: number | null;
  /** Milliseconds: from when on it may have reached Stripe. */
  readonly firstAt: number;
  /** How often it failed since. */
  readonly tries: number;
  /** Set once it is reported; from then on nothing is done by itself. */
  readonly problem?: BatchProblem;
  /** What Stripe called it, where it refused. */
  readonly code?: string;
}

/** What is remembered of the batches of an entity and a feature. */
export interface Outbox {
  /** Milliseconds: when the next batch may be made. */
  readonly nextAt: number;
  /** Minutes that were given to batches, by their day: ranges, ends included. */
  readonly used: { readonly [day: string]: readonly MinuteRange[] };
}

/** Minutes since 1970. */
export type MinuteRange = readonly [from: number, to: number];

/** What Stripe said of events that it had taken and then could not count. */
export interface MeterErrors {
  /** Of all reports. */
  readonly count: number;
  /** The last reports, newest first. */
  readonly reports: readonly MeterErrorReport[];
}

export interface MeterErrorReport {
  readonly eventId: string;
  /** Milliseconds. */
  readonly at: number;
  /** The id of the meter; null where the event's name has none. */
  readonly meterId: string | null;
  readonly errors: readonly {
    readonly code: string;
    readonly count: number;
    /** The batches of some of them. */
    readonly batches: readonly string[];
  }[];
}
