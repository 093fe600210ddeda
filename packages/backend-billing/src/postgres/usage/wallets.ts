/** Reads all wallets of an entity, with the subscriptions that they go by: one statement. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import type { UsageStore } from "../../core/usage/store.js";
import { type RawHeld, selectWhole } from "../store/held.js";
import type { Names } from "../store/names.js";
import { type RawBalance, type RawFound, type Select, walletFrom, wholeFrom } from "./change.js";
import { GRANT_COLUMNS, HOLD_COLUMNS } from "./write/wallet.js";

/** Lists whose members say their feature. */
interface RawWallets {
  readonly balances: readonly (RawBalance & { readonly feature: string })[] | null;
  readonly grants: readonly (NonNullable<RawFound["grants"]>[number] & Featured)[] | null;
  readonly holds: readonly (NonNullable<RawFound["holds"]>[number] & Featured)[] | null;
  readonly held: readonly RawHeld[] | null;
}

interface Featured {
  readonly feature: string;
}

export function walletsOn(
  select: Select,
  names: Names,
  chosen: readonly ResourceName[],
): Pick<UsageStore, "wallets"> {
  const text = selectWallets(names, chosen);
  return {
    wallets: async (entityId) => {
      const [found] = await select<RawWallets>(text, [entityId]);
      const { balances, grants, holds, held } = found ?? NOTHING;
      const wallets = (balances ?? []).map(({ feature, ...balance }) => {
        const of = <T extends Featured>(all: readonly T[] | null) =>
          (all ?? [])
            .filter((each) => each.feature === feature)
            .map(({ feature: _, ...rest }) => rest);
        return [feature, walletFrom(balance, { grants: of(grants), holds: of(holds) })] as const;
      });
      return { wallets: new Map(wallets), held: wholeFrom(held) };
    },
  };
}

const NOTHING: RawWallets = { balances: null, grants: null, holds: null, held: null };

const selectWallets = (names: Names, chosen: readonly ResourceName[]): string => {
  const { balances, grants, holds } = names.usage;
  return `SELECT
    (SELECT json_agg(b) FROM ${balances} AS b WHERE entity_id = $1) AS balances,
    (SELECT json_agg(g) FROM (SELECT feature, ${GRANT_COLUMNS} FROM ${grants}
      WHERE entity_id = $1 AND NOT closed) AS g) AS grants,
    (SELECT json_agg(h) FROM (SELECT feature, ${HOLD_COLUMNS} FROM ${holds}
      WHERE entity_id = $1 AND state = 'held') AS h) AS holds,
    (SELECT json_agg(s) FROM (${selectWhole(names, chosen)}) AS s) AS held`;
};
