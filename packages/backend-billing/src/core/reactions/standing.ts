/**
 * A content of a subscription as far as its events go by it. Rows may hold what an older version of
 * Stripe's API showed, so every field may be missing.
 */

export interface SeenPrice {
  readonly id?: string;
  readonly product?: string | { readonly id: string } | null;
  readonly recurring?: { readonly usage_type?: string } | null;
  /** Of a plan, which items had before they had a price. */
  readonly usage_type?: string;
}

export interface SeenItem {
  readonly price?: SeenPrice | null;
  readonly plan?: SeenPrice | null;
  readonly quantity?: number | null;
}

export interface Seen {
  readonly status?: string;
  readonly cancel_at?: number | null;
  readonly cancel_at_period_end?: boolean | null;
  readonly pause_collection?: object | null;
  readonly status_details?: {
    readonly paused?: { readonly subscription?: { readonly type?: string } | null } | null;
  } | null;
  readonly trial_start?: number | null;
  readonly trial_end?: number | null;
  readonly items?: { readonly data?: readonly SeenItem[]; readonly has_more?: boolean } | null;
}

const NOT_RUNNING: ReadonlySet<string> = new Set(["incomplete", "incomplete_expired", "canceled"]);

/** Whether it has begun and is not over. A status that Stripe may add does not end it. */
export const runs = ({ status }: Seen): boolean => status !== undefined && !NOT_RUNNING.has(status);

/** However the end was scheduled: the portal may set the time and leave the flag. */
export const isEnding = ({ cancel_at: at, cancel_at_period_end: flag }: Seen): boolean =>
  flag === true || (at !== null && at !== undefined);

const OWING: ReadonlySet<string> = new Set(["past_due", "unpaid"]);
/** Stripe may pause what could not be collected; that is no recovery. */
const UNPAID_PAUSES: ReadonlySet<string> = new Set([
  "final_payment_failure",
  "first_payment_failure",
]);

export function isOwing({ status = "", status_details: details }: Seen): boolean {
  if (status !== "paused") return OWING.has(status);
  return UNPAID_PAUSES.has(details?.paused?.subscription?.type ?? "");
}

/** Paused as a whole, or only its collection. */
export const isPaused = ({ status, pause_collection: paused }: Seen): boolean =>
  status === "paused" || (paused !== null && paused !== undefined);
