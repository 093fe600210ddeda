/** What an answer of Stripe means for a batch, and what is done when there is none for long. Pure. */
import type { BatchProblem, MeterBatch } from "../../runtime/records/batches.js";

const HOUR = 60 * 60 * 1000;

/** Stripe knows an identifier for 24 hours: until well before that the same batch is sent again. */
const SENT_UNTIL = 20 * HOUR;
/** What was sent last may take effect late, and sums are behind: they are believed after that. */
const ASKED_FROM = SENT_UNTIL + HOUR;
/** How long an invoice stays a draft after its period; the dashboard can make it more. */
const DRAFT = HOUR;

/** What is to be done with a batch that is under way. */
export type Step = "send" | "wait" | "ask";

export function stepOf({ firstAt }: Pick<MeterBatch, "firstAt">, now: number): Step {
  const age = now - firstAt;
  if (age < SENT_UNTIL) return "send";
  return age < ASKED_FROM ? "wait" : "ask";
}

/** Milliseconds: when sums are believed. */
export const askedAt = ({ firstAt }: Pick<MeterBatch, "firstAt">): number => firstAt + ASKED_FROM;

/** What came of sending: it is counted, refused for good, or not known. */
export type Verdict =
  | { readonly is: "sent" }
  | { readonly is: "refused"; readonly code: string | undefined }
  | { readonly is: "unknown" };

/** What is read of an error of Stripe's. */
export interface Refusal {
  readonly statusCode?: number | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** They say nothing of the batch: a key that is changed, a limit, a conflict, or a clock that is ahead. */
const PASSING: ReadonlySet<number> = new Set([401, 403, 408, 409, 425, 429]);
const KNOWN = /already exists with identifier/i;

/** What an error means; without a status the answer was lost. */
export function verdictOf({ statusCode, code, message = "" }: Refusal): Verdict {
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return { is: "unknown" };
  if (statusCode === 400 && (code === "duplicate_meter_event" || KNOWN.test(message))) {
    return { is: "sent" };
  }
  if (PASSING.has(statusCode) || code === "timestamp_in_future") return { is: "unknown" };
  return { is: "refused", code };
}

/** What the sum of a batch's own minute says; undefined: that it was counted. */
export function problemBySum(
  { value }: Pick<MeterBatch, "value">,
  sum: number,
): BatchProblem | undefined {
  if (sum === value) return undefined;
  return sum === 0 ? "missing" : "unclear";
}

/** Whether a batch that was counted may have come after its invoice was final. */
export function isLate({ closesAt, firstAt }: MeterBatch, now: number): boolean {
  const countedBy = Math.min(now, firstAt + SENT_UNTIL);
  return closesAt !== null && countedBy > closesAt + DRAFT;
}
