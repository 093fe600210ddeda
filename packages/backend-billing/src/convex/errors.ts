/**
 * Errors on Convex. The data of a `ConvexError` reaches the browser unless the application catches the
 * error, so it holds the code, and the message only where that is meant for the application's users.
 */
import type { Logger } from "../core/runtime/config.js";
import { factsOf } from "../core/runtime/error-facts.js";
import { BillingError, type BillingErrorCode } from "../core/runtime/errors.js";
import { HIDDEN, rethrowing, SETTINGS } from "./rethrow.js";

/** The sentence that stands for the message of an error that is not for the application's users. */
const NEUTRAL: { readonly [code in BillingErrorCode]?: string } = {
  invalid_config: SETTINGS,
  livemode_mismatch: SETTINGS,
  missing_export: SETTINGS,
  invalid_signature: "The signature is not valid.",
  provider_error:
    "Stripe refused the request or did not answer. Try again in a minute; if it fails again, see the log of the backend.",
  run_failed: "The run failed. `runs` says why.",
  schedule_not_ours:
    "The subscription follows a schedule that was made elsewhere, so it cannot be changed here.",
  store_error:
    "The database refused the change or was too busy. Try again in a minute; if it fails again, see the log of the backend.",
  unstorable: "The database refuses this content. See the log of the backend.",
};

/**
 * Runs a function of the library. A `BillingError` is thrown on as a `ConvexError`; if its message
 * is not passed on, its kind is logged, to the console where no logger was configured.
 */
export const withConvexErrors = <T>(log: Logger | undefined, run: () => Promise<T>): Promise<T> =>
  rethrowing(run, (error) => {
    (log ?? console).error(factsOf(error), HIDDEN);
    return NEUTRAL[error.code] ?? SETTINGS;
  });

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
  // mutant "a missing `sync` is not named"
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
