/** What credits that are bought need of a database beside records. */

/**
 * `lines`: what was bought is not known yet. `feature`: the catalogue of this process lacks one.
 * `foreign`: it is a page of another application's, or sells no credits.
 */
export type CreditsOutcome = "done" | "lines" | "feature" | "foreign";

export interface CreditsStore {
  /**
   * Sets the credits of a checkout page to what is paid for, by what the mirror says, in one transaction
   * (usage/credits/settle.ts). Doing it again does nothing.
   */
  settle(sessionId: string, now: number): Promise<CreditsOutcome>;
}
