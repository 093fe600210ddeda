/** The prices that a lookup key names: the catalogue's own, with what they are sold with, or Stripe's. */
import type { Reach } from "../customers/setup.js";
import { type Sold, soldBy } from "../plans/sold.js";
import { BillingError, provider } from "../runtime/errors.js";
import type { Runtime } from "../runtime/runtime.js";

/** Which price: by its id, or by its lookup key. */
interface Priced {
  readonly priceId?: string | undefined;
  readonly lookupKey?: string | undefined;
}

/** What is sold when that price is. */
interface Named extends Pick<Sold, "trialDays"> {
  readonly priceId: string;
  /** The prices of what its plan bills by usage. */
  readonly usage: readonly string[];
  /** Whether `usage` is all that there is: a catalogue says so. */
  readonly isWhole: boolean;
}

/** The prices of what is named; otherwise `invalid_argument`. */
export async function namedBy(
  runtime: Runtime,
  { priceId, lookupKey = "" }: Priced,
  reach: Reach = {},
): Promise<Named> {
  if (priceId !== undefined) return { priceId, usage: [], trialDays: undefined, isWhole: false };
  const sold = soldBy(runtime.config.catalogue, lookupKey);
  if (sold.refusal !== undefined) throw new BillingError("invalid_argument", sold.refusal);
  const found = await pricesOf(runtime, [sold.key, ...sold.usage], reach);
  const idOf = (key: string): string => {
    const id = found.get(key);
    if (id !== undefined) return id;
    const advice = sold.isOwn
      ? "Run `npx backend-billing push --apply` with this key, so that Stripe has what the catalogue says."
      : "Give the price that key, or take another one.";
    throw new BillingError(
      "invalid_argument",
      `Stripe has no active price with the lookup key ${key} under this key. ${advice}`,
    );
  };
  const { trialDays, isOwn: isWhole } = sold;
  return { priceId: idOf(sold.key), usage: sold.usage.map(idOf), trialDays, isWhole };
}

/** The most lookup keys that Stripe takes in one request. */
const MOST_KEYS = 10;

/** The ids of the active prices that have these lookup keys at Stripe. */
async function pricesOf(
  runtime: Runtime,
  keys: readonly string[],
  reach: Reach,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let from = 0; from < keys.length; from += MOST_KEYS) {
    const lookup_keys = keys.slice(from, from + MOST_KEYS);
    const { data } = await runtime
      .stripe()
      .prices.list({ lookup_keys, active: true, limit: MOST_KEYS }, reach)
      .catch(provider);
    for (const { id, lookup_key } of data) if (lookup_key !== null) found.set(lookup_key, id);
  }
  return found;
}
