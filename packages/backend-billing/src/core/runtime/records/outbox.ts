/** What sending usage to Stripe needs of a database beside records. Each call is one transaction. */
import type { StoredRecord } from "../../mirror/store.js";

/** Whose usage, and of which feature. */
export interface Place {
  readonly entityId: string;
  readonly feature: string;
}

/** Which batch is to be made. */
export interface Gathering extends Place {
  /** The event's name of the feature's meter. */
  readonly meter: string;
  readonly now: number;
  /** The batch's. */
  readonly id: string;
  /** Milliseconds: when another worker may take the batch up. */
  readonly due: number;
  /** It is sent at once, however lately another was made. */
  readonly isUrgent?: boolean;
}

export interface OutboxStore {
  /**
   * Entities and features with records that Stripe bills and has not been sent: those that have a
   * customer, no batch under way, and none that was made a moment ago. In their order, from after one.
   */
  unsent(
    features: readonly string[],
    now: number,
    limit: number,
    after: Place | null,
  ): Promise<readonly Place[]>;
  /**
   * Stores the batch that `gathered` (usage/outbox/batch.ts) makes of what is unsent, and marks its
   * records, in one transaction that no other of the same place runs beside. Answers its record, which
   * the caller holds; undefined if there is none to make.
   */
  gather(gathering: Gathering): Promise<StoredRecord | undefined>;
  /** Whether anything that Stripe bills of a place is unsent, or on its way. */
  isLeft(place: Place): Promise<boolean>;
  /** Removes all that was counted of an entity, and what it was given. */
  forget(entityId: string): Promise<void>;
}
