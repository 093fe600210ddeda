/** A life: the script, what must come of it, and what comes of it, twice. */
import { differences } from "./comparison.js";
import { type Account, accountOf, type Deed } from "./ledger.js";
import { live } from "./runner.js";
import { DAY, type Span, scriptOf } from "./script.js";

export interface LifeOptions {
  readonly seed: string | number;
  readonly customers: number;
  readonly days: number;
}

export interface Life {
  /** Where the double and the ledger differ. */
  readonly differences: readonly string[];
  readonly invoices: number;
  /** The cents on all invoices, as the ledger has them. */
  readonly cents: number;
  /** How often each kind of act was done, and what else happened. */
  readonly counts: { readonly [kind: string]: number };
  readonly requests: number;
  /** Of all that is and was, one for each time. */
  readonly hashes: readonly string[];
}

/** The first of January, in the morning: two years from here have a 29 February. */
const START = Date.parse("2027-01-01T08:00:00Z") / 1000;

export async function lifeOf({ seed, customers, days }: LifeOptions): Promise<Life> {
  const span: Span = { start: START, days };
  const acts = scriptOf(seed, customers, span);
  const accounts = Array.from({ length: customers }, (_, number) =>
    accountOf(
      acts.filter(({ customer }) => customer === number),
      START + days * DAY,
    ),
  );
  const deeds = accounts
    .flatMap((account) => account.deeds)
    .sort((a, b) => a.at - b.at || a.customer - b.customer);
  const first = await live(seed, deeds, span);
  const again = await live(seed, deeds, span);
  const bills = accounts.flatMap((account) => account.bills);
  return {
    differences: differences(accounts, first),
    invoices: bills.length,
    cents: bills.reduce((sum, { total }) => sum + Math.abs(total), 0),
    counts: countsOf(accounts, deeds),
    requests: first.requests,
    hashes: [first.hash, again.hash],
  };
}

function countsOf(
  accounts: readonly Account[],
  deeds: readonly Deed[],
): { [kind: string]: number } {
  const counts: { [kind: string]: number } = {};
  const add = (name: string, count: number) => {
    counts[name] = (counts[name] ?? 0) + count;
  };
  for (const deed of deeds) {
    add(deed.kind, 1);
    if ("behaviour" in deed) add(deed.behaviour, 1);
    if (deed.kind === "join" && deed.trialDays > 0) add("join with a trial", 1);
    if (deed.kind === "join" && deed.coupons.length > 0) add("join with coupons", 1);
  }
  for (const { outcomes } of accounts) {
    for (const [name, count] of Object.entries(outcomes)) add(name, count);
  }
  return counts;
}
