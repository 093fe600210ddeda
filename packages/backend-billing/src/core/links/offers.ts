/**
 * What is sold: the prices that a link names, from the mirror or else from Stripe, and whether this
 * application sells them. A browser may have chosen the price, so every link asks here first.
 */

import type Stripe from "stripe";
import type { StripeObject } from "../catalogue/catalogue.js";
import type { Reach } from "../customers/setup.js";
import { answeredAt, plain, snapshotOfPart, stripeStatus } from "../mirror/snapshot.js";
import type { Offer } from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import type { BillingConfig } from "../runtime/config.js";
import { BillingError, provider } from "../runtime/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import { checkPlace } from "../stripe/account.js";

type Price = StripeObject<"prices">;
type Line = Pick<Stripe.Checkout.SessionCreateParams.LineItem, "price" | "quantity">;

/** The longest id that is worth a request. */
const LONGEST = 255;

/**
 * The prices of these ids, by id, each of which may be sold; otherwise `invalid_argument`. Those
 * that the mirror lacks are read from Stripe, with their product in the same request, and stored.
 * The mirror holds nothing of connected accounts, so Stripe is asked about theirs.
 */
export async function soldPrices(
  runtime: Runtime,
  priceIds: readonly string[],
  reach: Reach = {},
): Promise<ReadonlyMap<string, Price>> {
  await checkPlace(runtime); // a price that is fetched is stored too
  const ids = [...new Set(priceIds)];
  for (const id of ids) checkId(id);
  const known = new Map<string, Offer>();
  if (ids.length > 0 && reach.stripeAccount === undefined && isMirrored(runtime)) {
    for (const offer of await runtime.store.offers(ids)) known.set(offer.price.id, offer);
  }
  const sold = new Map<string, Price>();
  for (const id of ids) {
    const found = known.get(id);
    const offer = found?.product ? found : await fetchOffer(runtime, id, reach);
    const reason = whyNotSold(offer, runtime.config.sells);
    if (reason !== undefined) throw new BillingError("invalid_argument", reason);
    sold.set(id, offer.price);
  }
  return sold;
}

/** Why a price is not for sale, and what to do; undefined if it is for sale. */
export function whyNotSold(
  { price, product }: Offer,
  sells: BillingConfig["sells"],
): string | undefined {
  if (!price.active) {
    return `The price ${price.id} is not active, so it is not for sale. Sell one that is, or activate it at Stripe.`;
  }
  if (!product?.active) {
    return `The product of the price ${price.id} is ${product === undefined ? "gone" : "not active"}, so the price is not for sale. Sell another one, or activate the product at Stripe.`;
  }
  if (sells !== undefined && !sells(price, product)) {
    return `The price ${price.id} is not for sale here: the setting \`sells\` refuses it. Sell another one, or change \`sells\`.`;
  }
  return undefined;
}

/**
 * The lines of a page that sells a price: an entry of the same price replaces the line that there
 * would be without one, others are added. A metered price has no quantity; Stripe refuses one.
 */
export function linesFor<L extends Line>(
  priceId: string,
  sold: ReadonlyMap<string, Pick<Price, "recurring">>,
  quantity: number | undefined,
  given: readonly L[] = [],
): (L | Line)[] {
  if (given.some((line) => line.price === priceId)) {
    if (quantity === undefined) return [...given];
    throw new BillingError(
      "invalid_argument",
      `\`quantity\` and the entry of \`line_items\` for ${priceId} contradict each other. Leave one of them out.`,
    );
  }
  const metered = sold.get(priceId)?.recurring?.usage_type === "metered";
  return [{ price: priceId, ...(metered ? {} : { quantity: quantity ?? 1 }) }, ...given];
}

/** Refuses what is no number of things. */
export function checkQuantity(quantity: unknown): void {
  if (quantity === undefined || (Number.isSafeInteger(quantity) && Number(quantity) > 0)) return;
  throw new BillingError(
    "invalid_argument",
    `\`quantity\` must be a whole number from 1, not ${String(quantity)}.`,
  );
}

function checkId(id: unknown): void {
  if (typeof id === "string" && id !== "" && id.length <= LONGEST) return;
  throw new BillingError(
    "invalid_argument",
    "The price is not an id of Stripe's, such as price_1AbCdEf.",
  );
}

const isMirrored = ({ resources }: Runtime): boolean =>
  resources.includes("prices") && resources.includes("products");

/** A price and its product as Stripe has them now; what of them is mirrored is stored. */
async function fetchOffer(runtime: Runtime, id: string, reach: Reach): Promise<Offer> {
  const own = reach.stripeAccount === undefined;
  const startedAt = runtime.now();
  const answer = await runtime
    .stripe()
    .prices.retrieve(id, { expand: ["product"] }, reach)
    .catch((error: unknown) => {
      if (stripeStatus(error) !== 404) return provider(error);
      throw new BillingError(
        "invalid_argument",
        `Stripe has no price ${id} under this key. Take the id from the same account and mode.`,
        { cause: error },
      );
    });
  const seen = answeredAt(runtime, answer, startedAt);
  const { product } = answer;
  const whole = typeof product === "object" && !product.deleted ? product : undefined;
  const price = plain({
    ...answer,
    product: typeof product === "string" ? product : product.id,
  }) as Price;
  const owner = whole && (plain(whole) as StripeObject<"products">);
  const snapshots = [
    snapshotOfPart("prices", price, seen),
    ...(owner === undefined ? [] : [snapshotOfPart("products", owner, seen)]),
  ].filter(({ resource }) => runtime.resources.includes(resource));
  if (own && snapshots.length > 0) {
    await commit(runtime, { source: "call", units: [{ snapshots }] });
  }
  return { price, product: owner };
}
