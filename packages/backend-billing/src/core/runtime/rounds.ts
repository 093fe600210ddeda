/** Compare-and-set until it succeeds, with a bounded number of attempts. */
import { BillingError } from "./errors.js";

/** Returned by an attempt that was overtaken and should be repeated. */
export const AGAIN: unique symbol = Symbol("again");

/** Far more than callers of one record ever meet; conflicts beyond it have another cause. */
export const MOST_ROUNDS = 100;

/** Attempts until one is not overtaken; throws `store_error` after so many. */
export async function inRounds<T>(
  what: string,
  attempt: (round: number) => Promise<T | typeof AGAIN>,
  most = MOST_ROUNDS,
): Promise<T> {
  for (let round = 0; round < most; round++) {
    const result = await attempt(round);
    if (result !== AGAIN) return result;
  }
  throw new BillingError(
    "store_error",
    `${what} was changed ${most} times in a row while it was being written, so nothing was written. Try again; if it goes on, look for what writes it.`,
  );
}
