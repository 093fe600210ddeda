/** What the shares of plans need of a database beside records. */

/** A subscription as it was until a moment in milliseconds, and whose it is. */
export interface FormerShare {
  readonly entityId: string;
  readonly before: object;
  readonly at: number;
}

export interface SharesStore {
  /**
   * Gives an entity what a subscription included until it changed, for periods that are not over
   * (usage/shares/settle.ts). Doing it again does nothing.
   */
  settle(former: FormerShare, now: number): Promise<void>;
}
