/**
 * Gives what a subscription included until it changed: a lesser plan, or a payment that is late, takes
 * nothing of the running period, whether or not something of it was taken before.
 */
import type { AnyCatalogue } from "../../plans/catalogue.js";
import type { FormerShare } from "../../runtime/records/shares.js";
import { allowanceOf, type HeldWhole, type Share } from "../allowance.js";
import { balancesIn } from "../args.js";
import { withShares } from "../settle.js";
import { settledBy } from "../settled.js";
import type { UsageStore } from "../store.js";

/** Feature by feature, each in a transaction or all in one; it may end after any of them and begin anew. */
export async function settleShares(
  { change }: Pick<UsageStore, "change">,
  catalogue: AnyCatalogue,
  former: FormerShare,
  now: number,
): Promise<void> {
  for (const feature of [...balancesIn(catalogue)].sort()) {
    const shares = sharesBefore(catalogue, feature, former, now);
    if (shares.length === 0) continue;
    await change({ entityId: former.entityId, feature }, {}, (found) => {
      const wallet = withShares(found.wallet, shares, now);
      const next = settledBy(catalogue, feature, { ...found, wallet }, now);
      return { result: undefined, next };
    });
  }
}

/** What it included of periods that are not over; of the subscription alone, not of default plans. */
export function sharesBefore(
  catalogue: AnyCatalogue,
  feature: string,
  { before, at }: FormerShare,
  now: number,
): readonly Share[] {
  const whole = before as HeldWhole["whole"];
  const { id, status, created } = whole;
  const held = { id, status, created, products: [], isLapsed: false, whole };
  return allowanceOf(catalogue, feature, [held], at).shares.filter(
    ({ key, amount, period }) => key.startsWith(`${id} `) && amount > 0 && period.until > now,
  );
}
