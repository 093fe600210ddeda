/**
 * What carries an error from one function to another. Only a `ConvexError` keeps its data on that way,
 * so every `BillingError` leaves the library as one. In a file without Stripe's package, for the reads.
 */
import { ConvexError } from "convex/values";
import { BillingError, type BillingErrorCode } from "../core/runtime/errors.js";

/** The data of the `ConvexError` that a function of the library throws. */
export type BillingErrorData = {
  readonly code: BillingErrorCode;
  /**
   * What to do, where `BillingError` says `expose`. For every other code a fixed sentence: the reason
   * is in the log of the deployment.
   */
  readonly message: string;
};

export const SETTINGS = "Billing is not set up correctly. The log of the backend says what to do.";
export const HIDDEN = "A call failed; its caller was told the code alone";

/** `hidden` logs what its users may not see, and answers the sentence that they are told instead. */
export async function rethrowing<T>(
  run: () => Promise<T>,
  hidden: (error: BillingError) => string,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    const message = error.expose ? error.message : hidden(error);
    throw new ConvexError<BillingErrorData>({ code: error.code, message });
  }
}

/** Calls that need the database alone; what they hide is about the settings, and has no logger. */
export const rethrowingAll = <T extends object>(calls: T): T =>
  Object.fromEntries(
    Object.entries(calls).map(([name, call]: [string, (...all: unknown[]) => unknown]) => [
      name,
      (...all: unknown[]) => rethrowing(async () => call(...all), hidden),
    ]),
  ) as T;

function hidden({ code, message }: BillingError): string {
  console.error({ error: code, advice: message }, HIDDEN);
  return SETTINGS;
}
