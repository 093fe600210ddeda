/** What became of a one-time purchase, worked out from what the mirror has of it. */
import type { PurchaseFacts } from "../mirror/store.js";
import type { PurchaseLine, SessionLines } from "../runtime/records/records.js";

/** What every purchase has. */
interface Bought {
  readonly entityId: string;
  /** The application's own id of what is bought, as `pay` was given it. */
  readonly referenceId: string | null;
  readonly sessionId: string;
  readonly paymentIntentId: string | null;
  /** Null of what was bought before the library kept this, or of a page it did not make. */
  readonly lines: readonly PurchaseLine[] | null;
  /** In the smallest unit of the currency, with taxes and after discounts. */
  readonly amount: number;
  readonly refundedAmount: number;
  readonly currency: string;
  /** Milliseconds, as all times are. */
  readonly createdAt: number;
}

/**
 * A one-time purchase. `open`: the page can be paid. `processing`: the bank has not answered yet.
 * `refunded`: in full; `refundedAmount` says what was given back in part.
 *
 * @example
 * ```ts
 * import type { Purchase } from "backend-billing";
 *
 * const isShipped = (purchase: Purchase | undefined): boolean => purchase?.state === "paid";
 * ```
 */
export type Purchase = Bought &
  (
    | { readonly state: "open"; readonly url: string | null; readonly expiresAt: number }
    | { readonly state: "processing" | "failed" | "expired" }
    | { readonly state: "paid" | "refunded"; readonly paidAt: number }
  );

/** What became of it. */
export function purchaseFrom({
  entityId,
  session,
  intent,
  charges,
  data,
}: PurchaseFacts): Purchase {
  const paid = charges.filter(({ status }) => status === "succeeded");
  const bought: Bought = {
    entityId,
    referenceId: session.client_reference_id ?? session.metadata?.referenceId ?? null,
    sessionId: session.id,
    paymentIntentId: session.payment_intent ?? null,
    lines: (data as SessionLines | null)?.lines ?? null,
    amount: session.amount_total ?? 0,
    refundedAmount: paid.reduce((sum, { amount_refunded: amount }) => sum + amount, 0),
    currency: session.currency ?? "",
    createdAt: session.created * 1000,
  };
  if (session.status === "open") {
    return {
      ...bought,
      state: "open",
      url: session.url ?? null,
      expiresAt: session.expires_at * 1000,
    };
  }
  if (session.status === "expired") return { ...bought, state: "expired" };
  if (session.payment_status === "unpaid") return { ...bought, state: unpaid(intent) };
  const isRefunded = paid.length > 0 && paid.every(({ refunded }) => refunded);
  const at = Math.max(session.created, ...paid.map(({ created }) => created));
  return { ...bought, state: isRefunded ? "refunded" : "paid", paidAt: at * 1000 };
}

/** A page that is complete and not paid: the bank takes its time, or has declined since. */
function unpaid(intent: PurchaseFacts["intent"]): "processing" | "failed" {
  const hasFailed = intent?.status === "requires_payment_method" || intent?.status === "canceled";
  return hasFailed ? "failed" : "processing";
}

/** Of several pages for one reference, the one that counts: paid, else under way, else the newest. */
export function thatCounts(purchases: readonly Purchase[]): Purchase | undefined {
  const rank = ({ state }: Purchase): number => RANKS.indexOf(state);
  return [...purchases].sort((a, b) => rank(a) - rank(b) || b.createdAt - a.createdAt)[0];
}

const RANKS: readonly Purchase["state"][] = [
  "paid",
  "refunded",
  "processing",
  "open",
  "failed",
  "expired",
];
