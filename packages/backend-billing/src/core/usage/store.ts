/** What usage needs of a database. Each call is one transaction, or a part of the application's. */
import type { HeldWhole } from "./allowance.js";
import type { Grant, UsageRecord, Wallet } from "./wallet.js";

export interface UsagePlace {
  readonly entityId: string;
  readonly feature: string;
}

/** What is looked up beside a wallet. */
export interface UsageKeys {
  /** Of a record. */
  readonly record?: string;
  /** Of a grant, which may have ended long ago. */
  readonly grant?: string;
  /** Of a hold, which may have ended. */
  readonly hold?: string;
}

export interface UsageFound {
  readonly wallet: Wallet;
  /** The record that was asked for. */
  readonly record: UsageRecord | undefined;
  /** The grant that was asked for. */
  readonly grant: Grant | undefined;
  readonly held: readonly HeldWhole[];
  /**
   * Stands for the subscriptions: another text if one of them may be another. It is read before them,
   * or together with them.
   */
  readonly basis: string;
}

/** What is to be stored; without it nothing is. */
export interface UsageNext {
  readonly wallet: Wallet;
  readonly record?: UsageRecord;
}

export interface QuickUse extends UsagePlace {
  readonly key: string;
  readonly amount: number;
  readonly isLimited: boolean;
  readonly now: number;
  /** Stands for the catalogue, before what stands for the subscriptions. */
  readonly terms: string;
}

export interface UsageStore {
  /**
   * Takes an amount in one step, if the stored sums are valid and allow it; answers what is left of the
   * balance then, also where the key was counted before. Undefined means that nothing was done, and
   * that the sums have to be looked at. Left out by a store for which that is no quicker.
   */
  quick?(use: QuickUse): Promise<number | undefined>;
  /**
   * Reads a wallet, has something decided, and stores that. Others that change the same wallet wait, or
   * have it decided anew.
   */
  change<T>(
    place: UsagePlace,
    keys: UsageKeys,
    decide: (found: UsageFound) => { readonly result: T; readonly next?: UsageNext | undefined },
  ): Promise<T>;
  /** The wallets of an entity by their features; of a feature that is not there nothing is stored. */
  wallets(
    entityId: string,
  ): Promise<Pick<UsageFound, "held"> & { readonly wallets: ReadonlyMap<string, Wallet> }>;
}
