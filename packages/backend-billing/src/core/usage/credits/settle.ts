/** Sets the credits of a purchase to what is paid for, in a transaction of the store's. */
import type { AnyCatalogue } from "../../plans/catalogue.js";
import type { CreditsOutcome } from "../../runtime/records/credits.js";
import { hasBalance } from "../args.js";
import { settledBy } from "../settled.js";
import type { UsageFound, UsagePlace, UsageStore } from "../store.js";
import { grant, resize } from "../take.js";
import type { Wallet } from "../wallet.js";
import { type Credit, type CreditsFacts, creditsOf } from "./target.js";

/** What one transaction reads and changes. */
export interface CreditsIn {
  /** Undefined where the mirror has no such page. */
  facts(sessionId: string): Promise<CreditsFacts | undefined>;
  readonly usage: Pick<UsageStore, "change">;
  readonly catalogue: AnyCatalogue;
  readonly now: number;
}

export async function settleCredits(on: CreditsIn, sessionId: string): Promise<CreditsOutcome> {
  const { catalogue, usage } = on;
  const found = await creditsNow(on, sessionId);
  if (typeof found === "string") return found;
  const known = found.filter(({ feature }) => hasBalance(catalogue.features[feature]));
  for (const credit of known) {
    await usage.change(placeOf(credit), {}, () => ({ result: undefined })); // locks it
  }
  // Under the locks: of two workers the second one goes by what is newer.
  const credits = known.length === 0 ? [] : await creditsNow(on, sessionId);
  if (typeof credits === "string") return credits;
  const key = `pack ${sessionId}`;
  for (const credit of credits) {
    if (!hasBalance(catalogue.features[credit.feature])) continue;
    await usage.change(placeOf(credit), { grant: key }, (stored) => ({
      result: undefined,
      next: { wallet: credited(on, credit, key, stored) },
    }));
  }
  return known.length < found.length ? "feature" : "done";
}

const placeOf = ({ entityId, feature }: Credit): UsagePlace => ({ entityId, feature });

async function creditsNow({ facts, catalogue }: CreditsIn, sessionId: string) {
  const found = await facts(sessionId);
  return found === undefined ? "foreign" : creditsOf(found, catalogue.app);
}

/** A wallet in which the grant of a purchase is as large as it is to be, or as what is used of it. */
function credited(
  { catalogue, now }: CreditsIn,
  { feature, units, amount }: Credit,
  key: string,
  stored: UsageFound,
): Wallet {
  const { wallet } = settledBy(catalogue, feature, stored, now);
  const sold = { key, source: "pack", amount: units, createdAt: now, expiresAt: null } as const;
  return resize(stored.grant === undefined ? grant(wallet, sold) : wallet, key, amount);
}
