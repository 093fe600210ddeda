/**
 * What must hold in every history of the guard:
 *
 * 1. Nobody ever has two live subscriptions of one group that were paid on our pages, and of the
 *    pages that people have in hand at most one can be paid, and none beside such a subscription.
 * 2. Whoever asks while nobody is subscribed gets a page that can be paid as it is answered.
 * 3. Every caller whose process lives gets an answer, or an error with a code.
 */
import Stripe from "stripe";
import { isReplayed } from "../../packages/backend-billing/src/core/mirror/headers.js";
import { BillingError } from "../../packages/backend-billing/src/core/runtime/errors.js";
import { StoreFault } from "../convergence/stores/faulty.js";
import type { CallerPlan } from "./history.js";
import { groupsOf, type Shop } from "./shop.js";

/** What the calls answer, on the way to what the surface promises. */
export interface Given {
  readonly kind?: "checkout" | "open" | "pay" | "change" | "manage";
  readonly url?: string;
  readonly clientSecret?: string;
  readonly sessionId?: string | null;
  readonly subscriptionId?: string | null;
}

export interface Verdict {
  /** What is wrong; empty when all is well. */
  readonly wrong: readonly string[];
  readonly tally: Tally;
}

export interface Tally {
  pages: number;
  /** Callers that were told of a subscription. */
  subscribed: number;
  /** Callers that got an error, while something was failing or had just failed. */
  refused: number;
  killed: number;
  /**
   * Pages that could not be paid as they were answered, because a request to expire them was under way
   * for longer than its caller's lease, and reached Stripe when others went by the page again.
   */
  stalled: number;
  /** Pages that were paid beside a subscription of the dashboard, which nothing had shown before. */
  besideDashboard: number;
}

export const emptyTally = (): Tally => ({
  pages: 0,
  subscribed: 0,
  refused: 0,
  killed: 0,
  stalled: 0,
  besideDashboard: 0,
});

/** Milliseconds for which trouble explains that somebody was not helped: longer than any lease. */
const AFTERMATH = 180_000;
/** How many answers of its past Stripe may have for a claim: one to each key that the store forgot. */
const KEPT = 3;
/** By then what the mirror was told is written. */
const WRITTEN = 60_000;

export interface Asked {
  /** The session of the page that was given, if it is one to pay. */
  answered(given: Given): string | undefined;
  /** Answers whether the caller was told to come back in a minute for no trouble of late. */
  refused(error: unknown, code: string | undefined): boolean;
  died(): void;
}

export interface Judge {
  /** `backs`: how often it was told to come back before. */
  asked(name: string, caller: CallerPlan, backs: number): Asked;
  /** Something failed, was slow, or was killed. */
  trouble(): void;
  /** A request is under way for longer than a lease. */
  stalled(): void;
  /** The mirror was told of this subscription. */
  mirrored(id: string): void;
  /** The store is as it was then. */
  restored(moment: number): void;
  verdict(): Verdict;
}

const sessionOf = ({ sessionId, url, clientSecret }: Given): string | undefined =>
  sessionId ??
  /\/c\/pay\/(cs_\w+)/.exec(url ?? "")?.[1] ??
  /^(cs_\w+?)_secret/.exec(clientSecret ?? "")?.[1];

/**
 * Whether Stripe has answered with a 500 of its past, which it keeps for a day under the key of the
 * request. A claim whose caller died, or that the store has forgotten, meets it again, and so does
 * somebody with a key of his own; he is told to come back in a minute, and so are others meanwhile.
 */
function isKept(error: unknown): boolean {
  const cause = error instanceof BillingError ? error.cause : undefined;
  if (!(cause instanceof Stripe.errors.StripeError)) return false;
  return (cause.statusCode ?? 0) >= 500 && isReplayed(cause.headers);
}

export interface JudgeOptions {
  now(): number;
  /** Whether the mirror was never filled: then Stripe is asked before a page is made. */
  readonly isEmpty: boolean;
  /** Milliseconds for which the last answer of the store was on its way to a caller, at most. */
  readonly hop: number;
}

export function createJudge(shop: Shop, { now, hop, isEmpty }: JudgeOptions): Judge {
  const wrong: string[] = [];
  const tally = emptyTally();
  /** Subscriptions whose open invoices people can pay. */
  const invoices = new Set<string>();
  const inHand = new Map<string, CallerPlan>();
  const mirrored = new Map<string, number>();
  const waiting = new Set<string>();
  let lastTrouble = -Infinity;
  let lastStall = -Infinity;
  let lastKept = -Infinity;

  /** A page is handed out: it can be paid, nothing else can, and nobody is subscribed. */
  function checkPage(
    name: string,
    session: string,
    caller: CallerPlan,
    since: number,
    isNew: boolean,
  ): void {
    const groups = groupsOf(caller.order);
    if (!shop.sells(session, caller.order))
      wrong.push(`${name} was given the page of another order`);
    const live = groups.flatMap((group) => shop.liveIn(group, now(), now()));
    if (!shop.isOpen(session)) {
      const lived = groups.flatMap((group) => shop.liveIn(group, since, now()));
      const isLate = shop.closedAt(session) >= now() - hop;
      if (lived.length > 0 || isLate) return;
      if (lastStall >= since - AFTERMATH) tally.stalled++;
      else wrong.push(`${name} was given ${session}, which cannot be paid`);
      return;
    }
    const others = [...inHand].filter(
      ([other, { order }]) =>
        other !== session &&
        groupsOf(order).some((group) => groups.includes(group)) &&
        shop.isOpen(other),
    );
    for (const [other] of others) {
      wrong.push(`${name} was given ${session}, and ${other} can still be paid`);
    }
    for (const { id, by, from, paidFrom } of live) {
      const known = mirrored.get(id) ?? Infinity;
      // A first payment that was declined is no subscription yet, unless its invoice can be paid.
      if (paidFrom > now() && !invoices.has(id)) continue;
      if (by === "page") wrong.push(`${name} was given ${session} while ${id} is live`);
      else if (from < since && ((isEmpty && isNew) || known + WRITTEN < since)) {
        const why = isEmpty ? "the mirror is empty, and" : "the mirror knows that";
        wrong.push(`${name} was given ${session}, though ${why} ${id} is live`);
      }
    }
  }

  /** An invoice can be paid as its page is answered, unless it was just paid. */
  function checkInvoice(name: string, subscription: string): void {
    if (shop.hasOpenInvoice(subscription)) return;
    const voided = shop.voidedAt(subscription);
    if (voided === -Infinity || voided >= now() - hop) return;
    wrong.push(`${name} was given an invoice of ${subscription}, which cannot be paid`);
  }

  return {
    asked(name, caller, backs) {
      const since = now();
      waiting.add(name);
      return {
        answered(given) {
          waiting.delete(name);
          const isPage =
            given.kind === undefined || given.kind === "checkout" || given.kind === "open";
          if (!isPage) {
            tally.subscribed++;
            if (given.kind === "pay" && given.subscriptionId) {
              checkInvoice(name, given.subscriptionId);
              invoices.add(given.subscriptionId);
            }
            checkSubscribed();
            return undefined;
          }
          const session = sessionOf(given);
          if (session === undefined) {
            wrong.push(`${name} was given a page without a session: ${JSON.stringify(given)}`);
            return undefined;
          }
          tally.pages++;
          checkPage(name, session, caller, since, given.kind === "checkout");
          inHand.set(session, caller);
          return session;
        },
        refused(error, code) {
          waiting.delete(name);
          if (code === "already_subscribed") {
            tally.subscribed++;
            checkSubscribed();
            return false;
          }
          tally.refused++;
          if (code === undefined && !(error instanceof StoreFault)) {
            wrong.push(`${name} met an error without a code: ${String(error)}`);
          }
          if (lastTrouble >= since - AFTERMATH) return false;
          if (isKept(error)) lastKept = now();
          if (lastKept >= since - AFTERMATH && backs < KEPT) return true;
          wrong.push(`${name} was refused though nothing failed: ${String(error)}`);
          return false;
        },
        died() {
          waiting.delete(name);
          tally.killed++;
        },
      };

      function checkSubscribed(): void {
        const lived = groupsOf(caller.order).flatMap((group) => shop.liveIn(group, since, now()));
        if (lived.length === 0) wrong.push(`${name} was told of a subscription, and there is none`);
      }
    },
    trouble: () => {
      lastTrouble = now();
    },
    stalled: () => {
      lastStall = now();
    },
    mirrored: (id) => {
      if (!mirrored.has(id)) mirrored.set(id, now());
    },
    restored(moment) {
      lastTrouble = now();
      for (const [id, at] of mirrored) if (at >= moment) mirrored.delete(id);
    },
    verdict() {
      for (const name of waiting) wrong.push(`${name} never got an answer`);
      tally.besideDashboard = shop.besideDashboard;
      return { wrong: [...shop.doubles, ...wrong], tally };
    },
  };
}
