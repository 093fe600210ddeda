/**
 * Links to Stripe's checkout, for a subscription or a payment. What Stripe's calls take is passed
 * through, except what the library decides itself.
 */
import type Stripe from "stripe";
import {
  checkSetup,
  customerReading,
  type Reach,
  readAhead,
  setupReading,
} from "../customers/setup.js";
import type { RecordKey } from "../mirror/store.js";
import { BillingError } from "../runtime/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import { checkQuantity, linesFor, offersFor, soldPrices } from "../subscriptions/offers.js";
import { seatsOf } from "../subscriptions/seats/count.js";
import type { Metadata } from "../usage/credits/mark.js";
import { checkGiven, checkKnown, checkMode, checkOwned, reachOf } from "./checks.js";
import { creditsSold } from "./credits.js";
import { NO_GUARD } from "./guard/guard.js";
import { guardOf } from "./guard/sale.js";
import { recordsFor, sell } from "./guard/sell.js";
import { hadTrial, withTrial } from "./guard/trial.js";
import { observedLink } from "./observed.js";
import type { Page, Ui } from "./page.js";
import {
  ADDRESSES,
  ADDRESSES_B,
  type CheckoutArgs,
  checkPriced,
  checkReference,
  checkSelling,
  OWNED,
  type PayArgs,
  type PayParams,
  type Priced,
  type Selling,
  type SessionParams,
  type SubscribeParams,
} from "./params.js";
import { type Opening, openSession, type WholeParams } from "./session.js";

/** All that the calls of variant B take by name; Stripe's own parameters are in `params`. */
const ARGS_B = { entityId: true, priceId: true, lookupKey: true, quantity: true } as const;
const PAGES_B = { successUrl: true, cancelUrl: true, params: true } as const;
const CHECKOUT: { readonly [name in keyof CheckoutArgs | "ui"]-?: true } = {
  ...ARGS_B,
  ...PAGES_B,
  ui: true,
  ifSubscribed: true,
  trialDays: true,
  trial: true,
  createStripeCustomerIfMissing: true,
  allowPromotionCodes: true,
  email: true,
};
const PAY: { readonly [name in keyof PayArgs]-?: true } = {
  ...ARGS_B,
  ...PAGES_B,
  referenceId: true,
};

/** Which kind of page is wanted. */
type Shown<U extends Ui> = { readonly ui?: U | undefined };

export const subscribe = observedLink("checkout", subscribeLink) as <U extends Ui = "hosted">(
  runtime: Runtime,
  params: SubscribeParams & Shown<U>,
  options?: Stripe.RequestOptions,
) => Promise<Page<U>>;

export const checkout = observedLink("checkout", checkoutLink) as <U extends Ui = "hosted">(
  runtime: Runtime,
  args: CheckoutArgs & Shown<U>,
) => Promise<Page<U>>;

export const pay = observedLink("payment", payLink);

/** The payment of variant B. */
export const payOnce = observedLink("payment", payOnceLink);

async function subscribeLink(
  runtime: Runtime,
  params: SubscribeParams & Shown<Ui>,
  options?: Stripe.RequestOptions,
): Promise<Page<Ui>> {
  const { entityId, priceId, lookupKey, mode, line_items, ...more } = params;
  const { quantity, ifSubscribed, trialDays, trial, ui, ...rest } = more;
  checkMode(mode, "subscription");
  checkOwned(rest, OWNED);
  const priced = checkPriced({ priceId, lookupKey });
  const [success_url = "", cancel_url = ""] = checkGiven(runtime, params, [], ADDRESSES);
  return sellSubscription(runtime, {
    entityId,
    priced,
    given: line_items,
    selling: { quantity, ifSubscribed, trialDays, trial, ui },
    params: { ...rest, success_url, cancel_url },
    options,
  });
}

async function checkoutLink(runtime: Runtime, args: CheckoutArgs & Shown<Ui>): Promise<Page<Ui>> {
  checkKnown("checkout", args, CHECKOUT);
  const { entityId, priceId, lookupKey, email, params = {}, allowPromotionCodes } = args;
  const { quantity, ifSubscribed, trialDays, trial, ui } = args;
  const { createStripeCustomerIfMissing: isMade = true } = args;
  checkOwned(params, [...OWNED, ...ADDRESSES]);
  const priced = checkPriced({ priceId, lookupKey });
  const [success_url = "", cancel_url = ""] = checkGiven(runtime, args, [], ADDRESSES_B);
  const { line_items, ...rest } = params;
  const codes =
    allowPromotionCodes === undefined ? {} : { allow_promotion_codes: allowPromotionCodes };
  return sellSubscription(runtime, {
    entityId,
    email,
    isMade,
    priced,
    given: line_items,
    selling: { quantity, ifSubscribed, trialDays, trial, ui },
    params: { ...codes, ...rest, success_url, cancel_url },
    options: undefined,
  });
}

/** A subscription to be sold, in whichever variant. */
interface Order {
  readonly entityId: string;
  readonly email?: string | undefined;
  /** Whether a customer is made if there is none. Default true. */
  readonly isMade?: boolean;
  readonly priced: Priced;
  readonly given: SessionParams["line_items"];
  readonly selling: Selling & Shown<Ui>;
  readonly params: Omit<WholeParams, "mode" | "line_items">;
  readonly options: Stripe.RequestOptions | undefined;
}

async function sellSubscription(runtime: Runtime, order: Order): Promise<Page<Ui>> {
  const { entityId, email, isMade = true, priced, given, selling, options } = order;
  const { ui = "hosted", trialDays, trial = "once", quantity } = selling;
  const ifSubscribed = selling.ifSubscribed ?? runtime.config.if_subscribed ?? "portal";
  checkSelling({ ...selling, ifSubscribed }, order.params);
  checkQuantity(quantity);
  checkSetup({ entityId });
  const reach = reachOf(options);
  const customer = { entityId, ...(email === undefined ? {} : { email }) };
  const find: Opening["find"] = (wanted, ahead) =>
    isMade
      ? setupReading(runtime, customer, reach, wanted, ahead)
      : customerReading(runtime, entityId, reach, wanted, ahead);
  if (!isMade) await find([]); // before Stripe is asked for the price
  const cart = { priced, others: pricesIn(given, order.params.optional_items), entityId };
  // Together, because a store may do in one go what is asked of it at the same moment.
  const [offered, ahead] = await Promise.all([
    offersFor(runtime, cart, reach),
    readAhead(runtime, entityId, reach, recordsFor({ entityId, reach })),
  ]);
  const { price, isPerSeat, sold, groups, facts } = offered;
  const isCounted = isPerSeat && !given?.some((line) => line.price === price.id);
  const params = {
    ...order.params,
    // mutant "variant B sells once": "subscription" -> "payment"
    mode: "subscription" as const,
    line_items: linesFor(
      price.id,
      sold,
      quantity ?? (isCounted ? await seatsOf(runtime, entityId) : undefined),
      withUsage(given, offered.usage),
    ),
  };
  const wholeDays = trialDays ?? (saysTrial(order.params) ? undefined : offered.trialDays);
  const days = wholeDays === undefined ? undefined : { days: wholeDays, given: trial };
  const sale = { entityId, groups, params, trial: days, ui, reach, options, facts, find, ahead };
  if (ifSubscribed !== "allow") return sell(runtime, { ...sale, ifSubscribed });
  const guard = guardOf(sale).among(ahead.beside).data ?? NO_GUARD;
  const isTrialUsed = hadTrial(guard, facts, groups, runtime.config.catalogue);
  return openSession(runtime, { ...sale, params: withTrial(sale, isTrialUsed) });
}

/** Whether the caller says by Stripe's own parameters how the trial is. */
const saysTrial = ({
  subscription_data: data,
}: Pick<SessionParams, "subscription_data">): boolean =>
  data?.trial_period_days !== undefined || data?.trial_end !== undefined;

/** The lines with what the plan bills by usage, which has no quantity. */
function withUsage(
  given: SessionParams["line_items"],
  usage: readonly string[],
): SessionParams["line_items"] {
  const lines = given ?? [];
  const absent = usage.filter((price) => !lines.some((line) => line.price === price));
  return absent.length === 0 ? given : [...lines, ...absent.map((price) => ({ price }))];
}

async function payLink(
  runtime: Runtime,
  params: PayParams,
  options?: Stripe.RequestOptions,
): Promise<Page> {
  const { entityId, referenceId, mode, lookupKey, quantity, ...rest } = params;
  checkMode(mode, "payment");
  checkOwned(rest, [...OWNED, "client_reference_id"]);
  const needed = lookupKey === undefined ? (["line_items"] as const) : [];
  const [success_url = "", cancel_url = ""] = checkGiven(runtime, params, needed, ADDRESSES);
  checkReference(referenceId);
  checkSetup({ entityId });
  const reach = reachOf(options);
  const { line_items, sold } = await paidLines(runtime, params, reach);
  const whole = { ...rest, line_items, success_url, cancel_url };
  return openPayment(runtime, { entityId, referenceId, sold }, whole, options);
}

/** The lines that are given, or of what a key names; each may be sold. */
async function paidLines(
  runtime: Runtime,
  { line_items: given = [], lookupKey, quantity, optional_items: optional }: PayParams,
  reach: Reach,
): Promise<
  { readonly line_items: NonNullable<SessionParams["line_items"]> } & Pick<Payment, "sold">
> {
  const others = pricesIn(given, optional);
  if (lookupKey === undefined) {
    return { line_items: given, sold: await soldPrices(runtime, others, reach) };
  }
  checkQuantity(quantity);
  const cart = { priced: { lookupKey }, others, entityId: null };
  const { price, sold } = await offersFor(runtime, cart, reach);
  return { line_items: linesFor(price.id, sold, quantity), sold };
}

async function payOnceLink(runtime: Runtime, args: PayArgs): Promise<Page> {
  checkKnown("pay", args, PAY);
  const { entityId, priceId, lookupKey, quantity, referenceId, params = {} } = args;
  checkOwned(params, [...OWNED, ...ADDRESSES, "client_reference_id"]);
  const priced = checkPriced({ priceId, lookupKey });
  const [success_url = "", cancel_url = ""] = checkGiven(runtime, args, [], ADDRESSES_B);
  checkReference(referenceId);
  checkQuantity(quantity);
  checkSetup({ entityId });
  const { line_items: given, ...rest } = params;
  const others = pricesIn(given, rest.optional_items);
  const { price, sold } = await offersFor(runtime, { priced, others, entityId: null }, {});
  const line_items = linesFor(price.id, sold, quantity, given);
  const whole = { ...rest, line_items, success_url, cancel_url };
  return openPayment(runtime, { entityId, referenceId, sold }, whole, undefined);
}

/** What is paid once. */
interface Payment {
  readonly entityId: string;
  readonly referenceId: string | undefined;
  /** The prices on the page. */
  readonly sold: Awaited<ReturnType<typeof soldPrices>>;
}

/** Opens a page where the entity pays once. */
async function openPayment(
  runtime: Runtime,
  { entityId, referenceId, sold }: Payment,
  given: Omit<WholeParams, "mode">,
  options: Stripe.RequestOptions | undefined,
): Promise<Page> {
  const reach = reachOf(options);
  const credits = creditsSold(runtime, { entityId, sold, given }, reach);
  const referring: Metadata = referenceId === undefined ? {} : { referenceId };
  const page = { ...referring, ...credits?.page };
  const params: WholeParams = {
    ...given,
    mode: "payment",
    ...(referenceId === undefined ? {} : { client_reference_id: referenceId }),
    ...(Object.keys(page).length === 0
      ? {}
      : withMetadata(given, page, { ...referring, ...credits?.payment })),
  };
  const find = (wanted: readonly RecordKey[]) => setupReading(runtime, { entityId }, reach, wanted);
  return (await openSession(runtime, { params, ui: "hosted", options, find })) as Page;
}

/** Puts something on the session and on the payment, beside what is given. */
const withMetadata = (
  { metadata, payment_intent_data: intent }: SessionParams,
  page: Metadata,
  payment: Metadata,
) => ({
  metadata: { ...metadata, ...page },
  payment_intent_data: { ...intent, metadata: { ...intent?.metadata, ...payment } },
});

function linesOf<L>(lines: readonly L[]): readonly L[] {
  const isList = Array.isArray(lines) && lines.every((line) => typeof line === "object" && line);
  if (isList) return lines;
  throw new BillingError(
    "invalid_argument",
    "Lines must be a list of objects, as Stripe has them.",
  );
}

/** The ids of the prices in these lines; one that a line makes on the spot has none. */
function pricesIn(...lists: readonly (readonly { readonly price?: string }[] | undefined)[]) {
  return lists.flatMap((lines) => linesOf(lines ?? []).flatMap(({ price }) => price ?? []));
}
