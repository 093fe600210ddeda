/**
 * Stripe's test bank accounts of the US, by the ids that stand for them. They count as verified.
 * What is paid with one is known only a while later.
 */
import { token } from "../../world/random.js";
import type { World } from "../../world/world.js";

/** Why a bank sends a debit back. */
export type DebitFailure =
  | "account_closed"
  | "debit_not_authorized"
  | "insufficient_funds"
  | "no_account";

/** What becomes of a debit. */
export type Debit = "succeeds" | "stays" | DebitFailure;

interface BankAccount {
  readonly number: string;
  readonly debit: Debit;
}

const ROUTING_NUMBER = "110000000";
const SUCCESS: BankAccount = { number: "000123456789", debit: "succeeds" };

/** By the part after `pm_usBankAccount` (docs: payments/ach-direct-debit, test account numbers). */
const ACCOUNTS: { readonly [name: string]: BankAccount } = {
  "": SUCCESS,
  _success: SUCCESS,
  _accountClosed: { number: "000111111113", debit: "account_closed" },
  _noAccount: { number: "000111111116", debit: "no_account" },
  _insufficientFunds: { number: "000222222227", debit: "insufficient_funds" },
  _debitNotAuthorized: { number: "000333333335", debit: "debit_not_authorized" },
  _processing: { number: "000000000009", debit: "stays" },
};

const PREFIX = "pm_usBankAccount";

/** The bank account that an id such as `pm_usBankAccount_success` stands for. */
export function bankByMethod(id: string): BankAccount | undefined {
  return id.startsWith(PREFIX) ? ACCOUNTS[id.slice(PREFIX.length)] : undefined;
}

/** What a payment method shows of the account. */
export function bankDetails(world: World, { number }: BankAccount) {
  return {
    account_holder_type: "individual" as const,
    account_type: "checking" as const,
    bank_name: "STRIPE TEST BANK",
    financial_connections_account: null,
    fingerprint: token(16, world.account, number),
    last4: number.slice(-4),
    networks: { preferred: "ach", supported: ["ach" as const] },
    routing_number: ROUTING_NUMBER,
    status_details: {},
  };
}

const MESSAGES: { readonly [F in DebitFailure]: string } = {
  account_closed: "The customer's bank account has been closed.",
  debit_not_authorized: "The customer has notified their bank that this payment was unauthorized.",
  insufficient_funds: "The customer's account has insufficient funds to cover this payment.",
  no_account: "The customer's bank account could not be located.",
};

export const debitRefusal = (failure: DebitFailure) => ({
  code: failure,
  message: MESSAGES[failure],
});
