/** What is stored of usage, by indexed reads in the caller's transaction. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import type { HeldWhole } from "../../core/usage/allowance.js";
import type { UsageStore } from "../../core/usage/store.js";
import { type Balance, EMPTY, type Wallet } from "../../core/usage/wallet.js";
import { heldIn } from "../reads/held.js";
import type { Db } from "../tables/database.js";

/** The most open grants, or reservations, that are read: a part of them would make wrong sums. */
const MOST = 4_000;

/** What says of whom and of what a document is. */
interface Placed {
  readonly _id: unknown;
  readonly _creationTime: number;
  readonly entityId: string;
  readonly feature: string;
}

/** A document without its place. */
export function bare<T extends Placed>(document: T): Omit<T, keyof Placed> {
  const { _id, _creationTime, entityId, feature, ...rest } = document;
  return rest;
}

/** The balances of an entity, or that of a feature. */
export const balancesOf = (db: Db, entityId: string, feature?: string) =>
  all(
    db.query("backend_billing_usage_balances").withIndex("byFeature", (range) => {
      const own = range.eq("entityId", entityId);
      return feature === undefined ? own : own.eq("feature", feature);
    }),
  );

/** The grants that are not closed. */
export const openGrants = (db: Db, entityId: string, feature?: string) =>
  all(
    db.query("backend_billing_usage_grants").withIndex("byClosed", (range) => {
      const open = range.eq("entityId", entityId).eq("closed", false);
      return feature === undefined ? open : open.eq("feature", feature);
    }),
  );

/** The reservations that are not over. */
export const heldHolds = (db: Db, entityId: string, feature?: string) =>
  all(
    db.query("backend_billing_usage_holds").withIndex("byState", (range) => {
      const held = range.eq("entityId", entityId).eq("state", "held");
      return feature === undefined ? held : held.eq("feature", feature);
    }),
  );

async function all<T>(found: { take(limit: number): Promise<T[]> }): Promise<T[]> {
  const documents = await found.take(MOST + 1);
  if (documents.length <= MOST) return documents;
  throw new Error(`An entity has more than ${MOST} open grants or reservations.`);
}

/** Sums as they are stored. Nothing stands for subscriptions: all is decided anew in each call. */
export const balanceFrom = (stored: Omit<Balance, "basis"> | undefined): Balance =>
  stored === undefined ? EMPTY.balance : { ...stored, basis: "" };

/** The subscriptions with their contents. */
export const wholeIn = async (
  db: Db,
  chosen: readonly ResourceName[],
  entityId: string,
): Promise<readonly HeldWhole[]> =>
  (await heldIn(db, chosen, entityId, { whole: true })) as readonly HeldWhole[];

export const walletsIn =
  (db: Db, chosen: readonly ResourceName[]): UsageStore["wallets"] =>
  async (entityId) => {
    const [balances, grants, holds, held] = await Promise.all([
      balancesOf(db, entityId),
      openGrants(db, entityId),
      heldHolds(db, entityId),
      wholeIn(db, chosen, entityId),
    ]);
    const wallets = balances.map((balance): [string, Wallet] => {
      const own = <T extends Placed>(documents: readonly T[]) =>
        documents.filter(({ feature }) => feature === balance.feature).map(bare);
      const wallet = {
        balance: balanceFrom(bare(balance)),
        grants: own(grants),
        holds: own(holds),
      };
      return [balance.feature, wallet];
    });
    return { wallets: new Map(wallets), held };
  };
