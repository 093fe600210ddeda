/** How many units of a purchase its buyer has by what was paid, refunded and lost. Pure. */
import type { StripeObject } from "../../catalogue/catalogue.js";
import { isPaidPage } from "../../mirror/credits.js";
import type { PurchaseLine } from "../../runtime/records/records.js";
import { soldBy } from "./mark.js";

type Charge = Pick<
  StripeObject<"charges">,
  "id" | "status" | "amount" | "amount_refunded" | "currency"
>;
type Dispute = Pick<StripeObject<"disputes">, "charge" | "status" | "amount" | "currency">;

/** What the mirror knows of a page, as of one moment. */
export interface CreditsFacts {
  readonly session: Pick<
    StripeObject<"checkout_sessions">,
    "mode" | "status" | "payment_status" | "metadata"
  >;
  /** Those of its payment. */
  readonly charges: readonly Charge[];
  readonly disputes: readonly Dispute[];
  /** What was bought, once that stays as it is. */
  readonly lines: readonly PurchaseLine[] | null;
}

/** What an entity has of a feature by a purchase. */
export interface Credit {
  readonly entityId: string;
  readonly feature: string;
  /** As it was sold. */
  readonly units: number;
  /** What is left of that after refunds and lost disputes. */
  readonly amount: number;
}

/** By the names of their features, which is the order in which balances are locked. */
export function creditsOf(
  { session, charges, disputes, lines }: CreditsFacts,
  app: string | null,
): readonly Credit[] | "lines" | "foreign" {
  const sold = soldBy(session.metadata);
  if (sold === undefined || sold.app !== app) return "foreign";
  if (!isPaidPage(session)) return [];
  if (lines === null) return "lines";
  const bought = new Map<string, number>();
  for (const { priceId, quantity } of lines) {
    for (const [feature, units] of Object.entries(sold.prices[priceId] ?? {})) {
      bought.set(feature, (bought.get(feature) ?? 0) + units * quantity);
    }
  }
  const back = takenBack(charges, disputes);
  return [...bought]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([feature, all]) => {
      const units = Math.min(all, Number.MAX_SAFE_INTEGER);
      return { entityId: sold.entityId, feature, units, amount: units - share(units, back) };
    });
}

/** What of a payment went back, in smallest units. */
interface Back {
  readonly paid: number;
  readonly back: number;
}

/** The money is with the bank; an appeal comes after a loss. */
const LOST: ReadonlySet<string> = new Set(["lost", "appeal_needs_response", "appeal_under_review"]);

function takenBack(charges: readonly Charge[], disputes: readonly Dispute[]): Back {
  let [paid, back] = [0, 0];
  for (const { id, status, amount, amount_refunded: refunded, currency } of charges) {
    if (status !== "succeeded") continue;
    const lost = disputes
      .filter((each) => each.charge === id && LOST.has(each.status))
      .map((each) => (each.currency === currency ? each.amount : amount));
    paid += amount;
    back += Math.min(
      amount,
      lost.reduce((sum, each) => sum + each, refunded),
    );
  }
  return { paid, back };
}

/** `⌈units × back ÷ paid⌉`, exactly: the product may be more than a number can hold. */
function share(units: number, { paid, back }: Back): number {
  if (paid === 0) return 0;
  const [all, of] = [BigInt(units) * BigInt(back), BigInt(paid)];
  return Number((all + of - 1n) / of);
}
