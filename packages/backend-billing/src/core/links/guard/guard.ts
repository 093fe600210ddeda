/**
 * Never two live subscriptions of one entity in one group: the record of the checkout pages that an
 * entity was given, and what follows from it. Pure. A page is handed out only once the record names
 * it, and the record is changed by compare-and-set; a page that was not handed out cannot be paid.
 */
import type Stripe from "stripe";
import { isAhead } from "../../mirror/due.js";
import { sha256 } from "../../runtime/digest.js";
import type { Guard, HandedPage } from "../../runtime/records/records.js";
import { isLive } from "../../subscriptions/state.js";

export const NO_GUARD: Guard = { pages: {}, made: 0, leasedUntil: 0, trials: [] };

/** Seconds that a page must last, if it is to be handed out again. */
export const LEAST_LIFE = 10 * 60;

/** What to do with a page that was handed out before. */
export type Verdict =
  /** It cannot be paid any more. */
  | "over"
  /** It sells the same order: it is handed out again. */
  | "same"
  /** It could still be paid, so it must be expired before another one is made. */
  | "open"
  /** It was paid, and its subscription is live. */
  | "subscribed";

/** A checkout session as far as it matters here, with its subscription in it. */
export type Session = Pick<
  Stripe.Checkout.Session,
  "id" | "status" | "mode" | "expires_at" | "created" | "url" | "client_secret"
> & {
  readonly subscription: string | Stripe.Subscription | null;
  readonly customer: Stripe.Checkout.Session["customer"];
};

/** What a caller wants. */
export interface Wanted {
  readonly customerId: string;
  readonly order: string;
  /** Stripe's time in seconds. */
  readonly now: number;
}

/** `session` is the page as Stripe has it; undefined if Stripe does not know it. */
export function judgePage(
  page: HandedPage,
  session: Session | undefined,
  { customerId, order, now }: Wanted,
): Verdict {
  if (session === undefined || session.status === "expired" || isOrphan(session)) return "over";
  if (session.status === "complete") return liveIn(session) === undefined ? "over" : "subscribed";
  // mutant "the guard gives the page of another order": page.order === order -> true
  const isSame = page.customerId === customerId && page.order === order;
  const address = session.url ?? session.client_secret;
  return isSame && address && session.expires_at - now >= LEAST_LIFE ? "same" : "open";
}

/** Whether its customer is deleted: it cannot be paid then. */
const isOrphan = ({ customer }: Session): boolean =>
  typeof customer === "object" && customer?.deleted === true;

/** The subscription that a session made, if it is live. */
export function liveIn({ subscription }: Session): Stripe.Subscription | undefined {
  if (subscription === null || typeof subscription === "string") return undefined;
  return isLive(subscription.status) ? subscription : undefined;
}

/** The pages that stand in the way of a cart of these groups, each once. */
export function pagesOf({ pages }: Guard, groups: ReadonlySet<string>): readonly HandedPage[] {
  const found = new Map<string, HandedPage>();
  for (const [group, page] of Object.entries(pages)) {
    if (groups.has(group)) found.set(page.sessionId, page);
  }
  return [...found.values()];
}

/** Whether every group of the cart has this very page. */
export function isPageOfAll(guard: Guard, groups: ReadonlySet<string>, id: string): boolean {
  return [...groups].every((group) => guard.pages[group]?.sessionId === id);
}

/** The sessions that no record names: made by a caller that lost or died, or forgotten by a restore. */
export function unrecorded({ pages }: Guard, sessions: readonly Session[]): readonly Session[] {
  const known = new Set(Object.values(pages).map(({ sessionId }) => sessionId));
  return sessions.filter(
    ({ id, mode, status }) => mode === "subscription" && status === "open" && !known.has(id),
  );
}

/** Whether another caller works at it. */
export const isLeased = ({ leasedUntil }: Guard, now: number): boolean => isAhead(leasedUntil, now);

/** The guard with a page that was made for these groups. */
export function handing(
  guard: Guard,
  groups: ReadonlySet<string>,
  page: HandedPage,
  { isTrialUsed, isLate }: { readonly isTrialUsed: boolean; readonly isLate: boolean },
): Guard {
  const given = [...groups].map((group) => [group, page] as const);
  return {
    pages: { ...guard.pages, ...Object.fromEntries(given) },
    made: guard.made + 1,
    leasedUntil: 0,
    trials: isTrialUsed ? [...new Set([...guard.trials, ...groups])] : guard.trials,
    ...(isLate ? { isLate } : {}),
  };
}

/** An order by which two calls are told apart: JSON with the keys in order, as a digest. */
export const orderOf = (parts: unknown): Promise<string> => sha256(sortedJson(parts));

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
