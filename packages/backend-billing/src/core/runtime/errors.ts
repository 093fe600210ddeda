/** The one error class of the library. Its code is stable and documented; its message says what to do. */

import type { SyncReport } from "./reports.js";

/** What went wrong, for programs. */
export type BillingErrorCode =
  /** The entity has no Stripe customer yet. */
  | "customer_not_found"
  /** An argument is missing, malformed or not the caller's to set. */
  | "invalid_argument"
  /** A setting is missing or contradicts another. */
  | "invalid_config"
  /** The webhook's signature does not fit any of the secrets. */
  | "invalid_signature"
  /** A live key over test data, or the reverse. */
  | "livemode_mismatch"
  /** An export that the library needs is not there. */
  | "missing_export"
  /** Stripe refused or failed; its own error is the `cause`. */
  | "provider_error"
  /** `metadata.entityId` and `metadata.billingApp` are the library's own. */
  | "reserved_metadata_key"
  /** A run of `sync`, `reconcile` or `verify` failed; `report` says how far it came. */
  | "run_failed"
  /** The database refused or failed; its own error is the `cause`. */
  | "store_error"
  /** The database refuses this very content, whenever it is sent. */
  | "unstorable";

/**
 * @example
 * ```ts
 * import { BillingError } from "backend-billing";
 *
 * const isNewcomer = (error: unknown): boolean =>
 *   error instanceof BillingError && error.code === "customer_not_found";
 * ```
 */
export class BillingError extends Error {
  override readonly name = "BillingError";
  /**
   * Of `run_failed`: what was done and what was not, and the secret of a new webhook endpoint. It is
   * not enumerable, so that printing the error does not put that secret into a log.
   */
  declare readonly report?: SyncReport;
  constructor(
    readonly code: BillingErrorCode,
    message: string,
    { report, ...options }: { readonly cause?: unknown; readonly report?: SyncReport } = {},
  ) {
    super(message, options);
    if (report !== undefined) Object.defineProperty(this, "report", { value: report });
  }
}

/** Passes on what Stripe refused or failed at, with its own error as the cause. */
export function provider(error: unknown): never {
  if (error instanceof BillingError) throw error;
  const message = error instanceof Error ? error.message : String(error);
  throw new BillingError("provider_error", `Stripe refused or failed: ${message}`, {
    cause: error,
  });
}
