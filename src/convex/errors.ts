/**
 * Errors on Convex. Only a `ConvexError` keeps its data on the way from one function to another and
 * to the browser, so every `BillingError` leaves the library as one.
 */
import { ConvexError } from "convex/values";
import { BillingError, type BillingErrorCode } from "../core/errors.js";

/** The data of the `ConvexError` that an action or a client function throws. */
export type BillingErrorData = {
  readonly code: BillingErrorCode;
  readonly message: string;
};

/** All codes; the compiler sees to it that none is missing. */
const CODES: { readonly [code in BillingErrorCode]: true } = {
  customer_not_found: true,
  invalid_argument: true,
  invalid_config: true,
  invalid_signature: true,
  livemode_mismatch: true,
  missing_export: true,
  provider_error: true,
  reserved_metadata_key: true,
  run_failed: true,
  store_error: true,
};

/**
 * What the library says of an error that one of its functions threw; undefined if it is not the
 * library's.
 *
 * @example
 * ```ts
 * import { billingErrorOf } from "backend-billing/convex";
 *
 * const isNewcomer = (error: unknown): boolean =>
 *   billingErrorOf(error)?.code === "customer_not_found";
 * ```
 */
export function billingErrorOf(error: unknown): BillingErrorData | undefined {
  const data: unknown = error instanceof ConvexError ? error.data : error;
  if (typeof data !== "object" || data === null) return undefined;
  const { code, message } = data as { code?: unknown; message?: unknown };
  const known = typeof code === "string" && Object.hasOwn(CODES, code);
  const isOurs = known && (error instanceof ConvexError || error instanceof BillingError);
  return isOurs ? { code: code as BillingErrorCode, message: String(message) } : undefined;
}

/** Runs a function of the library; what it throws arrives at its caller, whoever that is. */
export async function withConvexErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    const { code, message } = error;
    throw new ConvexError<BillingErrorData>({ code, message });
  }
}

/** What the application's file must export, and how. */
export interface Exporter {
  readonly module: string;
  /** The line that exports everything. */
  readonly line: string;
}

/**
 * The words in which Convex, and `convex-test`, say that a function is not there: when it is
 * called, and when it is scheduled.
 */
const ABSENT = [
  /Could not find (?:public )?function for '(?<path>[^']+)'/,
  /Couldn't find JavaScript module '(?<file>[^']+)'/,
  /Couldn't find "(?<name>[^"]+)" in module "(?<file>[^"]+)"/,
  /Attempted to schedule function at nonexistent path: (?<file>\S+)/,
  /Attempted to schedule function, but no exported function (?<name>\S+) found in the file: (?<file>[^\s]+?)\. /,
  /Could not find module for: "(?<file>[^"]+)"/,
  /Expected a Convex function exported from module "(?<file>[^"]+)" as `(?<name>[^`]+)`, but/,
];

/** The error of a call to `store`, in our words if the reason is an export that is not there. */
export function explained(error: unknown, { module, line }: Exporter): unknown {
  const said = error instanceof Error ? error.message : String(error);
  for (const words of ABSENT) {
    const found = words.exec(said)?.groups;
    if (found === undefined) continue;
    const [path = "", own] = (found.path ?? found.file ?? "").split(":");
    if (path.replace(/\.js$/, "") !== module) continue;
    const name = found.name ?? own;
    const what = name === undefined ? `convex/${module}.ts` : `\`${name}\` in convex/${module}.ts`;
    return new BillingError(
      "missing_export",
      `The library did not find ${what}, which it needs. That file must have this line: ${line} If the line is in another file, pass that file's path as \`module\`.`,
      { cause: error },
    );
  }
  return error;
}
