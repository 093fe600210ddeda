/** What belongs to an entity's customer, newest first by Stripe's time. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { checkLimit } from "../../core/subscriptions/reads.js";
import { decode } from "../calls/encode.js";
import { type Db, latestBy, type MirrorDocument, mirrorOf } from "../tables/database.js";
import type { Documents } from "../tables/tables.js";
import { decoded, storedCustomer } from "./reads.js";

/** Documents that are read to find those that were asked for, the newest by Stripe's time. */
export const OWNED_READ = 200;

/** How many are wanted. */
export interface Most {
  readonly limit?: number | undefined;
}

/** Documents in the order in which Stripe made their objects, the last one first. */
export function newestFirst(documents: readonly MirrorDocument[]): MirrorDocument[] {
  const content = ({ stripe }: MirrorDocument) => stripe as { id: string; created: number };
  return documents
    .filter(({ stripe }) => stripe !== null)
    .map((row) => ({ row, ...content(row) }))
    .sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1))
    .map(({ row }) => row);
}

/** The contents of documents, with Stripe's own names. */
export const contentsOf = <T>(documents: readonly MirrorDocument[]): T[] =>
  documents.filter(({ stripe }) => stripe !== null).map(({ stripe }) => decode(stripe) as T);

/** What belongs to the entity's customer. */
export async function owned<N extends "invoices" | "payment_methods">(
  db: Db,
  resource: N,
  entityId: string,
  { limit = 50 }: Most = {},
): Promise<readonly Documents[N][]> {
  checkLimit(limit);
  return answered<N>(await ofCustomer(db, resource, entityId), limit);
}

/** The refunds of what the entity's customer paid: they name no customer, their charges do. */
export async function refundsOf(
  db: Db,
  entityId: string,
  { limit = 50 }: Most = {},
): Promise<readonly Documents["refunds"][]> {
  checkLimit(limit);
  const charges = await ofCustomer(db, "charges", entityId);
  const found = await Promise.all(
    charges.map(({ chargeId }) =>
      latestBy(mirrorOf(db), "refunds", "byChargeId", chargeId, OWNED_READ),
    ),
  );
  return answered<"refunds">(found.flat(), limit);
}

async function ofCustomer(
  db: Db,
  resource: ResourceName,
  entityId: string,
): Promise<readonly MirrorDocument[]> {
  const mirror = mirrorOf(db);
  const customer = await storedCustomer(mirror, entityId);
  if (customer === null) return [];
  return latestBy(mirror, resource, "byCustomerId", customer.customerId, OWNED_READ);
}

const answered = <N extends ResourceName>(
  found: readonly MirrorDocument[],
  limit: number,
): readonly Documents[N][] =>
  newestFirst(found)
    .slice(0, limit)
    .map((row) => decoded<N>(row));
