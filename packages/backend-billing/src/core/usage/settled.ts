/** A wallet as it is now: settled by what the entity's plans give at a moment. Pure, but for one read. */
import type { AnyCatalogue } from "../plans/catalogue.js";
import { type Allowance, allowanceOf, type HeldWhole } from "./allowance.js";
import { balancesIn } from "./args.js";
import { settle } from "./settle.js";
import type { UsageStore } from "./store.js";
import { termsOf } from "./terms.js";
import { EMPTY, type Wallet } from "./wallet.js";

export interface Settled {
  readonly wallet: Wallet;
  readonly allowance: Allowance;
}

export function settledBy(
  catalogue: AnyCatalogue,
  feature: string,
  { wallet, held, basis }: { wallet: Wallet; held: readonly HeldWhole[]; basis: string },
  now: number,
): Settled {
  const allowance = allowanceOf(catalogue, feature, held, now);
  const whole = { now, basis: `${termsOf(catalogue)} ${basis}` };
  return { allowance, wallet: settle(wallet, allowance, whole) };
}

/** All of an entity's, by features with a balance; nothing is written. */
export async function settledWallets(
  store: Pick<UsageStore, "wallets">,
  catalogue: AnyCatalogue,
  entityId: string,
  now: number,
): Promise<ReadonlyMap<string, Settled>> {
  const { wallets, held } = await store.wallets(entityId);
  return new Map(
    balancesIn(catalogue).map((feature) => {
      const found = { wallet: wallets.get(feature) ?? EMPTY, held, basis: "" };
      return [feature, settledBy(catalogue, feature, found, now)];
    }),
  );
}
