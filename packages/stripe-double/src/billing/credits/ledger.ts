/** The ledger of a credit grant: transactions are only added, and their sum is the balance. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";

export type CreditGrant = Plain<Stripe.Billing.CreditGrant>;
export type CreditTransaction = Plain<Stripe.Billing.CreditBalanceTransaction>;

/** The line of an invoice that credits were applied to. */
export interface CreditedLine {
  readonly invoice: string;
  readonly invoice_line_item: string;
}

/** What a transaction is for; that of a line of an invoice names it. */
export type Movement =
  | { readonly type: "credits_granted" | "credits_expired" | "credits_voided" }
  | {
      readonly type: "credits_applied" | "credits_application_invoice_voided";
      readonly line: CreditedLine;
    };

export function moneyOf({ id, amount }: CreditGrant): { currency: string; value: number } {
  if (amount.monetary === null) throw new Error(`${id} has no amount of money`);
  return amount.monetary;
}

/** Adds a transaction to the ledger of a grant, and tells of it. */
export function record(
  world: World,
  grant: CreditGrant,
  value: number,
  movement: Movement,
): CreditTransaction {
  const { currency } = moneyOf(grant);
  const transaction = world.objects["billing.credit_balance_transaction"].add({
    id: world.id(world.livemode ? "cbtxn" : "cbtxn_test"),
    object: "billing.credit_balance_transaction",
    // API reference: the example belongs to a test clock, and was made a month before it took effect.
    created: world.ownNow(),
    credit_grant: grant.id,
    effective_at: world.now(),
    livemode: world.livemode,
    test_clock: grant.test_clock,
    ...sideOf({ monetary: { currency, value }, type: "monetary" }, movement),
  });
  world.raise("billing.credit_balance_transaction.created", transaction);
  return transaction;
}

function sideOf(
  amount: CreditGrant["amount"],
  movement: Movement,
): Pick<CreditTransaction, "credit" | "debit" | "type"> {
  const { type } = movement;
  const line = "line" in movement ? { ...movement.line } : null;
  if (type === "credits_granted" || type === "credits_application_invoice_voided") {
    const credit = { amount, credits_application_invoice_voided: line, type };
    return { credit, debit: null, type: "credit" };
  }
  return { credit: null, debit: { amount, credits_applied: line, type }, type: "debit" };
}

/** The transactions of a grant, oldest first. */
export const transactionsOf = (world: World, grant: string): CreditTransaction[] =>
  world.objects["billing.credit_balance_transaction"].where("credit_grant", grant);

/** What the transactions of a grant come to. */
export function ledgerBalance(world: World, grant: string): number {
  return transactionsOf(world, grant).reduce(
    (sum, { credit, debit }) =>
      sum + (credit?.amount.monetary?.value ?? 0) - (debit?.amount.monetary?.value ?? 0),
    0,
  );
}
