/**
 * One attempt to sell a subscription. The order of the steps is what makes it right: look at the page
 * that was handed out; look for pages and subscriptions that the record does not know; make a page;
 * put it into the record by compare-and-set; only then hand it out. If all that took so long that the
 * database may have been set back meanwhile, look again, now that the record names the page.
 */
import type Stripe from "stripe";
import { isReplayed } from "../../mirror/headers.js";
import type { SubscriptionFacts } from "../../mirror/store.js";
import { commit } from "../../runtime/commit/commit.js";
import { AGAIN } from "../../runtime/rounds.js";
import type { Runtime } from "../../runtime/runtime.js";
import { groupsOf } from "../../subscriptions/group.js";
import { isLive } from "../../subscriptions/state.js";
import type { Page, Ui } from "../page.js";
import { createSession, pageOf, sessionSnapshots } from "../session.js";
import { groupsAtStripe, overlaps } from "./groups.js";
import {
  handing,
  isPageOfAll,
  judgePage,
  orderOf,
  pagesOf,
  type Session,
  unrecorded,
} from "./guard.js";
import {
  expirePage,
  listedSubscriptions,
  recentSessions,
  retrievePage,
  retrieveSubscription,
} from "./look.js";
import { guardOf, type Sale } from "./sale.js";
import { endIncomplete, pageForSubscribed } from "./subscribed.js";
import { hadTrial, withTrial } from "./trial.js";
import { leased, type Turn } from "./turn.js";

/** What an attempt goes by. */
export interface Known {
  readonly customerId: string;
  /** When the record was asked for, in milliseconds. */
  readonly readAt: number;
  readonly facts: SubscriptionFacts;
  /** Whether this call was overtaken before: others are kept waiting then, which only saves work. */
  readonly isContended: boolean;
  /** Whether the mirror knows all subscriptions, at a second of Stripe's time. */
  isCaughtUp(now: number): boolean;
}

/**
 * Milliseconds in which no database is set back to an earlier point and is there again. After that the
 * record may be as it was read although another caller has handed out a page since.
 */
const QUICK = 5_000;

/** Characters of an idempotency key, at most: no other number makes a longer one fit. */
const LONGEST_KEY = 255;

/** What was found on the way. */
interface Found {
  /** Live subscriptions in a group of the cart, as Stripe has them. */
  readonly live: Stripe.Subscription[];
  isTrialUsed: boolean;
}

type Again = typeof AGAIN;

export async function attempt(
  runtime: Runtime,
  sale: Sale,
  turn: Turn,
  known: Known,
): Promise<Page<Ui> | Again> {
  const { customerId } = known;
  const found: Found = {
    live: await confirmed(runtime, sale, known.facts),
    isTrialUsed: hadTrial(turn.guard, known.facts, sale.groups, runtime.config.catalogue),
  };
  const earlier = await settlePages(runtime, sale, turn, known, found);
  if (earlier !== undefined) return earlier;
  if (!found.live.some(isFirm)) {
    if (known.isContended && !(await turn.hold())) return AGAIN;
    if ((await findUnknown(runtime, sale, turn, known, found)) === AGAIN) return AGAIN;
  }
  const subscribed = found.live.find(isFirm);
  if (subscribed) return pageForSubscribed(runtime, sale, customerId, subscribed);
  for (const subscription of found.live) {
    if ((await endIncomplete(runtime, sale, turn, subscription)) === AGAIN) return AGAIN;
  }
  return makePage(runtime, sale, turn, known, found);
}

/** Whether it is more than a first payment that was begun. */
const isFirm = ({ status }: Stripe.Subscription): boolean => status !== "incomplete";

/**
 * What the mirror calls live, as Stripe has it now: an end may not have reached the mirror, nor a
 * product, which tells the group.
 */
async function confirmed(
  runtime: Runtime,
  { groups, reach }: Sale,
  { subscriptions, products }: SubscriptionFacts,
): Promise<Stripe.Subscription[]> {
  const found: Stripe.Subscription[] = [];
  const { catalogue } = runtime.config;
  const known = new Set(products.map(({ id }) => id));
  for (const subscription of subscriptions) {
    if (!isLive(subscription.status)) continue;
    const isKnown = subscription.items.data.every(({ price }) => known.has(price.product));
    if (isKnown && !overlaps(groupsOf(subscription, products, catalogue), groups)) continue;
    const now = await retrieveSubscription(runtime, subscription.id, reach);
    if (now === undefined || !isLive(now.status)) continue;
    if (overlaps(await groupsAtStripe(runtime, now, reach), groups)) found.push(now);
  }
  return found;
}

const orderFor = (sale: Sale, customerId: string, found: Found): Promise<string> =>
  orderOf([customerId, sale.ui, withTrial(sale, found.isTrialUsed)]);

/**
 * Looks at the pages that were handed out: answers the same one again, or expires what could still be
 * paid. What a page has made is added to what was found.
 */
async function settlePages(
  runtime: Runtime,
  sale: Sale,
  turn: Turn,
  known: Known,
  found: Found,
): Promise<Page<Ui> | Again | undefined> {
  const { groups, reach, ui } = sale;
  const { customerId } = known;
  const pages = pagesOf(turn.guard, groups);
  const order = await orderFor(sale, customerId, found);
  for (const page of pages) {
    const { session, now } = await retrievePage(runtime, page.sessionId, reach);
    if (session !== undefined) await learn(runtime, sale, session.subscription, found);
    const verdict = judgePage(page, session, { customerId, order, now });
    if (session === undefined || verdict === "over" || verdict === "subscribed") continue;
    const isAlone = pages.length === 1 && isPageOfAll(turn.guard, groups, session.id);
    const isOnly =
      verdict === "same" && isAlone && (await knowsAll(runtime, sale, turn, known, found));
    if (isOnly === AGAIN) return AGAIN;
    if (isOnly) {
      // A caller that is about to expire it has changed the record before.
      return (await turn.isCurrent()) ? pageOf("open", ui, session) : AGAIN;
    }
    // mutant "the guard leaves another page open"
    if (!(await expire(runtime, sale, turn, session.id))) return AGAIN;
  }
  return undefined;
}

/** Expires a page, after which no caller can hand it out. False if this attempt was overtaken. */
async function expire(runtime: Runtime, sale: Sale, turn: Turn, id: string): Promise<boolean> {
  return (await turn.hold()) && (await expirePage(runtime, id, sale.reach));
}

/** Adds what a session has made to what was found. */
async function learn(
  runtime: Runtime,
  { groups, reach }: Sale,
  made: Session["subscription"],
  found: Found,
): Promise<void> {
  if (made === null || typeof made === "string") return;
  const isTrial = made.trial_start !== null;
  if (!isLive(made.status) && !isTrial) return;
  if (!overlaps(await groupsAtStripe(runtime, made, reach), groups)) return;
  found.isTrialUsed ||= isTrial;
  if (isLive(made.status) && !found.live.some(({ id }) => id === made.id)) found.live.push(made);
}

/** Looks at Stripe for pages that no record names, which are expired, and for live subscriptions. */
async function findUnknown(
  runtime: Runtime,
  sale: Sale,
  turn: Turn,
  { customerId, isCaughtUp }: Known,
  found: Found,
): Promise<Again | undefined> {
  const { reach } = sale;
  const { sessions, now } = await recentSessions(runtime, customerId, reach);
  // mutant "the guard lists no open pages": unrecorded(turn.guard, sessions) -> [] as Session[]
  for (const { id } of unrecorded(turn.guard, sessions)) {
    if (!(await turn.hold())) return AGAIN;
    if (await expirePage(runtime, id, reach)) continue;
    // The caller that made it may have expired it just now, because it was overtaken.
    if ((await retrievePage(runtime, id, reach)).session?.status !== "expired") return AGAIN;
  }
  for (const { subscription } of sessions) await learn(runtime, sale, subscription, found);
  // mutant "the guard believes an empty mirror": isCaughtUp(now) -> true
  if (isCaughtUp(now)) return undefined;
  for (const each of await listedSubscriptions(runtime, customerId, reach)) {
    await learn(runtime, sale, each, found);
  }
  return undefined;
}

/** Makes a page and hands it out, unless another caller was faster. */
async function makePage(
  runtime: Runtime,
  sale: Sale,
  turn: Turn,
  known: Known,
  found: Found,
): Promise<Page<Ui> | Again> {
  const { reach, ui, options } = sale;
  const { customerId, readAt } = known;
  const startedAt = runtime.now();
  const session = await createNext(runtime, sale, turn, customerId, found);
  if (session === AGAIN) return AGAIN;
  // An answer to an earlier request under the same key: what became of that page is not known.
  const isOld = isReplayed(session.lastResponse.headers);
  const order = await orderFor(sale, customerId, found);
  const page = { sessionId: session.id, customerId, order };
  // mutant "the guard hands out a late page at once": runtime.now() - readAt > QUICK -> false
  const isLate = runtime.now() - readAt > QUICK;
  const { isTrialUsed } = found;
  const next = handing(turn.guard, sale.groups, page, { isTrialUsed, isLate });
  // mutant "the guard writes without comparing": turn.over -> await guardOf(sale)["read"](runtime)
  const write = guardOf(sale).write(turn.over, isLate ? leased(runtime, next) : next);
  const snapshots = sessionSnapshots(runtime, session, startedAt, options);
  const { committed } = await commit(runtime, {
    source: "call",
    units: [{ snapshots }],
    records: [write],
  });
  if (committed) turn.wrote(write);
  if (committed && isLate) {
    const isOnly = await knowsAll(runtime, sale, turn, known, { live: [], isTrialUsed });
    if (isOnly !== true || !(await turn.isCurrent())) return AGAIN;
    turn.looked();
  }
  // mutant "the guard hands out a page that no record names": (committed) -> (true)
  if (committed) return isOld ? AGAIN : pageOf("checkout", ui, session);
  // No person was given it. Under a key of the caller's it may be the page of another caller, too.
  if (options?.idempotencyKey === undefined) await expirePage(runtime, session.id, reach);
  return AGAIN;
}

/**
 * Makes the next page at Stripe. The number of a caller's key may be that of another order, of a caller
 * that died before it could record its page: then the next number's turn comes.
 */
async function createNext(
  runtime: Runtime,
  sale: Sale,
  turn: Turn,
  customerId: string,
  { isTrialUsed }: Found,
): Promise<Awaited<ReturnType<typeof createSession>> | Again> {
  const made = turn.guard.made + 1;
  const params = withTrial(sale, isTrialUsed);
  const opening = { params, ui: sale.ui, options: numbered(sale.options, made) };
  const { idempotencyKey = "" } = opening.options ?? {};
  try {
    return await createSession(runtime, opening, customerId);
  } catch (error) {
    const { cause } = error as { readonly cause?: Partial<Stripe.errors.StripeError> };
    const isTaken = idempotencyKey !== "" && cause?.rawType === "idempotency_error";
    if (!isTaken || idempotencyKey.length > LONGEST_KEY) throw error;
    const write = guardOf(sale).write(turn.over, leased(runtime, { ...turn.guard, made }));
    const { committed } = await commit(runtime, { source: "record", records: [write] });
    if (committed) turn.wrote(write);
    return AGAIN;
  }
}

/**
 * Whether a page that the record names stands alone, as far as is known. Where it was recorded late,
 * Stripe is asked once more.
 */
async function knowsAll(
  runtime: Runtime,
  sale: Sale,
  turn: Turn,
  known: Known,
  found: Found,
): Promise<boolean | Again> {
  const { isTrialUsed, live } = found;
  const before = live.length;
  // mutant "the guard trusts a page that was recorded late": turn.guard.isLate -> false
  if (turn.guard.isLate) {
    if ((await findUnknown(runtime, sale, turn, known, found)) === AGAIN) return AGAIN;
  }
  return !live.some(isFirm) && live.length === before && found.isTrialUsed === isTrialUsed;
}

/** Under a key of the caller's, the pages are told apart by their numbers: an old one may be over. */
function numbered(
  options: Stripe.RequestOptions | undefined,
  number: number,
): Stripe.RequestOptions | undefined {
  const key = options?.idempotencyKey;
  return key === undefined ? options : { ...options, idempotencyKey: `${key}:${number}` };
}
