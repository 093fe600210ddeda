/** What is known of one-time purchases, by indexed reads in the caller's transaction. */
import { defaultResources, type ResourceName } from "../../core/catalogue/catalogue.js";
import type { Purchased, PurchaseFacts } from "../../core/mirror/store.js";
import { decode } from "../calls/encode.js";
import { recordAt } from "../store/records.js";
import { type Db, latestBy, type MirrorDocument, mirrorOf, rowOf } from "../tables/database.js";
import { contentsOf, newestFirst, OWNED_READ } from "./newest.js";
import { storedCustomer } from "./reads.js";

/** The most charges of one payment that are read: each attempt is one. */
const CHARGES = 50;

type Session = PurchaseFacts["session"];

/** The checkout pages for one payment, newest first. Of resources that are not mirrored there is nothing. */
export async function purchasedIn(
  db: Db,
  by: Purchased,
  chosen: readonly ResourceName[] = defaultResources,
): Promise<readonly PurchaseFacts[]> {
  const mirror = mirrorOf(db);
  const found = (await sessionsBy(db, by)).filter(
    ({ stripe }) => (stripe as Session | null)?.mode === "payment",
  );
  const limit = "limit" in by ? by.limit : OWNED_READ;
  const facts = await Promise.all(
    newestFirst(found)
      .slice(0, limit)
      .map(async ({ customerId, stripe }) => {
        const session = decode(stripe) as Session;
        const { id, payment_intent: intent } = session;
        const entityId =
          "entityId" in by
            ? by.entityId
            : "owner" in by
              ? by.owner
              : (await rowOf(mirror, "customers", String(customerId)))?.entityId;
        if (typeof entityId !== "string") return [];
        const [paid, charges, record] = await Promise.all([
          intent && chosen.includes("payment_intents")
            ? rowOf(mirror, "payment_intents", intent)
            : null,
          intent && chosen.includes("charges")
            ? latestBy(mirror, "charges", "byPaymentIntentId", intent, CHARGES)
            : [],
          recordAt(db, "purchase", id),
        ]);
        return [
          {
            entityId,
            session,
            intent: paid === null ? null : (decode(paid.stripe) as PurchaseFacts["intent"]),
            charges: contentsOf<PurchaseFacts["charges"][number]>(charges),
            data: record?.data ?? null,
          },
        ];
      }),
  );
  return facts.flat();
}

async function sessionsBy(db: Db, by: Purchased): Promise<readonly MirrorDocument[]> {
  const mirror = mirrorOf(db);
  if ("sessionId" in by) {
    const found = await rowOf(mirror, "checkout_sessions", by.sessionId);
    return found === null ? [] : [found];
  }
  const of = (index: string, value: unknown) =>
    latestBy(mirror, "checkout_sessions", index, value, OWNED_READ);
  if ("referenceId" in by) return of("byClientReferenceId", by.referenceId);
  if ("customerId" in by) return of("byCustomerId", by.customerId);
  const customer = await storedCustomer(mirror, by.entityId);
  return customer === null ? [] : of("byCustomerId", customer.customerId);
}
