/**
 * What an entity has of one feature with a balance, as it is stored: the sums that a taking goes by,
 * the grants that they add up, and what is held for work under way.
 */

/** The sums of one entity and feature. `used + held` is never more than `granted`. */
export interface Balance {
  /** Units of the grants that count now, and what of them is taken or held. */
  readonly granted: number;
  readonly used: number;
  readonly held: number;
  /** Units taken beyond what was granted, in the window; and those held beyond. */
  readonly over: number;
  readonly heldOver: number;
  /** The most units beyond what is granted: 0 where they are not sold. */
  readonly most: number;
  /** Whether Stripe bills what is taken beyond. */
  readonly billed: boolean;
  /** Names the periods for which `over` is counted; it begins at 0 where another one takes its place. */
  readonly window: string;
  /** Milliseconds: from then on the sums may be others. */
  readonly validUntil: number;
  /** Stands for the catalogue and the subscriptions that the sums were made from; another one means others. */
  readonly basis: string;
}

/** Where a grant comes from. */
export type GrantSource = "plan" | "pack" | "given";

/** Units that were given, until when, and what became of them. */
export interface Grant {
  /** Unique for the entity and feature: the same grant is given once. */
  readonly key: string;
  readonly source: GrantSource;
  /** As it was given; `amount` is less where a refund took some of it back. */
  readonly original: number;
  readonly amount: number;
  /** What is taken of it, except for what the balance has counted since it was last settled. */
  readonly used: number;
  readonly held: number;
  /** Milliseconds. */
  readonly createdAt: number;
  /** Milliseconds, or null if it does not end. */
  readonly expiresAt: number | null;
  /** Whether the balance counts it. */
  readonly live: boolean;
  /** Whether it has ended for good, with nothing held. */
  readonly closed: boolean;
}

/** Units that are held for work whose cost is known later. */
export interface Hold {
  /** Unique for the entity and feature, and the key of what is recorded when it is finished. */
  readonly key: string;
  readonly amount: number;
  /** Which grants it holds. */
  readonly parts: readonly { readonly grant: string; readonly amount: number }[];
  /** What it holds beyond them. */
  readonly over: number;
  readonly state: "held" | "finished" | "released";
  /** Milliseconds: from then on it holds nothing. */
  readonly expiresAt: number;
}

/** A billed fact: counted once for its key. */
export interface UsageRecord {
  readonly key: string;
  readonly amount: number;
  /** What of it was beyond the grants. */
  readonly over: number;
  /** Whether Stripe bills that. */
  readonly billed: boolean;
  /** Milliseconds. */
  readonly at: number;
}

/** All of one entity and feature that may still change. */
export interface Wallet {
  readonly balance: Balance;
  /** Those that are not closed. */
  readonly grants: readonly Grant[];
  /** Those that are not ended, and any that was asked for. */
  readonly holds: readonly Hold[];
}

/** An entity and feature of which nothing is stored. */
export const EMPTY: Wallet = {
  balance: {
    granted: 0,
    used: 0,
    held: 0,
    over: 0,
    heldOver: 0,
    most: 0,
    billed: false,
    window: "",
    validUntil: 0,
    basis: "",
  },
  grants: [],
  holds: [],
};

/** What can be taken of the grants. */
export const remainingOf = ({ granted, used, held }: Balance): number => granted - used - held;

/** Grants or holds that are new or other objects: what did not change is passed on as it was. */
export const changed = <T>(before: readonly T[], after: readonly T[]): readonly T[] =>
  after.filter((each) => !before.includes(each));
