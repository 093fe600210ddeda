/** The one place that turns an error into words: what went wrong, what to do, and the exit code. Pure. */
import { BillingError } from "../../core/runtime/errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";

export interface DescribedError {
  /** A code of `BillingError`, or `unknown`. */
  readonly code: string;
  readonly message: string;
  /** What to do about it, where the message does not say so itself. */
  readonly todo?: string;
  readonly exitCode: ExitCode;
}

/** Codes that say that the caller has to change an argument or a setting. */
const USED_WRONGLY: readonly string[] = [
  "invalid_argument",
  "invalid_config",
  "livemode_mismatch",
  "missing_export",
];

const MIGRATE = "Run `npx backend-billing migrate` first, with the same --schema and --resources.";

/** By the code of PostgreSQL, of the system or by Stripe's status. */
const TODO: { readonly [code: string]: string } = {
  "28P01": "The password in DATABASE_URL is wrong.",
  "28000": "The database does not let this user in. Check the user in DATABASE_URL.",
  "3D000": "The database named in DATABASE_URL does not exist. Create it, or correct the name.",
  "3F000": MIGRATE,
  "42P01": MIGRATE,
  "42501": "The user in DATABASE_URL lacks the right to do that. Use one that owns the tables.",
  ECONNREFUSED: "Nothing listens there. Check that the server runs, and the address.",
  ENOTFOUND: "There is no host of that name. Check the address.",
  ETIMEDOUT: "Nothing answered in time. Check the address and the network.",
  "401": "Stripe does not know the key. Check STRIPE_SECRET_KEY.",
  "403": "The restricted key lacks that right. Give it in Stripe's dashboard, or use --resources.",
};

export function describeError(error: unknown): DescribedError {
  const chain = chainOf(error);
  const billing = chain.find((each) => each instanceof BillingError);
  const code = billing instanceof BillingError ? billing.code : "unknown";
  const todo = chain.flatMap(codesOf).flatMap((each) => TODO[each] ?? [])[0];
  return {
    code,
    message: messageOf(error, chain),
    ...(todo === undefined ? {} : { todo }),
    exitCode: USED_WRONGLY.includes(code) ? EXIT.usage : EXIT.failed,
  };
}

/** An error, its causes, and what it gathers. */
function chainOf(error: unknown, depth = 0): object[] {
  if (typeof error !== "object" || error === null || depth > 5) return [];
  const { cause, errors } = error as { cause?: unknown; errors?: unknown };
  const gathered = Array.isArray(errors) ? errors : [];
  return [error, ...[cause, ...gathered].flatMap((each) => chainOf(each, depth + 1))];
}

function codesOf(error: object): string[] {
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  return [code, statusCode].flatMap((each) =>
    typeof each === "string" || typeof each === "number" ? [String(each)] : [],
  );
}

/** A failed connection to several addresses has no message of its own. */
function messageOf(error: unknown, chain: readonly object[]): string {
  const messages = chain.map((each) => (each as { message?: unknown }).message);
  const said = messages.find((each) => typeof each === "string" && each !== "");
  return typeof said === "string" ? said : String(error);
}
