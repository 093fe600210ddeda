/** The invoices as they are beside those that must be: everything that differs, with both sides. */
import type Stripe from "stripe";
import type { Bill, Line } from "./books.js";
import type { Account } from "./ledger.js";
import type { Outcome } from "./runner.js";

/** What is compared of an invoice. */
interface Shown {
  readonly created: number;
  readonly reason: string | null;
  readonly status: string | null;
  readonly total: number;
  readonly balance: number;
  readonly due: number;
  readonly paid: number;
  /** What each line costs after discounts, with its period. Lines that cost nothing are left out. */
  readonly lines: readonly string[];
}

/** Lines with what differs; none if all is as it must be. */
export function differences(accounts: readonly Account[], outcome: Outcome): string[] {
  const strangers = [...outcome.invoices.keys()].filter((number) => !(number in accounts));
  return [
    ...outcome.failures,
    ...strangers.map((number) => `customer ${number}: is not in the script`),
    ...accounts.flatMap((account, number) => compareCustomer(account, number, outcome)),
  ];
}

function compareCustomer({ bills, balance }: Account, number: number, outcome: Outcome): string[] {
  const [must, is] = [byMoment(bills.map(ofLedger)), byMoment(made(number, outcome))];
  const found = [...new Set([...must.keys(), ...is.keys()])].sort().flatMap((moment) => {
    const [wanted, given] = [must.get(moment), is.get(moment)];
    const [left, right] = [JSON.stringify(wanted), JSON.stringify(given)];
    if (left === right) return [];
    const names = wanted && given ? fieldsThatDiffer(wanted, given) : "only on one side";
    return `customer ${number}, invoice of ${moment} (${names})\n  ledger ${left}\n  double ${right}`;
  });
  const left = outcome.balances.get(number) ?? 0;
  if (left !== balance)
    found.push(`customer ${number}, balance: ledger ${balance}, double ${left}`);
  return found;
}

const made = (number: number, { invoices }: Outcome): Shown[] =>
  (invoices.get(number) ?? []).map(ofDouble);

/** By when it was made and which of those it is, so that one that is missing does not move others. */
function byMoment(all: readonly Shown[]): Map<string, Shown> {
  const known = new Map<string, Shown>();
  for (const each of all) {
    const moment = new Date(each.created * 1000).toISOString();
    const same = [...known.keys()].filter((key) => key.startsWith(moment)).length;
    known.set(same === 0 ? moment : `${moment} #${same + 1}`, each);
  }
  return known;
}

const fieldsThatDiffer = (must: Shown, is: Shown): string =>
  (Object.keys(must) as (keyof Shown)[])
    .filter((name) => JSON.stringify(must[name]) !== JSON.stringify(is[name]))
    .join(", ");

const lineOf = ({ amount, start, end }: Line): string => `${amount}@${start}-${end}`;

function ofLedger({ created, reason, status, total, balance, due, paid, lines }: Bill): Shown {
  const shown = lines.map(lineOf).sort();
  return { created, reason, status, total, balance, due, paid, lines: shown };
}

function ofDouble(invoice: Stripe.Invoice): Shown {
  const lines = invoice.lines.data.map(({ amount, discount_amounts: off, period }) => ({
    amount: amount - (off ?? []).reduce((sum, each) => sum + each.amount, 0),
    ...period,
  }));
  return {
    created: invoice.created,
    reason: invoice.billing_reason,
    status: invoice.status,
    total: invoice.total,
    balance: invoice.starting_balance,
    due: invoice.amount_due,
    paid: invoice.amount_paid,
    lines: lines
      .filter(({ amount }) => amount !== 0)
      .map(lineOf)
      .sort(),
  };
}
