/**
 * Usage: `consume`, `track`, `reserve`, `finish`, `release`, `grant`, `usageOf`. What is decided is in
 * settle.ts and take.ts; here it is joined with a store. It needs the application's database alone.
 */
import type { AnyCatalogue, Names } from "../plans/catalogue.js";
import { meterOf } from "../plans/usage.js";
import { argsOf, checkTime } from "../runtime/arguments.js";
import { checkEntityId } from "../runtime/commit/seats.js";
import { BillingError } from "../runtime/errors.js";
import type { GateReads } from "../subscriptions/gates.js";
import {
  balancesIn,
  type CheckedUse,
  checkAmount,
  checkBalance,
  checkedUse,
  type GrantArgs,
  hasBalance,
  type ReserveArgs,
  type UseArgs,
} from "./args.js";
import { placeOf, reservationId } from "./reservation.js";
import { type Settled, settledBy } from "./settled.js";
import type { UsageFound, UsageKeys, UsageNext, UsagePlace, UsageStore } from "./store.js";
import { finish, grant, hold, release, splitOf, type Taken, take } from "./take.js";
import { termsOf } from "./terms.js";
import { EMPTY, remainingOf, type UsageRecord, type Wallet } from "./wallet.js";

/** What came of a taking: with what is left of the balance, beyond which units may be sold. */
export type Consumed<T = object> =
  | ({ readonly allowed: true; readonly balance: number } & T)
  | {
      readonly allowed: false;
      readonly balance: number;
      /** `not_included`: no plan of the entity has the feature, and it has no credits. */
      readonly reason: "limit_reached" | "not_included";
    };

/** The same of units that are held, with the id by which they are taken or given back. */
export type Reserved = Consumed<{ readonly reservationId: string }>;

/** What an entity has of a feature. */
export interface UsageBalance {
  /** Units that were given and have not ended, and what of them is taken or held. */
  readonly granted: number;
  readonly used: number;
  readonly held: number;
  /** What can be taken of them. */
  readonly remaining: number;
  /** Taken beyond them since the period began, where the plan sells that. */
  readonly overage: number;
  /** Milliseconds: when what the plan includes is given again; null if it includes nothing. */
  readonly resetsAt: number | null;
}

/** What takes from balances, and gives. It needs the application's database alone. */
export interface UsageWrites<N extends Names = Names> {
  /**
   * Checks and takes in one step: all of the amount, or nothing. The same key counts once. The balance
   * is locked until the transaction ends, so take several features in the order of their names.
   */
  consume(use: UseArgs<N>): Promise<Consumed>;
  /** Records an amount whether or not the balance covers it. The same key counts once. */
  track(use: UseArgs<N>): Promise<{ readonly balance: number }>;
  /** Holds an amount for work whose cost is known later; what is held is given back by itself. */
  reserve(use: ReserveArgs<N>): Promise<Reserved>;
  /**
   * Takes what the work cost of what is held, and gives back the rest. After the reservation has ended
   * it is taken as `consume` does; `limit_reached` if it is no longer there.
   */
  finish(args: {
    readonly reservationId: string;
    readonly amount: number;
  }): Promise<{ readonly balance: number }>;
  /** Gives back what is held. */
  release(args: { readonly reservationId: string }): Promise<void>;
  /** Gives units by hand. The same key gives once. */
  grant(args: GrantArgs<N>): Promise<{ readonly balance: number }>;
}

/** What is read of balances. */
export interface UsageReads<N extends Names = Names> {
  /** What an entity has of each feature with a balance. */
  usageOf(entityId: string): Promise<{ readonly [F in N["balance"]]: UsageBalance }>;
}

export interface UsageOn {
  readonly store: UsageStore;
  readonly catalogue: AnyCatalogue | undefined;
  now(): number;
  /** Something was taken that Stripe may bill. */
  billed?(): Promise<void>;
}

/** How long something is held that says no time. */
const HOUR = 60 * 60 * 1000;

export function usageWrites({ store, catalogue, now, billed }: UsageOn): UsageWrites {
  /** Decides over a settled wallet. */
  const change = async <T>(
    { entityId, feature }: UsagePlace,
    keys: UsageKeys,
    decide: (wallet: Wallet, found: FoundNow, at: number) => Decided<T>,
  ): Promise<T> => {
    checkBalance(catalogue, feature);
    let isBilled = false;
    const result = await store.change({ entityId, feature }, keys, (found) => {
      const at = now();
      const { wallet, allowance } = settledBy(catalogue, feature, found, at);
      const decided = decide(wallet, { ...found, isIncluded: allowance.window !== "" }, at);
      isBilled = decided.next.record?.billed === true;
      return decided;
    });
    if (isBilled) await billed?.();
    return result;
  };
  const taken = async (use: CheckedUse, isLimited: boolean): Promise<Consumed> => {
    const terms = catalogue === undefined ? "" : termsOf(catalogue);
    const balance = await store.quick?.({ ...use, isLimited, now: now(), terms });
    if (balance !== undefined) {
      // What was beyond the balance has left nothing of it.
      const isMetered = meterOf(catalogue?.features[use.feature]) !== undefined;
      if (balance === 0 && isMetered) await billed?.();
      return { allowed: true, balance };
    }
    return change<Consumed>(use, { record: use.key }, (wallet, { record, isIncluded }, at) => {
      if (record !== undefined) return { result: allowed(wallet), next: { wallet } };
      const took = take(wallet, use.amount, isLimited);
      if (took === undefined) return { result: refused(wallet, isIncluded), next: { wallet } };
      return { result: allowed(took.wallet), next: recorded(took, use, at) };
    });
  };
  const left = (wallet: Wallet) => ({ balance: remainingOf(wallet.balance) });

  return {
    consume: async (use) => taken(checkedUse("consume", catalogue, use), true),
    track: async (use) => {
      const { balance } = await taken(checkedUse("track", catalogue, use), false);
      return { balance };
    },
    reserve: async (args) => {
      const { expiresAt, ...use } = argsOf("reserve", args);
      const checked = checkedUse("reserve", catalogue, use);
      const { key, amount } = checked;
      const id = reservationId(checked);
      return change<Reserved>(checked, { record: key, hold: key }, (wallet, found, at) => {
        const known = wallet.holds.some((each) => each.key === key && each.state === "held");
        const answer = { ...allowed(wallet), reservationId: id };
        if (found.record !== undefined || known) return { result: answer, next: { wallet } };
        const held = hold(wallet, { key, amount, expiresAt: endOf(expiresAt, at) });
        if (held === undefined) {
          return { result: refused(wallet, found.isIncluded), next: { wallet } };
        }
        return { result: { ...allowed(held), reservationId: id }, next: { wallet: held } };
      });
    },
    finish: async (args) => {
      const { reservationId: id, amount } = argsOf("finish", args);
      checkAmount(amount, 0);
      const place = placeOf(id);
      const { key } = place;
      return change(place, { record: key, hold: key }, (wallet, { record }, at) => {
        const held = wallet.holds.find((each) => each.key === key);
        if (held === undefined && record === undefined) throw unknownReservation();
        const open = held?.state === "held" ? held : undefined;
        if (record !== undefined || amount === 0) {
          const next = open === undefined ? wallet : release(wallet, open);
          return { result: left(next), next: { wallet: next } };
        }
        const took = open === undefined ? take(wallet, amount, true) : finish(wallet, open, amount);
        if (took === undefined) throw tooLate(open !== undefined);
        return { result: left(took.wallet), next: recorded(took, { key, amount }, at) };
      });
    },
    release: async (args) => {
      const { reservationId: id } = argsOf("release", args);
      const place = placeOf(id);
      await change(place, { hold: place.key }, (wallet) => {
        const held = wallet.holds.find(({ key, state }) => key === place.key && state === "held");
        const next = held === undefined ? wallet : release(wallet, held);
        return { result: undefined, next: { wallet: next } };
      });
    },
    grant: async (args) => {
      const { expiresAt = null, ...use } = argsOf("grant", args);
      const checked = checkedUse("grant", catalogue, use);
      checkTime("expiresAt", expiresAt);
      const key = `given ${checked.key}`;
      return change(checked, { grant: key }, (wallet, found, createdAt) => {
        const given = {
          key,
          source: "given",
          amount: checked.amount,
          createdAt,
          expiresAt,
        } as const;
        const next = found.grant === undefined ? grant(wallet, given) : wallet;
        return { result: left(next), next: { wallet: next } };
      });
    },
  };
}

/** All of it, with the gates, of which those of a balance are open while a unit could be taken. */
export function usageCalls({
  gates,
  ...on
}: UsageOn & { readonly gates: GateReads }): GateReads & UsageReads & UsageWrites {
  const { couldTake, usageOf } = usageReads(on);
  return {
    ...gates,
    can: async (entityId, feature) =>
      typeof feature === "string" && hasBalance(on.catalogue?.features[feature])
        ? couldTake(entityId, feature)
        : gates.can(entityId, feature),
    usageOf,
    ...usageWrites(on),
  };
}

interface FoundNow extends UsageFound {
  /** Whether a plan of the entity has the feature. */
  readonly isIncluded: boolean;
}

interface Decided<T> {
  readonly result: T;
  readonly next: UsageNext;
}

function usageReads({ store, catalogue, now }: UsageOn): UsageReads & {
  /** Whether one unit could be taken. */
  couldTake(entityId: string, feature: string): Promise<boolean>;
} {
  const read = async (entityId: string) => {
    checkEntityId(entityId);
    const { wallets, held } = await store.wallets(entityId);
    return (feature: string) => {
      checkBalance(catalogue, feature);
      const found = { wallet: wallets.get(feature) ?? EMPTY, held, basis: "" };
      return settledBy(catalogue, feature, found, now());
    };
  };
  return {
    async usageOf(entityId) {
      const of = await read(entityId);
      const shown = (feature: string) => [feature, shownOf(of(feature))] as const;
      return Object.fromEntries(balancesIn(catalogue).map(shown));
    },
    async couldTake(entityId, feature) {
      const of = await read(entityId);
      return splitOf(of(feature).wallet.balance, 1, true) !== undefined;
    },
  };
}

export function shownOf({ wallet: { balance }, allowance }: Settled): UsageBalance {
  const { granted, used, held } = balance;
  const remaining = remainingOf(balance);
  const overage = allowance.window === "" ? 0 : balance.over;
  return { granted, used, held, remaining, overage, resetsAt: allowance.resetsAt };
}

const allowed = ({ balance }: Wallet): { readonly allowed: true; readonly balance: number } => ({
  allowed: true,
  balance: remainingOf(balance),
});

const refused = ({ balance }: Wallet, isIncluded: boolean): Consumed<never> => ({
  allowed: false,
  balance: remainingOf(balance),
  reason: !isIncluded && balance.granted === 0 ? "not_included" : "limit_reached",
});

const recorded = (
  { wallet, over, billed }: Taken,
  { key, amount }: Pick<UsageRecord, "key" | "amount">,
  at: number,
): UsageNext => ({ wallet, record: { key, amount, over, billed, at } });

function endOf(expiresAt: number | undefined, now: number): number {
  if (expiresAt === undefined) return now + HOUR;
  if (Number.isSafeInteger(expiresAt) && expiresAt > now) return expiresAt;
  const message = "`expiresAt` must be a time in milliseconds that is still to come.";
  throw new BillingError("invalid_argument", message);
}

const unknownReservation = () =>
  new BillingError(
    "invalid_argument",
    "There is no such reservation. Pass what `reserve` answered.",
  );

const tooLate = (isHeld: boolean) =>
  new BillingError(
    "limit_reached",
    isHeld
      ? "The work cost more than was reserved, and the balance does not cover the rest. Record it by `track` if it is done all the same."
      : "The reservation has ended, and the balance no longer covers its amount. Record it by `track` if the work is done all the same.",
  );
