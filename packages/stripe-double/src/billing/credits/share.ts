/** Sharing billing credits out over the lines of an invoice. Grants and lines come as plain terms. */
import type { CreditGrant } from "./ledger.js";

/** A grant with what is left of it. */
export interface Purse {
  readonly grant: CreditGrant;
  readonly left: number;
}

/** A line for usage, with what discounts left of it. */
export interface UsageLine {
  readonly price: string;
  /** When the time ends in which it was used. */
  readonly end: number;
  readonly currency: string;
  readonly amount: number;
}

/** How much of a grant goes to a line. */
export interface Share {
  readonly grant: CreditGrant;
  readonly amount: number;
}

/** Which of two grants is used first (docs: billing credits, "Multiple credit grants"). */
function byOrderOfUse(a: CreditGrant, b: CreditGrant): number {
  const never = Number.MAX_SAFE_INTEGER;
  return (
    (a.priority ?? 0) - (b.priority ?? 0) ||
    (a.expires_at ?? never) - (b.expires_at ?? never) ||
    Number(b.category === "promotional") - Number(a.category === "promotional") ||
    (a.effective_at ?? 0) - (b.effective_at ?? 0) ||
    a.created - b.created
  );
}

/** Whether a grant can pay for a line: by its currency, its scope and the time that it is for. */
function appliesTo(grant: CreditGrant, { currency, end, price }: UsageLine): boolean {
  const { amount, applicability_config: config, effective_at: from, expires_at: until } = grant;
  const { price_type: type, prices } = config.scope;
  return (
    amount.monetary?.currency === currency &&
    (from === null || from <= end) &&
    (until === null || end < until) &&
    (type === "metered" || (prices?.some(({ id }) => id === price) ?? false))
  );
}

/** For each line, in their order, what is taken of which grant; undefined lines get nothing. */
export function shareCredits(
  purses: readonly Purse[],
  lines: readonly (UsageLine | undefined)[],
): Share[][] {
  const left = new Map(purses.map((purse) => [purse.grant.id, purse.left]));
  const grants = purses.map(({ grant }) => grant).sort(byOrderOfUse);
  return lines.map((line) => {
    let open = Math.max(0, line?.amount ?? 0);
    return grants.flatMap((grant): Share[] => {
      const amount = Math.min(open, left.get(grant.id) ?? 0);
      if (line === undefined || amount <= 0 || !appliesTo(grant, line)) return [];
      open -= amount;
      left.set(grant.id, (left.get(grant.id) ?? 0) - amount);
      return [{ grant, amount }];
    });
  });
}
