/** What applications read of one-time purchases. It asks nothing of Stripe and has no clock. */
import type { LocalReads } from "../mirror/store.js";
import { argsOf, checkText, optionsOf } from "../runtime/arguments.js";
import { checkEntityId } from "../runtime/commit/seats.js";
import { BillingError } from "../runtime/errors.js";
import { checkLimit } from "../subscriptions/reads.js";
import { type Purchase, purchaseFrom, thatCounts } from "./purchase.js";

/** Which purchase: by the application's own id of what is bought, or by the page's. */
export type PurchaseBy =
  | { readonly referenceId: string; readonly sessionId?: never }
  | { readonly sessionId: string; readonly referenceId?: never };

/** The reads of purchases. */
export interface PurchaseReads {
  /** An entity's one-time purchases, newest first: 50, or as many as `limit` says, up to 100. */
  purchasesOf(
    entityId: string,
    options?: { readonly limit?: number | undefined },
  ): Promise<readonly Purchase[]>;
  /**
   * The purchase of a reference, or of a checkout page. Where several pages were made for one
   * reference, it is the one that was paid, or else the newest.
   */
  purchaseBy(by: PurchaseBy): Promise<Purchase | undefined>;
}

export const purchaseReads = (local: Pick<LocalReads, "purchased">): PurchaseReads => ({
  async purchasesOf(entityId, options) {
    checkEntityId(entityId);
    const { limit = 50 } = optionsOf("options", options) ?? {};
    checkLimit(limit);
    return (await local.purchased({ entityId, limit })).map(purchaseFrom);
  },
  async purchaseBy(by) {
    const { referenceId, sessionId } = argsOf("purchaseBy", by);
    if (!(sessionId || referenceId) || (sessionId && referenceId)) {
      throw new BillingError(
        "invalid_argument",
        "Name the purchase by `referenceId`, as `pay` was given it, or by `sessionId`.",
      );
    }
    checkText(sessionId ? "sessionId" : "referenceId", sessionId ?? referenceId);
    // These alone: what else a caller's object has would be asked for, too.
    const asked = sessionId ? { sessionId } : { referenceId };
    return thatCounts((await local.purchased(asked as typeof by)).map(purchaseFrom));
  },
});
