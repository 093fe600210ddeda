/** What is stored of usage, by indexed reads in the caller's transaction. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { BillingError } from "../../core/runtime/errors.js";
import type { HeldWhole } from "../../core/usage/allowance.js";
import type { UsageStore } from "../../core/usage/store.js";
import { type Balance, EMPTY, type Wallet } from "../../core/usage/wallet.js";
import { heldIn } from "../reads/held.js";
import type { Db } from "../tables/database.js";

/** The most open reservations of a balance, or open grants by hand: a call that would make more is refused. */
const MOST = 4_000;
/** What is read: a part would make wrong sums. What plans and packs give beside them is not refused. */
const READ = MOST + 500;

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
export const openGrants = (db: Db, entityId: string, feature: string) =>
  all(
    db
      .query("backend_billing_usage_grants")
      .withIndex("byClosed", (range) =>
        range.eq("entityId", entityId).eq("closed", false).eq("feature", feature),
      ),
  );

/** The reservations that are not over. */
export const heldHolds = (db: Db, entityId: string, feature: string) =>
  all(
    db
      .query("backend_billing_usage_holds")
      .withIndex("byState", (range) =>
        range.eq("entityId", entityId).eq("state", "held").eq("feature", feature),
      ),
  );

async function all<T>(found: { take(limit: number): Promise<T[]> }): Promise<T[]> {
  const documents = await found.take(READ + 1);
  if (documents.length <= READ) return documents;
  throw new Error(`An entity has more than ${READ} open grants or reservations.`);
}

const held = ({ holds }: Wallet): number => holds.filter(({ state }) => state === "held").length;
const given = ({ grants }: Wallet): number =>
  grants.filter(({ source, closed }) => source === "given" && !closed).length;

/** Refuses what would open more than can be read again, so that what there is can still be taken. */
export function checkOpened(before: Wallet, next: Wallet): void {
  const opened = [
    ["reservations", held],
    ["grants", given],
  ] as const;
  for (const [what, count] of opened) {
    if (count(next) <= Math.max(MOST, count(before))) continue;
    throw new BillingError(
      "limit_reached",
      `A balance has at most ${MOST} open ${what} on Convex. Finish or release reservations, let them end sooner, and give more by fewer grants.`,
    );
  }
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
    const [balances, held] = await Promise.all([
      balancesOf(db, entityId),
      wholeIn(db, chosen, entityId),
    ]);
    const wallets = await Promise.all(
      balances.map(async (balance): Promise<[string, Wallet]> => {
        const { feature } = balance;
        const [grants, holds] = await Promise.all([
          openGrants(db, entityId, feature),
          heldHolds(db, entityId, feature),
        ]);
        const open = { grants: grants.map(bare), holds: holds.map(bare) };
        return [feature, { balance: balanceFrom(bare(balance)), ...open }];
      }),
    );
    return { wallets: new Map(wallets), held };
  };
