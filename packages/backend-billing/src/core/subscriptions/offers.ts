/**
 * What is sold: the prices that a link names, from the mirror or else from Stripe, and whether this
 * application sells them. A browser may have chosen the price, so every link asks here first.
 */

import type Stripe from "stripe";
import type { StripeObject } from "../catalogue/catalogue.js";
import { isPerSeat } from "../catalogue/seats.js";
import { isStripeId } from "../catalogue/stripe-id.js";
import type { Reach } from "../customers/setup.js";
import { answeredAt, plain, snapshotOfPart, stripeStatus } from "../mirror/snapshot.js";
import type { Offer, SubscriptionFacts } from "../mirror/store.js";
import { shown } from "../runtime/arguments.js";
import { commit } from "../runtime/commit/commit.js";
import type { BillingConfig } from "../runtime/config.js";
import { BillingError, provider } from "../runtime/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import { checkPlace } from "../stripe/account.js";
import { groupsAmong } from "./group.js";
import { namedBy } from "./keys.js";

type Price = StripeObject<"prices">;
type Line = Pick<Stripe.Checkout.SessionCreateParams.LineItem, "price" | "quantity">;

const NO_FACTS: SubscriptionFacts = {
  subscriptions: [],
  products: [],
  invoices: [],
  schedules: [],
  prices: [],
  lapses: [],
};

/** What is to be sold. */
export interface Cart {
  /** The price that the call names. */
  readonly priced: { readonly priceId?: string; readonly lookupKey?: string };
  /** The ids of prices beside it. */
  readonly others: readonly string[];
  /** Whose subscriptions are read along with the prices; null if they do not matter. */
  readonly entityId: string | null;
}

/** What may be sold, and what the mirror knows of the one that buys it. */
export interface Offered {
  /** The price that the call names. */
  readonly price: Price;
  /** Whether that price is sold times the number of seats. */
  readonly isPerSeat: boolean;
  /** The ids of what its plan bills by usage, which is sold along with it. */
  readonly usage: readonly string[];
  /** Days of trial that its plan has. */
  readonly trialDays: number | undefined;
  readonly sold: ReadonlyMap<string, Price>;
  /** The groups of all that recurs in the cart. */
  readonly groups: ReadonlySet<string>;
  readonly facts: SubscriptionFacts;
}

/**
 * The prices of a cart, each of which may be sold; otherwise `invalid_argument`. Those that the mirror
 * lacks are read from Stripe, with their product in the same request, and stored. The mirror holds
 * nothing of connected accounts, so Stripe is asked about theirs.
 */
export async function offersFor(
  runtime: Runtime,
  { priced, others, entityId }: Cart,
  reach: Reach,
): Promise<Offered> {
  await checkPlace(runtime); // a price that is fetched is stored too
  const { priceId: named, usage, trialDays } = await namedBy(runtime, priced, reach);
  const ids = [...new Set([named, ...usage, ...others])];
  for (const id of ids) checkId(id);
  const owner = knowsSubscriptions(runtime, reach) ? entityId : null;
  // Together, because a store may do in one go what is asked of it at the same moment.
  const [known, facts] = await Promise.all([
    mirrored(runtime, ids, reach),
    owner === null ? NO_FACTS : runtime.store.subscribed(owner),
  ]);
  const offers = await allOffers(runtime, ids, known, reach);
  const sold = new Map(offers.map(({ price }) => [price.id, price]));
  const offer = offers.find(({ price }) => price.id === named);
  if (offer === undefined) throw new Error("The price that is named is not among those sold");
  const { price, product } = offer;
  return {
    price,
    isPerSeat: isPerSeat(price, product),
    usage,
    trialDays,
    sold,
    groups: groupsIn(offers, runtime.config.catalogue),
    facts,
  };
}

/** What the mirror has of these prices. */
async function mirrored(
  runtime: Runtime,
  ids: readonly string[],
  { stripeAccount }: Reach,
): Promise<readonly Offer[]> {
  const isKept = stripeAccount === undefined && isMirrored(runtime);
  return isKept && ids.length > 0 ? runtime.store.offers(ids) : [];
}

/** Whether the mirror has subscriptions: of the key's own account, if the application chose them. */
export function knowsSubscriptions({ resources }: Runtime, { stripeAccount }: Reach): boolean {
  const isChosen = resources.includes("subscriptions") && resources.includes("customers");
  return stripeAccount === undefined && isChosen;
}

/** The groups of a cart; what is paid once has none. */
function groupsIn(
  offers: readonly Offer[],
  catalogue: BillingConfig["catalogue"],
): ReadonlySet<string> {
  const recurring = offers.filter(({ price }) => price.type === "recurring");
  return groupsAmong(
    recurring.map(({ price }) => price.product),
    recurring.flatMap(({ product }) => product ?? []),
    catalogue,
  );
}

/** The same for prices alone, by id. */
export async function soldPrices(
  runtime: Runtime,
  priceIds: readonly string[],
  reach: Reach = {},
): Promise<ReadonlyMap<string, Price>> {
  await checkPlace(runtime);
  const ids = [...new Set(priceIds)];
  for (const id of ids) checkId(id);
  const offers = await allOffers(runtime, ids, await mirrored(runtime, ids, reach), reach);
  return new Map(offers.map(({ price }) => [price.id, price]));
}

/** The offers of these prices, from those that are known or else from Stripe. */
async function allOffers(
  runtime: Runtime,
  ids: readonly string[],
  known: readonly Offer[],
  reach: Reach,
): Promise<readonly Offer[]> {
  const offers: Offer[] = [];
  for (const id of ids) {
    const offer = await wholeOffer(runtime, id, known, reach);
    const reason = whyNotSold(offer, runtime.config.sells);
    if (reason !== undefined) throw new BillingError("invalid_argument", reason);
    offers.push(offer);
  }
  return offers;
}

/** These prices with their products, whether or not they are for sale. */
export async function offersOf(
  runtime: Runtime,
  priceIds: readonly string[],
): Promise<readonly Offer[]> {
  const known = await mirrored(runtime, priceIds, {});
  return Promise.all(priceIds.map((id) => wholeOffer(runtime, id, known, {})));
}

async function wholeOffer(
  runtime: Runtime,
  id: string,
  known: readonly Offer[],
  reach: Reach,
): Promise<Offer> {
  const found = known.find(({ price }) => price.id === id);
  return found?.product ? found : fetchOffer(runtime, id, reach);
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
    `\`quantity\` must be a whole number from 1, not ${shown(quantity)}.`,
  );
}

function checkId(id: unknown): void {
  if (isStripeId(id)) return;
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
