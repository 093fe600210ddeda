/**
 * What is read of usage that was counted, and how it is put in order: for comparing with Stripe, and for
 * what a person or a job does later. Each call is one transaction. Types alone.
 */
import type { StoredRecord } from "../../mirror/store.js";

/** Whose usage, and of which feature. */
export interface BookPlace {
  readonly entityId: string;
  readonly feature: string;
}

/** One that Stripe has a customer of. */
export interface BilledPlace extends BookPlace {
  readonly customerId: string;
}

/** What was sent of the usage of a day. */
export interface SentDay {
  /** Milliseconds: its beginning in UTC. */
  readonly day: number;
  /** Units in batches that Stripe has taken. */
  readonly units: number;
  /** Whether some of its usage is not sent yet, or it is not known what became of it. */
  readonly isOpen: boolean;
}

/** Usage that waits to be sent. */
export interface Unsent {
  readonly records: number;
  readonly units: number;
  /** Milliseconds: when the oldest of it was used; null where there is none. */
  readonly since: number | null;
}

export interface UsageBooks {
  /**
   * Places of these features, in their order, that Stripe bills now or was sent usage of since a
   * moment.
   */
  billed(
    features: readonly string[],
    since: number,
    after: BookPlace | null,
    limit: number,
  ): Promise<readonly BilledPlace[]>;
  /** What was sent of a place, by the days of its usage; days without any are left out. */
  sent(place: BookPlace, from: number, until: number): Promise<readonly SentDay[]>;
  /**
   * Puts what was counted before a moment, and is sent if Stripe bills it, into sums of days, and
   * removes it; so it does with shares of plans that ended before, and with holds. At most so many rows
   * of each; answers the most that it did of one.
   */
  fold(before: number, limit: number): Promise<number>;
  /** What Stripe bills of a place and is in no batch yet. */
  unsent(place: BookPlace): Promise<Unsent>;
  /**
   * Puts another batch in the place of one, or none, unless it has changed since it was read. Its usage
   * is in that other batch then; or it stays as it is, as sent or as not billed by Stripe. False if it
   * has changed.
   */
  settle(
    over: StoredRecord,
    next: Pick<StoredRecord, "id" | "due" | "data"> | null,
    isBilled: boolean,
  ): Promise<boolean>;
}
