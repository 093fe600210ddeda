/**
 * The account's balance: each movement of money is a balance transaction, and the balance is what
 * they add up to. Charges become available on the second working day, everything else at once.
 */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { secondWorkingDay } from "./working-days.js";

export type BalanceTransaction = Plain<Stripe.BalanceTransaction>;

/** What Stripe keeps of a charge, in every currency alike: 2.9% and 30 of the smallest unit. */
export const feeOf = (amount: number): number => Math.round((amount * 29) / 1000) + 30;

/** What a dispute costs, and what comes back if it is won. */
export const DISPUTE_FEE = 1500;

/** The kinds of movements: the transaction's type, and the category that reports count it in. */
const KINDS = {
  charge: ["charge", "charge"],
  payment: ["payment", "charge"],
  refund: ["refund", "refund"],
  refund_failure: ["refund_failure", "refund_failure"],
  dispute: ["adjustment", "dispute"],
  dispute_reversal: ["adjustment", "dispute_reversal"],
  payout: ["payout", "payout"],
  payout_cancel: ["payout_cancel", "payout_reversal"],
  payout_failure: ["payout_failure", "payout_reversal"],
} as const;

export interface Movement {
  readonly kind: keyof typeof KINDS;
  /** Positive for money that comes in. */
  readonly amount: number;
  readonly currency: string;
  /** The object that moved it. */
  readonly source: string;
  readonly description?: string | null;
  /** What Stripe keeps of it; negative for what it gives back. */
  readonly fee?: number;
  /** When it can be paid out, in seconds; at once without it. */
  readonly availableOn?: number;
}

/** Writes down a movement of money. Stripe raises no event for it, nor when it becomes available. */
export function book(world: World, movement: Movement): BalanceTransaction {
  const { kind, amount, currency, source, fee = 0 } = movement;
  const [type, category] = KINDS[kind];
  const now = world.now();
  const on = movement.availableOn ?? now;
  const transaction: BalanceTransaction = {
    id: world.id("txn"),
    object: "balance_transaction",
    amount,
    available_on: on,
    balance_type: "payments",
    created: now,
    currency,
    description: movement.description ?? null,
    exchange_rate: null,
    fee,
    fee_details: fee === 0 ? [] : [feeDetail(kind, fee, currency)],
    net: amount - fee,
    reporting_category: category,
    source,
    status: on > now ? "pending" : "available",
    type,
  };
  world.objects.balance_transaction.add(transaction);
  if (on > now) {
    world.clock.schedule(on * 1000, () => {
      world.patch("balance_transaction", transaction.id, { status: "available" });
    });
  }
  return transaction;
}

function feeDetail(
  kind: Movement["kind"],
  amount: number,
  currency: string,
): BalanceTransaction["fee_details"][number] {
  const isDispute = kind === "dispute" || kind === "dispute_reversal";
  const description = isDispute ? "Dispute fee" : "Stripe processing fees";
  return { amount, application: null, currency, description, type: "stripe_fee" };
}

/** Writes down the money of a charge that was captured, less the fee; answers the transaction's id. */
export function bookCharge(
  world: World,
  charge: {
    readonly id: string;
    readonly amount: number;
    readonly currency: string;
    readonly description: string | null;
  },
  options: { readonly isCard: boolean; readonly bypassesPending: boolean },
): string {
  const { id: source, amount, currency, description } = charge;
  return book(world, {
    kind: options.isCard ? "charge" : "payment",
    amount,
    currency,
    source,
    description,
    fee: feeOf(amount),
    ...(options.bypassesPending ? {} : { availableOn: secondWorkingDay(world.now()) }),
  }).id;
}

/** What the account has, by currency; that of the account itself is always there. */
export function balanceOf(world: World): Plain<Stripe.Balance> {
  const sums = new Map([["usd", { available: 0, pending: 0 }]]);
  for (const { currency, net, status } of world.objects.balance_transaction.values()) {
    const sum = sums.get(currency) ?? { available: 0, pending: 0 };
    sums.set(currency, sum);
    sum[status === "pending" ? "pending" : "available"] += net;
  }
  const shown = (part: "available" | "pending") =>
    [...sums].map(([currency, sum]) => ({
      amount: sum[part],
      currency,
      source_types: { card: sum[part] },
    }));
  return {
    object: "balance",
    available: shown("available"),
    connect_reserved: [{ amount: 0, currency: "usd" }],
    livemode: world.livemode,
    pending: shown("pending"),
  };
}
