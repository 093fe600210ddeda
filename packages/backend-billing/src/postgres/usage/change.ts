/** Reads a wallet under the lock of its balance, has something decided, and stores it: three statements. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import type { HeldWhole } from "../../core/usage/allowance.js";
import type { UsageFound, UsageKeys, UsageNext, UsagePlace } from "../../core/usage/store.js";
import {
  type Balance,
  changed,
  type Grant,
  type Hold,
  type UsageRecord,
  type Wallet,
} from "../../core/usage/wallet.js";
import { heldFrom, type RawHeld, selectWhole } from "../store/held.js";
import type { Names } from "../store/names.js";
import { basisIn } from "./basis.js";
import { GRANT_COLUMNS, HOLD_COLUMNS, lockBalance, writeWallet } from "./write/wallet.js";

/** Runs a statement and answers its rows. */
export type Select = <T>(text: string, values: readonly unknown[]) => Promise<T[]>;

/** A row of balances; numbers come as text from some drivers. */
export interface RawBalance {
  readonly granted: string;
  readonly used: string;
  readonly held: string;
  readonly over_used: string;
  readonly over_held: string;
  readonly over_most: string;
  readonly over_for: string;
  readonly billed: boolean;
  readonly valid_until: string;
  readonly basis: string;
}

interface RawGrant extends Omit<Grant, "createdAt" | "expiresAt"> {
  readonly created_at: number;
  readonly expires_at: number | null;
}

interface RawHold extends Omit<Hold, "expiresAt"> {
  readonly expires_at: number;
}

/** What is read beside the balance; JSON, so that numbers are numbers whatever the driver. */
export interface RawFound {
  readonly basis: string;
  readonly grants: readonly RawGrant[] | null;
  readonly holds: readonly RawHold[] | null;
  readonly record: UsageRecord | null;
  readonly held: readonly RawHeld[] | null;
}

export function changeOn(select: Select, names: Names, chosen: readonly ResourceName[]) {
  const lock = lockBalance(names.usage);
  const read = selectFound(names, chosen);
  const write = writeWallet(names.usage);
  return async <T>(
    { entityId, feature }: UsagePlace,
    keys: UsageKeys,
    decide: (found: UsageFound) => { readonly result: T; readonly next?: UsageNext | undefined },
  ): Promise<T> => {
    const place = [entityId, feature];
    const [balance] = await select<RawBalance>(lock, place);
    const looked = [keys.record ?? "", keys.grant ?? "", keys.hold ?? ""];
    const [found] = await select<RawFound>(read, [...place, ...looked]);
    if (balance === undefined || found === undefined) throw new Error("A row was not answered");
    const before = walletFrom(balance, found);
    const { result, next } = decide({
      wallet: before,
      record: found.record ?? undefined,
      grant: found.grants?.filter(({ key }) => key === keys.grant).map(grantFrom)[0],
      held: wholeFrom(found.held),
      basis: found.basis,
    });
    if (next !== undefined && isOther(before, next)) {
      await select(write, [...place, ...changes(before, next)]);
    }
    return result;
  };
}

export const wholeFrom = (held: readonly RawHeld[] | null): readonly HeldWhole[] =>
  heldFrom(held ?? []) as readonly HeldWhole[];

export const walletFrom = (
  balance: RawBalance,
  { grants, holds }: Pick<RawFound, "grants" | "holds">,
): Wallet => ({
  balance: balanceFrom(balance),
  grants: (grants ?? []).filter(({ closed }) => !closed).map(grantFrom),
  holds: (holds ?? []).map(holdFrom),
});

const balanceFrom = (raw: RawBalance): Balance => ({
  granted: Number(raw.granted),
  used: Number(raw.used),
  held: Number(raw.held),
  over: Number(raw.over_used),
  heldOver: Number(raw.over_held),
  most: Number(raw.over_most),
  billed: raw.billed,
  window: raw.over_for,
  validUntil: Number(raw.valid_until),
  basis: raw.basis,
});

const grantFrom = ({ created_at: createdAt, expires_at: expiresAt, ...rest }: RawGrant) => ({
  ...rest,
  createdAt,
  expiresAt,
});

const holdFrom = ({ expires_at: expiresAt, ...rest }: RawHold): Hold => ({ ...rest, expiresAt });

const selectFound = (names: Names, chosen: readonly ResourceName[]): string => {
  const { grants, holds, records } = names.usage;
  return `SELECT (${basisIn(names)}) AS basis,
    (SELECT json_agg(g) FROM (SELECT ${GRANT_COLUMNS} FROM ${grants}
      WHERE entity_id = $1 AND feature = $2 AND (NOT closed OR key = $4)) AS g) AS grants,
    (SELECT json_agg(h) FROM (SELECT ${HOLD_COLUMNS} FROM ${holds}
      WHERE entity_id = $1 AND feature = $2 AND (state = 'held' OR key = $5)) AS h) AS holds,
    (SELECT row_to_json(r) FROM (SELECT key, amount, over, billed, at FROM ${records}
      WHERE entity_id = $1 AND feature = $2 AND key = $3) AS r) AS record,
    (SELECT json_agg(s) FROM (${selectWhole(names, chosen)}) AS s) AS held`;
};

function isOther(before: Wallet, { wallet, record }: UsageNext): boolean {
  return (
    record !== undefined ||
    changed(before.grants, wallet.grants).length > 0 ||
    changed(before.holds, wallet.holds).length > 0 ||
    JSON.stringify(before.balance) !== JSON.stringify(wallet.balance)
  );
}

function changes(before: Wallet, { wallet, record }: UsageNext): string[] {
  const rawGrant = ({ createdAt, expiresAt, ...rest }: Grant) => ({
    ...rest,
    created_at: createdAt,
    expires_at: expiresAt,
  });
  const rawHold = ({ expiresAt, ...rest }: Hold) => ({ ...rest, expires_at: expiresAt });
  return [
    wallet.balance,
    changed(before.grants, wallet.grants).map(rawGrant),
    changed(before.holds, wallet.holds).map(rawHold),
    record === undefined ? [] : [record],
  ].map((each) => JSON.stringify(each));
}
