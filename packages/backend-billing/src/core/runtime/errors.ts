/** The one error class of the library. Its code is stable and documented; its message says what to do. */

import type { SyncReport } from "./reports.js";

/** What went wrong, for programs. */
export type BillingErrorCode =
  /** The customer is another entity's, or the entity has another customer, so it is not adopted. */
  | "already_linked"
  /** The entity has a live subscription already, and the call was to refuse a second one. */
  | "already_subscribed"
  /** The entity has no Stripe customer yet. */
  | "customer_not_found"
  /** An argument is missing, malformed or not the caller's to set. */
  | "invalid_argument"
  /** A setting is missing or contradicts another. */
  | "invalid_config"
  /** The webhook's signature does not fit any of the secrets. */
  | "invalid_signature"
  /** The balance does not cover what is to be taken. */
  | "limit_reached"
  /** A live key over test data, or the reverse. */
  | "livemode_mismatch"
  /** An export that the library needs is not there. */
  | "missing_export"
  /** The entity has no subscription that could be changed, previewed, cancelled or resumed. */
  | "not_subscribed"
  /** The payment for a change was declined; nothing has changed. */
  | "payment_failed"
  /** Stripe refused or failed; its own error is the `cause`. */
  | "provider_error"
  /** What a quote was given for has changed, or an hour has passed. */
  | "quote_expired"
  /** `metadata.entityId` and `metadata.billingApp` are the library's own. */
  | "reserved_metadata_key"
  /** A run of `sync`, `reconcile` or `verify` failed; `report` says how far it came. */
  | "run_failed"
  /** The subscription follows a schedule that others made, with more than one change ahead. */
  | "schedule_not_ours"
  /** The database refused or failed; its own error is the `cause`. */
  | "store_error"
  /** The database refuses this very content, whenever it is sent. */
  | "unstorable";

/** The status of HTTP that fits an error. */
export type BillingErrorStatus = 400 | 402 | 404 | 409 | 500 | 502;

interface Kind {
  readonly status: BillingErrorStatus;
  /**
   * Whether code and message are meant for the application's users. Stripe's messages quote emails
   * and parts of keys, those about settings name the account.
   */
  readonly expose: boolean;
}

const shown = (status: BillingErrorStatus): Kind => ({ status, expose: true });
const hidden = (status: BillingErrorStatus): Kind => ({ status, expose: false });

const KINDS: { readonly [code in BillingErrorCode]: Kind } = {
  already_linked: shown(409),
  already_subscribed: shown(409),
  customer_not_found: shown(404),
  invalid_argument: shown(400),
  invalid_config: hidden(500),
  invalid_signature: hidden(400),
  limit_reached: shown(402),
  livemode_mismatch: hidden(500),
  missing_export: hidden(500),
  not_subscribed: shown(404),
  payment_failed: shown(402),
  provider_error: hidden(502),
  quote_expired: shown(409),
  reserved_metadata_key: shown(400),
  run_failed: hidden(500),
  schedule_not_ours: hidden(409),
  store_error: hidden(500),
  unstorable: hidden(500),
};

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

  /** The status of HTTP that fits the code, for a route that answers with it. */
  get status(): BillingErrorStatus {
    return KINDS[this.code].status;
  }

  /** Whether a person may see the code and the message. On Convex only such messages reach a browser. */
  get expose(): boolean {
    return KINDS[this.code].expose;
  }
}

/**
 * The library's error, thrown here or received by a browser from Convex; undefined if it is not the
 * library's.
 *
 * @example
 * ```ts
 * import { billingErrorOf } from "backend-billing";
 *
 * const isDeclined = (error: unknown): boolean => billingErrorOf(error)?.code === "payment_failed";
 * ```
 */
export function billingErrorOf(
  error: unknown,
): { readonly code: BillingErrorCode; readonly message: string } | undefined {
  if (!(error instanceof Error)) return undefined;
  // By its name: the core knows no Convex, and a browser may have a copy of it of its own.
  const data: unknown = error.name === "ConvexError" ? (error as { data?: unknown }).data : error;
  if (typeof data !== "object" || data === null) return undefined;
  const { code, message } = data as { code?: unknown; message?: unknown };
  const isOurs = error.name === "ConvexError" || error.name === "BillingError";
  if (!isOurs || typeof code !== "string" || !Object.hasOwn(KINDS, code)) return undefined;
  return { code: code as BillingErrorCode, message: String(message) };
}

/** Passes on what Stripe refused or failed at, with its own error as the cause. */
export function provider(error: unknown): never {
  if (error instanceof BillingError) throw error;
  const message = error instanceof Error ? error.message : String(error);
  throw new BillingError("provider_error", `Stripe refused or failed: ${message}`, {
    cause: error,
  });
}
