/** What follows from an error: whether and when to try again, and the message to report. Pure. */
import { BillingError } from "../../runtime/errors.js";

export type AfterFailure =
  | { readonly retry: true; readonly delay: number; readonly message: string }
  | { readonly retry: false; readonly message: string };

/** After so many failures in a row the error counts as permanent. */
const MOST_ATTEMPTS = 20;
const LONGEST_DELAY = 60_000;

interface ErrorFields {
  readonly statusCode?: number;
  readonly code?: string;
  readonly type?: string;
  readonly message?: string;
}

/** `chance`, a random number from 0 to 1, spreads the retries of steps that failed together. */
export function afterFailure(
  error: unknown,
  what: string,
  attempts: number,
  chance: number,
): AfterFailure {
  const fields = (typeof error === "object" && error !== null ? error : {}) as ErrorFields;
  const said = fields.message ?? String(error);
  const final = finalAdvice(error, fields, what);
  if (final !== undefined) {
    return { retry: false, message: `${what}: ${said} ${final}`.replaceAll("  ", " ") };
  }
  const limited = fields.statusCode === 429;
  if (attempts >= MOST_ATTEMPTS * (limited ? 10 : 1)) {
    const tries = `It was tried ${attempts + 1} times.`;
    return {
      retry: false,
      message: `${what}: ${said} ${tries} The run goes on from here when it is started again.`,
    };
  }
  const longest = limited ? 1_500 : Math.min(LONGEST_DELAY, 500 * 2 ** Math.min(attempts, 10));
  return {
    retry: true,
    delay: Math.round(longest * (0.5 + chance / 2)),
    message: `${what}: ${said}`,
  };
}

/** What to do about a permanent error; undefined if another attempt may succeed. */
function finalAdvice(
  error: unknown,
  { statusCode }: ErrorFields,
  what: string,
): string | undefined {
  if (error instanceof BillingError) {
    return error.code === "store_error" || error.code === "provider_error" ? undefined : "";
  }
  if (statusCode === 401) {
    return "Check STRIPE_SECRET_KEY: Stripe does not know this key, or it was revoked. Then start the run again.";
  }
  if (statusCode === 403) {
    return `Let the restricted key read ${what.split(" ")[0]}, or leave that out of \`resources\`. Then start the run again.`;
  }
  if (statusCode === undefined || statusCode === 409 || statusCode === 429 || statusCode >= 500) {
    return undefined;
  }
  return "Stripe refuses this request whenever it is made; this is a fault of the library or of its configuration.";
}
