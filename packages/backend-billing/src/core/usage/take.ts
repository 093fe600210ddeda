/**
 * Takes from a settled wallet: at once, or by holding units first. Pure: what is answered is another
 * wallet, or a refusal that leaves everything as it was.
 */
import { givenBack, inTurn, leftOf } from "./settle.js";
import { type Balance, type Grant, type Hold, remainingOf, type Wallet } from "./wallet.js";

/** How an amount is taken: of the grants, and beyond them. */
interface Split {
  readonly covered: number;
  readonly over: number;
}

/**
 * How an amount can be taken; undefined if it can not. The quick statement on PostgreSQL does the same
 * sums.
 */
export function splitOf(balance: Balance, amount: number, isLimited: boolean): Split | undefined {
  const covered = Math.min(amount, remainingOf(balance));
  const over = amount - covered;
  const fits = over === 0 || balance.over + balance.heldOver + over <= balance.most;
  return fits || !isLimited ? { covered, over } : undefined;
}

/** What a taking makes of a wallet, and what of it is to be recorded. */
export interface Taken {
  readonly wallet: Wallet;
  readonly over: number;
  readonly billed: boolean;
}

/** Takes an amount; with a limit, all of it or nothing. */
export function take(wallet: Wallet, amount: number, isLimited: boolean): Taken | undefined {
  const { balance } = wallet;
  const split = splitOf(balance, amount, isLimited);
  if (split === undefined) return undefined;
  const { covered, over } = split;
  return {
    wallet: {
      ...wallet,
      balance: { ...balance, used: balance.used + covered, over: balance.over + over },
    },
    over,
    billed: balance.billed && over > 0,
  };
}

/** Holds an amount, all of it or nothing. */
export function hold(
  wallet: Wallet,
  { amount, ...named }: Pick<Hold, "key" | "amount" | "expiresAt">,
): Wallet | undefined {
  const { balance } = wallet;
  const split = splitOf(balance, amount, true);
  if (split === undefined) return undefined;
  const parts = partsOf(wallet.grants, split.covered);
  const held: Hold = { ...named, amount, parts, over: split.over, state: "held" };
  return {
    balance: {
      ...balance,
      held: balance.held + split.covered,
      heldOver: balance.heldOver + split.over,
      validUntil: Math.min(balance.validUntil, named.expiresAt),
    },
    grants: moved(wallet.grants, parts, (grant, part) => ({ ...grant, held: grant.held + part })),
    holds: [...wallet.holds.filter(({ key }) => key !== held.key), held],
  };
}

/** Which grants an amount is taken from. The wallet is settled, so all that was taken is booked. */
function partsOf(grants: readonly Grant[], amount: number): Hold["parts"] {
  let rest = amount;
  return grants
    .filter(({ live }) => live)
    .sort(inTurn)
    .flatMap((grant) => {
      const part = Math.min(rest, leftOf(grant));
      rest -= part;
      return part === 0 ? [] : [{ grant: grant.key, amount: part }];
    });
}

/** Gives back what is held. */
export function release(wallet: Wallet, held: Hold): Wallet {
  return ended(wallet, held, [], 0, "released");
}

/** Takes an amount of what is held, and gives back the rest. More than is held is taken besides. */
export function finish(wallet: Wallet, held: Hold, amount: number): Taken | undefined {
  const back = Math.max(0, held.amount - amount);
  const over = Math.max(0, held.over - back);
  const used = kept(held.parts, back - (held.over - over));
  const booked = ended(wallet, held, used, over, "finished");
  const more = amount - held.amount;
  const taken = more > 0 ? take(booked, more, true) : undefined;
  if (more > 0 && taken === undefined) return undefined;
  const all = over + (taken?.over ?? 0);
  return { wallet: taken?.wallet ?? booked, over: all, billed: booked.balance.billed && all > 0 };
}

/** Parts without so many units: what ends last is given back first. */
function kept(parts: Hold["parts"], back: number): Hold["parts"] {
  let rest = back;
  return [...parts]
    .reverse()
    .map(({ grant, amount }) => {
      const less = Math.min(rest, amount);
      rest -= less;
      return { grant, amount: amount - less };
    })
    .reverse();
}

/** A wallet in which a hold has ended, and some of what it held is used. */
function ended(
  { balance, grants, holds }: Wallet,
  held: Hold,
  used: Hold["parts"],
  over: number,
  state: "finished" | "released",
): Wallet {
  const free = givenBack(grants, held.parts);
  const isLive = ({ grant }: Hold["parts"][number]) =>
    grants.some(({ key, live }) => live && key === grant);
  const sum = (parts: Hold["parts"]) =>
    parts.filter(isLive).reduce((all, { amount }) => all + amount, 0);
  return {
    balance: {
      ...balance,
      used: balance.used + sum(used),
      held: balance.held - sum(held.parts),
      over: balance.over + over,
      heldOver: balance.heldOver - held.over,
    },
    grants: moved(free, used, (grant, part) => ({ ...grant, used: grant.used + part })),
    holds: holds.map((each) => (each.key === held.key ? { ...each, state } : each)),
  };
}

function moved(
  grants: readonly Grant[],
  parts: Hold["parts"],
  change: (grant: Grant, amount: number) => Grant,
): readonly Grant[] {
  return grants.map((grant) => {
    const part = parts.find((each) => each.grant === grant.key);
    return part === undefined || part.amount === 0 ? grant : change(grant, part.amount);
  });
}

/** Adds a grant, unless one with its key is there. */
export function grant(
  wallet: Wallet,
  given: Pick<Grant, "key" | "source" | "amount" | "createdAt" | "expiresAt">,
): Wallet {
  if (wallet.grants.some(({ key }) => key === given.key)) return wallet;
  const { balance } = wallet;
  const end = given.expiresAt ?? Number.MAX_SAFE_INTEGER;
  const isLive = end > given.createdAt;
  const added: Grant = {
    ...given,
    original: given.amount,
    used: 0,
    held: 0,
    live: isLive,
    closed: !isLive,
  };
  return {
    ...wallet,
    balance: isLive
      ? {
          ...balance,
          granted: balance.granted + given.amount,
          validUntil: Math.min(balance.validUntil, end),
        }
      : balance,
    grants: [...wallet.grants, added],
  };
}

/** Makes a grant so large, at least as large as what of it is used or held. The wallet is settled. */
export function resize(wallet: Wallet, key: string, wanted: number): Wallet {
  const found = wallet.grants.find((each) => each.key === key);
  if (found === undefined) return wallet;
  const amount = Math.max(wanted, found.used + found.held);
  if (amount === found.amount) return wallet;
  const { balance } = wallet;
  return {
    ...wallet,
    balance: found.live
      ? { ...balance, granted: balance.granted + amount - found.amount }
      : balance,
    grants: wallet.grants.map((each) => (each === found ? { ...found, amount } : each)),
  };
}
