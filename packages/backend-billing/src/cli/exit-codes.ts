/** What the process answers with. Scripts rely on these numbers: they are documented and stable. */
export const EXIT = {
  ok: 0,
  /** Something failed: Stripe, the database, or a run. */
  failed: 1,
  /** Used wrongly: an argument or a setting is missing or wrong. Nothing was done. */
  usage: 2,
  /** It worked, and what it found is not as it should be: drift, or a finding of the doctor. */
  findings: 3,
  /** Ctrl-C. What was done so far is kept. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
