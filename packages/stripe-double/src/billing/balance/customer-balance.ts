/** What a customer owes or is owed, and the transactions that it came from. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";

export type CustomerBalanceTransaction = Plain<Stripe.CustomerBalanceTransaction>;

export interface BalanceChange {
  /** Negative for what is owed to the customer. */
  readonly amount: number;
  readonly currency: string;
  readonly type:
    | "adjustment"
    | "applied_to_invoice"
    | "credit_note"
    | "initial"
    | "invoice_too_small"
    | "unapplied_from_invoice";
  readonly credit_note?: string;
  readonly description?: string | null | undefined;
  readonly invoice?: string;
  readonly metadata?: { [key: string]: string };
}

/** Keeps the transaction of a change of the balance; the customer's balance is the caller's. */
export function recordBalanceChange(
  world: World,
  customer: { readonly id: string; readonly balance: number },
  change: BalanceChange,
): CustomerBalanceTransaction {
  return world.objects.customer_balance_transaction.add({
    id: world.id("cbtxn"),
    object: "customer_balance_transaction",
    amount: change.amount,
    checkout_session: null,
    created: world.now(),
    credit_note: change.credit_note ?? null,
    currency: change.currency,
    customer: customer.id,
    customer_account: null,
    description: change.description ?? null,
    ending_balance: customer.balance,
    invoice: change.invoice ?? null,
    livemode: world.livemode,
    metadata: change.metadata ?? {},
    type: change.type,
  });
}

/** Changes the customer's balance, and says so in `customer.updated`. */
export function changeBalance(
  world: World,
  customer: string,
  change: BalanceChange,
): CustomerBalanceTransaction {
  const before = world.find("customer", customer, "customer");
  const after = world.change(
    "customer",
    before.id,
    { balance: before.balance + change.amount, currency: change.currency },
    "customer.updated",
  );
  return recordBalanceChange(world, after, change);
}

/**
 * Why finalizing an invoice changes the balance. What is left of a small total waits for the next
 * invoice; otherwise the balance is used up, or the invoice adds to it.
 */
export function reasonOf(ending: number): "applied_to_invoice" | "invoice_too_small" {
  return ending > 0 ? "invoice_too_small" : "applied_to_invoice";
}
