// The wallet against a plain ledger that books every unit at once: the same is left after every step.
import { describe, expect, it } from "vitest";
import { stream } from "../../../../../stripe-double/src/world/random.js";
import type { Allowance } from "../../../../src/core/usage/allowance.js";
import { settle, unbooked } from "../../../../src/core/usage/settle.js";
import { finish, grant, hold, release, resize, take } from "../../../../src/core/usage/take.js";
import { EMPTY, remainingOf, type Wallet } from "../../../../src/core/usage/wallet.js";

/** A lot of units, each taking of which is booked when it happens. */
interface Lot {
  readonly key: string;
  readonly isPlan: boolean;
  readonly made: number;
  /** What an own grant was given with. */
  readonly original: number;
  amount: number;
  taken: number;
  until: number;
}

interface Held {
  readonly key: string;
  readonly until: number;
  readonly lots: { lot: Lot; amount: number }[];
  over: number;
  isOpen: boolean;
}

const END = Number.MAX_SAFE_INTEGER;
const HOUR = 3_600_000;
const PERIOD = 500 * HOUR;

function plainLedger() {
  const lots: Lot[] = [];
  const holds: Held[] = [];
  let window = "";
  let over = 0;
  let shares: Allowance["shares"] = [];
  let most = 0;
  const counts = (lot: Lot, now: number) =>
    lot.until > now && (!lot.isPlan || shares.some(({ key }) => key === lot.key));
  const open = (now: number) =>
    lots
      .filter((lot) => counts(lot, now))
      .sort((a, b) => a.until - b.until || a.made - b.made || (a.key < b.key ? -1 : 1));
  const left = (now: number) =>
    open(now).reduce((sum, { amount, taken }) => sum + amount - taken, 0);
  const overHeld = () => holds.reduce((sum, each) => sum + (each.isOpen ? each.over : 0), 0);
  const giveBack = (held: Held) => {
    held.isOpen = false;
    for (const { lot, amount } of held.lots) lot.taken -= amount;
  };
  return {
    lots,
    holds,
    left,
    overTaken: () => over,
    begin(allowance: Allowance, now: number) {
      for (const held of holds) if (held.isOpen && held.until <= now) giveBack(held);
      shares = allowance.shares;
      most = allowance.most;
      const named = shares.map(({ key }) => key).join(", ");
      if (named !== window) over = 0;
      window = named;
      for (const { key, amount, period, isWithheld } of shares) {
        const known = lots.find((lot) => lot.key === key);
        if (known !== undefined) {
          known.until = period.until;
          if (!isWithheld) known.amount = Math.max(known.amount, amount);
        } else if (!isWithheld && amount > 0) {
          const share = { key, isPlan: true, made: now, original: amount };
          lots.push({ ...share, amount, taken: 0, until: period.until });
        }
      }
    },
    take(amount: number, now: number, isLimited: boolean): Held["lots"] | undefined {
      const beyond = Math.max(0, amount - left(now));
      if (isLimited && beyond > 0 && over + overHeld() + beyond > most) return undefined;
      let rest = amount - beyond;
      const parts: Held["lots"] = [];
      for (const lot of open(now)) {
        const part = Math.min(rest, lot.amount - lot.taken);
        if (part > 0) parts.push({ lot, amount: part });
        lot.taken += part;
        rest -= part;
      }
      over += beyond;
      return parts;
    },
    undoOver(amount: number) {
      over -= amount;
    },
    giveBack,
  };
}

/** Runs one random history; answers how often something was refused, taken and closed. */
function history(seed: number): { refused: number; taken: number; closed: number } {
  const next = stream(seed, "ledger");
  const below = (count: number) => Math.floor(next() * count);
  const ledger = plainLedger();
  let wallet: Wallet = EMPTY;
  let recorded = 0;
  let beyond = 0;
  let refused = 0;
  let taken = 0;
  let now = 1_000 * HOUR;
  let plan = { from: 1_000 * HOUR, amount: 20, most: 0, isWithheld: false, other: false };
  const closed: Wallet["grants"][number][] = [];
  for (let step = 0; step < 60; step++) {
    const where = `seed ${seed}, step ${step}`;
    now += HOUR * (below(3) === 0 ? below(400) : below(10));
    if (now >= plan.from + PERIOD) plan = { ...plan, from: now - ((now - plan.from) % PERIOD) };
    if (below(6) === 0) plan = { ...plan, amount: below(4) * 10 };
    if (below(12) === 0) plan = { ...plan, most: below(3) * 8, isWithheld: below(2) === 0 };
    if (below(15) === 0) plan = { ...plan, other: !plan.other };
    const key = `${plan.other ? "other" : "plan"} ${plan.from}`;
    const period = { from: plan.from, until: plan.from + PERIOD };
    const shares = [{ key, amount: plan.amount, period, isWithheld: plan.isWithheld }];
    const validUntil = period.until;
    const { most } = plan;
    const allowance = {
      shares,
      window: key,
      sold: [key],
      most,
      billed: true,
      resetsAt: validUntil,
      validUntil,
    };
    ledger.begin(allowance, now);
    wallet = settle(wallet, allowance, { now, basis: "" });
    closed.push(...wallet.grants.filter((each) => each.closed));
    wallet = { ...wallet, grants: wallet.grants.filter((each) => !each.closed) };
    const amount = 1 + below(12);
    const name = `k${step}`;
    const choice = below(10);
    if (choice < 4) {
      // Several in a row, as the quick statement does: between two of them nothing is settled.
      for (let time = below(3); time >= 0; time--) {
        const isLimited = below(5) > 0;
        const before = ledger.left(now);
        const expected = ledger.take(amount, now, isLimited);
        const took = take(wallet, amount, isLimited);
        same(took === undefined, expected === undefined, where);
        if (took === undefined) refused++;
        else {
          taken++;
          recorded += amount;
          beyond += took.over;
          same(took.over, Math.max(0, amount - before), where);
          wallet = took.wallet;
        }
      }
    } else if (choice < 6) {
      const until = now + HOUR * (1 + below(300));
      const before = ledger.left(now);
      const parts = ledger.take(amount, now, true);
      const held = hold(wallet, { key: name, amount, expiresAt: until });
      same(held === undefined, parts === undefined, where);
      if (parts !== undefined && held !== undefined) {
        const over = Math.max(0, amount - before);
        ledger.undoOver(over);
        ledger.holds.push({ key: name, until, lots: parts, over, isOpen: true });
        wallet = held;
      }
    } else if (choice < 8) {
      const held = ledger.holds.find((each) => each.isOpen);
      const own = wallet.holds.find((each) => each.key === held?.key);
      if (held !== undefined && own !== undefined) {
        const cost = below(own.amount + 1);
        if (cost === 0) {
          ledger.giveBack(held);
          wallet = release(wallet, own);
        } else {
          const back = own.amount - cost;
          const lessOver = Math.min(back, held.over);
          let rest = back - lessOver;
          for (const part of [...held.lots].reverse()) {
            const less = Math.min(rest, part.amount);
            part.lot.taken -= less;
            rest -= less;
          }
          held.isOpen = false;
          ledger.undoOver(-(held.over - lessOver));
          const took = finish(wallet, own, cost);
          if (took === undefined) throw new Error("What is held must be there");
          same(took.over, held.over - lessOver, where);
          recorded += cost;
          beyond += took.over;
          wallet = took.wallet;
        }
      }
    } else if (choice === 8) {
      const expiresAt = below(2) === 0 ? null : now + HOUR * (1 + below(600));
      const given = { key: `given ${name}`, amount, createdAt: now, expiresAt };
      const until = expiresAt ?? END;
      const own = { key: given.key, isPlan: false, made: now, original: amount };
      ledger.lots.push({ ...own, amount, taken: 0, until });
      wallet = grant(wallet, { ...given, source: "given" });
    } else {
      const lot = ledger.lots.find(({ isPlan, until }) => !isPlan && until > now);
      if (lot !== undefined) {
        // Some is taken back, or all is given back that was: what is used or held stays.
        const wanted = below(3) === 0 ? lot.original : Math.max(0, lot.amount - amount);
        lot.amount = Math.max(wanted, lot.taken);
        // What the balance counted is booked first: a taking back always settles.
        wallet = settle(wallet, allowance, { now, basis: "" });
        wallet = resize(wallet, lot.key, wanted);
      }
    }
    check(wallet, closed, { recorded, beyond }, where);
    same(remainingOf(wallet.balance), ledger.left(now), where);
    same(wallet.balance.over, ledger.overTaken(), where);
  }
  return { refused, taken, closed: closed.length };
}

/** Quicker than `expect`, of which there would be a million. */
function same<T>(actual: T, expected: T, where: string): void {
  if (actual !== expected) throw new Error(`${where}: ${actual} and not ${expected}`);
}

/** What always holds: nothing below zero, and grants, balance and records agree. */
function check(
  wallet: Wallet,
  closed: Wallet["grants"],
  { recorded, beyond }: { recorded: number; beyond: number },
  where: string,
): void {
  const { balance, grants } = wallet;
  same(remainingOf(balance) >= 0, true, where);
  const live = grants.filter((each) => each.live);
  const sum = (numbers: number[]) => numbers.reduce((all, each) => all + each, 0);
  same(balance.granted, sum(live.map(({ amount }) => amount)), where);
  same(balance.held, sum(live.map(({ held }) => held)), where);
  for (const { amount, used, held } of grants) {
    same(used + held <= amount && used >= 0 && held >= 0, true, where);
  }
  const onGrants = sum([...grants, ...closed].map(({ used }) => used));
  same(onGrants + unbooked(wallet) + beyond, recorded, where);
}

describe("a wallet", () => {
  it("has left what a plain ledger has, over 150 random histories", () => {
    let [refused, taken, closed] = [0, 0, 0];
    for (let seed = 1; seed <= 150; seed++) {
      const counts = history(seed);
      refused += counts.refused;
      taken += counts.taken;
      closed += counts.closed;
    }
    expect(refused).toBeGreaterThan(200);
    expect(taken).toBeGreaterThan(200);
    expect(closed).toBeGreaterThan(200);
  });
});
