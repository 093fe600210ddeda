/** Sets the credits of a purchase in the mutation that reads what is paid for. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import type { AnyCatalogue } from "../../core/plans/catalogue.js";
import type { CreditsOutcome } from "../../core/runtime/records/credits.js";
import type { SessionLines } from "../../core/runtime/records/records.js";
import { settleCredits } from "../../core/usage/credits/settle.js";
import type { CreditsFacts } from "../../core/usage/credits/target.js";
import { decode } from "../calls/encode.js";
import { contentsOf } from "../reads/newest.js";
import { recordAt } from "../store/records.js";
import { type Db, latestBy, mirrorOf, rowOf } from "../tables/database.js";
import { changeIn } from "./change.js";

/** The most charges and disputes of one payment that are read. */
const OF_PAYMENT = 50;

export const creditIn = (
  db: Db,
  chosen: readonly ResourceName[],
  catalogue: AnyCatalogue | undefined,
  { sessionId, now }: { readonly sessionId: string; readonly now: number },
): Promise<CreditsOutcome> | "feature" =>
  catalogue === undefined
    ? "feature"
    : settleCredits(
        {
          facts: (id) => factsIn(db, chosen, id),
          usage: { change: changeIn(db, chosen) },
          catalogue,
          now,
        },
        sessionId,
      );

async function factsIn(
  db: Db,
  chosen: readonly ResourceName[],
  sessionId: string,
): Promise<CreditsFacts | undefined> {
  const mirror = mirrorOf(db);
  const found = chosen.includes("checkout_sessions")
    ? await rowOf(mirror, "checkout_sessions", sessionId)
    : null;
  if (found === null) return undefined;
  const session = decode(found.stripe) as CreditsFacts["session"] & {
    readonly payment_intent: string | null;
  };
  const { payment_intent: intent } = session;
  const paidBy = async (resource: "charges" | "disputes") =>
    intent && chosen.includes(resource)
      ? latestBy(mirror, resource, "byPaymentIntentId", intent, OF_PAYMENT)
      : [];
  const [charges, disputes, record] = await Promise.all([
    paidBy("charges"),
    paidBy("disputes"),
    recordAt(db, "purchase", sessionId),
  ]);
  const bought = record?.data as SessionLines | undefined;
  return {
    session,
    charges: contentsOf<CreditsFacts["charges"][number]>(charges),
    disputes: contentsOf<CreditsFacts["disputes"][number]>(disputes),
    lines: bought?.final ? bought.lines : null,
  };
}
