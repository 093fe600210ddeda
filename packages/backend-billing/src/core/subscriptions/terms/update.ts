/** The request that changes a subscription now, and when it bills. Pure. */
import type Stripe from "stripe";
import type { ChangeArgs } from "../change/args.js";
import { changesInterval, type Item, type ItemChange, isMetered } from "./items.js";

export type Proration = NonNullable<ChangeArgs["proration"]>;
export const DEFAULT_PRORATION: Proration = "always_invoice";

/** What the request depends on beside the items. */
export interface Standing {
  readonly status: string;
  readonly collection_method: string;
  readonly items: { readonly data: readonly Item[] };
  /** Whether a schedule has phases ahead. */
  readonly isScheduled: boolean;
}

export interface UpdateTerms {
  readonly proration: Proration;
  /** Seconds: the moment from which on the difference counts, where a quote says so. */
  readonly prorationDate?: number | undefined;
}

/**
 * Whether the change may wait at Stripe until it is paid for (docs: pending updates). Not where
 * nothing is charged automatically or at once. Not with metered items: usage on an invoice that is
 * never paid would be lost. Not with phases ahead: they would overtake what is paid later.
 */
function mayWait(
  { collection_method: method, items, isScheduled }: Standing,
  proration: Proration,
): boolean {
  return (
    method === "charge_automatically" &&
    proration === "always_invoice" &&
    !isScheduled &&
    !items.data.some(({ price }) => isMetered(price))
  );
}

export function updateParams(
  standing: Standing,
  changes: readonly ItemChange[],
  { proration, prorationDate }: UpdateTerms,
): Stripe.SubscriptionUpdateParams {
  return {
    items: changes.map((change) => ({ ...change })),
    proration_behavior: proration,
    payment_behavior: mayWait(standing, proration)
      ? "pending_if_incomplete"
      : "error_if_incomplete",
    // Stripe refuses a date where nothing is prorated.
    ...(prorationDate === undefined || proration === "none"
      ? {}
      : { proration_date: prorationDate }),
  };
}

/** Whether a change makes an invoice at once: otherwise what it costs waits for the next one. */
export function billsNow(
  { status, items }: Pick<Standing, "status" | "items">,
  after: readonly Pick<Item, "price">[],
  proration: Proration,
): boolean {
  if (status === "trialing") return false;
  return proration === "always_invoice" || changesInterval(items.data, after);
}
