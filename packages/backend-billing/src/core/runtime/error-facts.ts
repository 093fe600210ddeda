/**
 * What a log or a span may contain of an error: its kind, never its message. Stripe's messages
 * quote emails and parts of keys, PostgreSQL's quote values, a parser's quote its input.
 */
import Stripe from "stripe";
import { BillingError, type BillingErrorCode } from "./errors.js";

/** The code of the library's own errors; `unexpected` for any other error. */
export type ErrorType = BillingErrorCode | "unexpected";

export type ErrorFacts = {
  readonly error: ErrorType;
  /** Words from fixed vocabularies: classes, status, codes, names of tables. */
  readonly reason?: string;
  /** Stripe's id of the request, under which its dashboard shows all about it. */
  readonly request?: string;
  /** What to do, where the library itself knows. */
  readonly advice?: string;
};

/** With these codes the message is about the configuration and contains no customer data. */
const ADVISING: readonly BillingErrorCode[] = [
  "invalid_config",
  "livemode_mismatch",
  "missing_export",
];

/** Stripe's own words would quote the key. */
const WRONG_KEY =
  "Stripe does not know the key. Check STRIPE_SECRET_KEY; the key may be incomplete, revoked, or expired.";

/** What `pg` says without a code. Constants, so they quote nothing. */
const CONSTANTS =
  /^(Connection terminated( unexpectedly| due to connection timeout)?|timeout exceeded when trying to connect|Query read timeout|Cannot use a pool after calling end on the pool|Client has encountered a connection error and is not queryable)$/;

const WORD = /^[A-Za-z][\w.-]{0,63}$|^[0-9A-Z]{5}$/;

export function errorType(error: unknown): ErrorType {
  if (error instanceof BillingError) return error.code;
  if (error instanceof Stripe.errors.StripeError) return "provider_error";
  // Whatever Stripe's client meets is wrapped in an error of its own, so a code is the database's.
  const isStores = typeof codeOf(error) === "string" || CONSTANTS.test(messageOf(error));
  return isStores ? "store_error" : "unexpected";
}

export function factsOf(error: unknown): ErrorFacts {
  const type = errorType(error);
  const isOurs = error instanceof BillingError;
  const source = isOurs ? error.cause : error;
  const reason = reasonOf(source);
  const request = requestOf(source);
  return {
    error: type,
    ...(reason === "" ? {} : { reason }),
    ...(request === undefined ? {} : { request }),
    ...(isOurs && ADVISING.includes(error.code) ? { advice: error.message } : {}),
    ...(source instanceof Stripe.errors.StripeAuthenticationError ? { advice: WRONG_KEY } : {}),
  };
}

function reasonOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if (error instanceof Stripe.errors.StripeError) {
    const parameter = /^[a-z_]+/.exec(error.param ?? "")?.[0];
    return words(error.type, error.statusCode, error.code, parameter);
  }
  const { name, table, column, constraint } = error as { readonly [name: string]: unknown };
  const message = messageOf(error);
  const constant = CONSTANTS.test(message) ? [message] : [];
  const where = codeOf(error) === undefined && constant.length === 0 ? [placeOf(error)] : [];
  return [words(name, codeOf(error), table, column, constraint), ...constant, ...where]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
}

const words = (...all: readonly unknown[]): string =>
  all
    .filter(
      (each) => Number.isInteger(each) || (typeof each === "string" && WORD.test(each as string)),
    )
    .join(" ");

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "");

function requestOf(error: unknown): string | undefined {
  if (!(error instanceof Stripe.errors.StripeError)) return undefined;
  return /^req_\w{1,64}$/.exec(error.requestId ?? "")?.[0];
}

/** The file and line that threw, without the words before them. */
function placeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || typeof error.stack !== "string") return undefined;
  const { stack, message } = error;
  const from = message === "" ? 0 : stack.indexOf(message);
  if (from < 0) return undefined;
  const found = /\n\s+at .*?([\w.-]+:\d+:\d+)\)?(\n|$)/.exec(stack.slice(from + message.length));
  return found === null ? undefined : `at ${found[1]}`;
}
