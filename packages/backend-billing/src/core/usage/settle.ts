/**
 * Brings a wallet up to a moment: what was taken is booked on grants, grants that ended are dropped,
 * holds that ended are given back, and the shares of the running periods are added. Pure. It happens
 * when something is taken or read, never by a sweep: what has ended counts from its own time on.
 */
import type { Allowance, Share } from "./allowance.js";
import type { Balance, Grant, Hold, Wallet } from "./wallet.js";

/** The order in which grants are taken: what ends first, then the oldest. */
export const inTurn = (a: Grant, b: Grant): number =>
  (a.expiresAt ?? Number.POSITIVE_INFINITY) - (b.expiresAt ?? Number.POSITIVE_INFINITY) ||
  a.createdAt - b.createdAt ||
  (a.key < b.key ? -1 : 1);

/** What is left of a grant. */
export const leftOf = ({ amount, used, held }: Grant): number => Math.max(0, amount - used - held);

export function settle(
  wallet: Wallet,
  allowance: Allowance,
  { now, basis }: { readonly now: number; readonly basis: string },
): Wallet {
  const { grants: before, holds } = withoutEndedHolds(booked(wallet), now);
  const grants = counted(before, allowance.shares, now);
  const live = grants.filter((grant) => grant.live);
  const grantsEnd = live.map(({ expiresAt }) => expiresAt ?? Number.MAX_SAFE_INTEGER);
  const holdsEnd = holds.flatMap(({ state, expiresAt }) => (state === "held" ? expiresAt : []));
  return {
    balance: {
      ...sums(live, holds),
      ...beyond(wallet.balance, allowance),
      most: allowance.most,
      billed: allowance.billed,
      validUntil: Math.min(allowance.validUntil, ...grantsEnd, ...holdsEnd),
      basis,
    },
    grants,
    holds,
  };
}

/**
 * What was taken beyond goes on to count while no period of what sells it begins in place of another: where a
 * plan is left for a while, or one is had besides, what was sold up to the cap is not sold again.
 */
function beyond(
  { over, window }: Balance,
  { window: name, sold }: Allowance,
): Pick<Balance, "over" | "window"> {
  const [were, are] = [periodsIn(window), periodsIn(name)];
  const counting = sold.length > 0 ? sold : are;
  const isOn =
    were.every((each) => are.includes(each)) || counting.every((each) => were.includes(each));
  return { over: isOn ? over : 0, window: are.length === 0 ? window : name };
}

const periodsIn = (window: string): readonly string[] => (window === "" ? [] : window.split(", "));

function sums(
  live: readonly Grant[],
  holds: readonly Hold[],
): Pick<Balance, "granted" | "used" | "held" | "heldOver"> {
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  return {
    granted: sum(live.map(({ amount }) => amount)),
    used: sum(live.map(({ used }) => used)),
    held: sum(live.map(({ held }) => held)),
    heldOver: sum(holds.map(({ state, over }) => (state === "held" ? over : 0))),
  };
}

/** What the balance has counted since, on the grants that it is taken from. */
function booked(wallet: Wallet): Wallet {
  let rest = unbooked(wallet);
  const taken = new Map<string, number>();
  for (const grant of wallet.grants.filter(({ live }) => live).sort(inTurn)) {
    const amount = Math.min(rest, leftOf(grant));
    taken.set(grant.key, amount);
    rest -= amount;
  }
  return { ...wallet, grants: wallet.grants.map((each) => used(each, taken.get(each.key) ?? 0)) };
}

/** Units that the balance has counted and no grant has yet. */
export function unbooked({ balance, grants }: Wallet): number {
  const onGrants = grants.reduce((sum, { live, used }) => sum + (live ? used : 0), 0);
  return balance.used - onGrants;
}

const used = (grant: Grant, amount: number): Grant =>
  amount === 0 ? grant : { ...grant, used: grant.used + amount };

function withoutEndedHolds({ balance, grants, holds }: Wallet, now: number): Wallet {
  const ended = holds.filter(({ state, expiresAt }) => state === "held" && expiresAt <= now);
  if (ended.length === 0) return { balance, grants, holds };
  return {
    balance,
    grants: givenBack(
      grants,
      ended.flatMap(({ parts }) => parts),
    ),
    holds: holds.map((each) => (ended.includes(each) ? { ...each, state: "released" } : each)),
  };
}

/** Grants of which parts are held no more. */
export function givenBack(grants: readonly Grant[], parts: Hold["parts"]): readonly Grant[] {
  const by = new Map<string, number>();
  for (const { grant, amount } of parts) by.set(grant, (by.get(grant) ?? 0) + amount);
  return grants.map((each) => {
    const amount = by.get(each.key) ?? 0;
    return amount === 0 ? each : { ...each, held: each.held - amount };
  });
}

/** The grants with the running shares, each saying whether it counts now. */
function counted(
  before: readonly Grant[],
  shares: readonly Share[],
  now: number,
): readonly Grant[] {
  const spent = spentOf(before);
  const known = before.map((grant): Grant => {
    const share = shares.find(({ key }) => key === grant.key);
    if (spent.includes(grant)) return { ...grant, live: false, closed: true };
    if (grant.source !== "plan") return standing(grant, !isOver(grant, now), now);
    return share === undefined ? standing(grant, false, now) : raised(grant, share);
  });
  const isNew = ({ key, amount, isWithheld }: Share) =>
    amount > 0 && !isWithheld && !before.some((grant) => grant.key === key);
  return [...known, ...shares.filter(isNew).map((share) => given(share, now))];
}

/** Grants of which nothing is left that a wallet shows. */
const SHOWN = 20;

/**
 * Those that were given or bought and are all taken, but for the last: a wallet would carry them for
 * ever. Nothing that can be taken changes by that, and no refund can make them another size; one of
 * which something was taken back may grow again, and stays.
 */
const spentOf = (grants: readonly Grant[]): readonly Grant[] =>
  grants
    .filter(({ source, original, used }) => source !== "plan" && used >= original)
    .sort(inTurn)
    .slice(0, -SHOWN);

const isOver = ({ expiresAt }: Grant, now: number): boolean =>
  expiresAt !== null && expiresAt <= now;

/**
 * How long after its end a grant is still known. A clock that is behind another finds what was given and
 * taken in the period that is over there, and gives no share of it anew.
 */
const KEPT = 24 * 60 * 60 * 1000;

/** A grant that counts, or does not. A share that does not may do so again within its period. */
function standing(grant: Grant, live: boolean, now: number): Grant {
  const closed = !live && grant.held === 0 && isOver(grant, now - KEPT);
  return grant.live === live && grant.closed === closed ? grant : { ...grant, live, closed };
}

/** A better plan raises the share of its period; a lesser one has its own from the next on. */
function raised(grant: Grant, { amount, period, isWithheld }: Share): Grant {
  const next = isWithheld ? grant.amount : Math.max(grant.amount, amount);
  if (next === grant.amount && period.until === grant.expiresAt && grant.live) return grant;
  return {
    ...grant,
    original: Math.max(grant.original, next),
    amount: next,
    expiresAt: period.until,
    live: true,
  };
}

/** A wallet that has these shares, whether or not they count now. */
export function withShares(wallet: Wallet, shares: readonly Share[], now: number): Wallet {
  const grants = wallet.grants.map((grant) => {
    const share = shares.find(({ key }) => key === grant.key);
    return share === undefined ? grant : { ...raised(grant, share), live: grant.live };
  });
  const isNew = ({ key }: Share) => !grants.some((grant) => grant.key === key);
  const added = shares.filter(isNew).map((share) => ({ ...given(share, now), live: false }));
  return { ...wallet, grants: [...grants, ...added] };
}

const given = ({ key, amount, period }: Share, now: number): Grant => ({
  key,
  source: "plan",
  original: amount,
  amount,
  used: 0,
  held: 0,
  createdAt: now,
  expiresAt: period.until,
  live: true,
  closed: false,
});
