/** The credits that a page sells, written on it: what is sold stays as it was, whatever becomes of the catalogue. */
import type { Reach } from "../customers/setup.js";
import { CREDITED_KEY, CREDITS_KEY } from "../mirror/credits.js";
import { BillingError } from "../runtime/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import type { soldPrices } from "../subscriptions/offers.js";
import { creditsMetadata } from "../usage/credits/mark.js";
import type { SessionParams } from "./params.js";

interface Sale {
  readonly entityId: string;
  /** The prices on the page. */
  readonly sold: Awaited<ReturnType<typeof soldPrices>>;
  readonly given: Pick<SessionParams, "metadata">;
}

/** The longest value that Stripe's metadata takes. */
const LONGEST = 500;

/** What is to be written on the page and its payment; undefined where it sells no credits. */
export function creditsSold(
  { config, resources }: Runtime,
  { entityId, sold, given }: Sale,
  { stripeAccount }: Reach,
): ReturnType<typeof creditsMetadata> {
  const taken = [CREDITS_KEY, CREDITED_KEY].find((key) => Object.hasOwn(given.metadata || {}, key));
  if (taken !== undefined) {
    const message = `\`metadata.${taken}\` is the library's own: it says which credits a page sells. Leave it out.`;
    throw new BillingError("invalid_argument", message);
  }
  // The mirror holds nothing of connected accounts.
  const credits =
    stripeAccount === undefined
      ? creditsMetadata(config.catalogue, sold.values(), entityId)
      : undefined;
  if (credits === undefined) return undefined;
  const needed = (["checkout_sessions", "charges", "disputes"] as const).filter(
    (name) => !resources.includes(name),
  );
  if (needed.length > 0) {
    const message = `Credits follow what is paid, refunded and disputed: add ${needed.join(", ")} to \`resources\`.`;
    throw new BillingError("invalid_config", message);
  }
  if ((credits.page[CREDITS_KEY] ?? "").length > LONGEST) {
    const message = `The packs with credits on one page do not fit into Stripe's metadata. Sell fewer of them at once.`;
    throw new BillingError("invalid_argument", message);
  }
  return credits;
}
