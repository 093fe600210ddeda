/**
 * Reads a wallet, has something decided, and writes that: in one mutation, which Convex runs again
 * where another one has changed what it read.
 */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { oneAtATime } from "../../core/runtime/one-at-a-time.js";
import type { UsageKeys, UsageNext, UsagePlace, UsageStore } from "../../core/usage/store.js";
import { type Balance, changed, type Wallet } from "../../core/usage/wallet.js";
import type { Db, OwnDocument } from "../tables/database.js";
import {
  balanceFrom,
  balancesOf,
  bare,
  checkOpened,
  heldHolds,
  openGrants,
  wholeIn,
} from "./wallets.js";

const BALANCES = "backend_billing_usage_balances";
const GRANTS = "backend_billing_usage_grants";
const HOLDS = "backend_billing_usage_holds";
const RECORDS = "backend_billing_usage_records";

/** The documents of a wallet: the grants that are not closed, and holds as a wallet has them. */
interface Stored {
  readonly balance: OwnDocument<typeof BALANCES> | undefined;
  readonly grants: readonly OwnDocument<typeof GRANTS>[];
  readonly holds: readonly OwnDocument<typeof HOLDS>[];
}

export const changeIn =
  (db: Db, chosen: readonly ResourceName[]): UsageStore["change"] =>
  (place, keys, decide) =>
    oneAtATime(db, async () => {
      const [stored, grant, record, held] = await Promise.all([
        storedIn(db, place, keys),
        keyed(db, GRANTS, place, keys.grant),
        keyed(db, RECORDS, place, keys.record),
        wholeIn(db, chosen, place.entityId),
      ]);
      const wallet: Wallet = {
        balance: balanceFrom(stored.balance && bare(stored.balance)),
        grants: stored.grants.map(bare),
        holds: stored.holds.map(bare),
      };
      const { result, next } = decide({
        wallet,
        record: record === null ? undefined : bare(record),
        grant: grant === null ? undefined : bare(grant),
        held,
        basis: "",
      });
      if (next !== undefined) await write(db, place, stored, wallet, next);
      return result;
    });

async function storedIn(
  db: Db,
  place: UsagePlace,
  { hold: key }: Pick<UsageKeys, "hold">,
): Promise<Stored> {
  const { entityId, feature } = place;
  const [[balance], grants, held, hold] = await Promise.all([
    balancesOf(db, entityId, feature),
    openGrants(db, entityId, feature),
    heldHolds(db, entityId, feature),
    keyed(db, HOLDS, place, key),
  ]);
  return {
    balance,
    grants,
    holds: hold === null || hold.state === "held" ? held : [...held, hold],
  };
}

/** The one document that has a key: it is looked for before one is inserted, so there is no second. */
async function keyed<T extends typeof GRANTS | typeof HOLDS | typeof RECORDS>(
  db: Db,
  table: T,
  { entityId, feature }: UsagePlace,
  key: string | undefined,
): Promise<OwnDocument<T> | null> {
  if (key === undefined) return null;
  return db
    .query(table as typeof RECORDS)
    .withIndex("byKey", (range) =>
      range.eq("entityId", entityId).eq("feature", feature).eq("key", key),
    )
    .first() as Promise<OwnDocument<T> | null>;
}

async function write(
  db: Db,
  place: UsagePlace,
  stored: Stored,
  before: Wallet,
  { wallet, record }: UsageNext,
): Promise<void> {
  checkOpened(before, wallet);
  const { basis, ...sums } = wallet.balance;
  if (stored.balance === undefined) await db.insert(BALANCES, { ...place, ...sums });
  else if (isOther(before.balance, sums)) await db.patch(stored.balance._id, sums);
  for (const grant of changed(before.grants, wallet.grants)) {
    const open = stored.grants.find(({ key }) => key === grant.key);
    const known = open ?? (await keyed(db, GRANTS, place, grant.key));
    if (known === null) await db.insert(GRANTS, { ...place, ...grant });
    else await db.patch(known._id, grant);
  }
  for (const { parts, ...rest } of changed(before.holds, wallet.holds)) {
    const hold = { ...rest, parts: [...parts] };
    const known = stored.holds.find(({ key }) => key === hold.key);
    if (known === undefined) await db.insert(HOLDS, { ...place, ...hold });
    else await db.patch(known._id, hold);
  }
  if (record !== undefined) await db.insert(RECORDS, { ...place, ...record, batch: null });
}

const isOther = (before: Balance, sums: Omit<Balance, "basis">): boolean =>
  Object.entries(sums).some(([name, value]) => before[name as keyof Balance] !== value);
