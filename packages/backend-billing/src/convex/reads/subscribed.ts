/** What is known of an entity's subscriptions, by indexed reads in the caller's transaction. */
import { defaultResources, type ResourceName } from "../../core/catalogue/catalogue.js";
import { type FactReads, readFacts, readSubscribed } from "../../core/mirror/reads/subscribed.js";
import type { SubscriptionFacts, SubscriptionPage } from "../../core/mirror/store.js";
import { foreignCursor } from "../../core/runtime/arguments.js";
import { recordAt, wireRecord } from "../store/records.js";
import {
  type Db,
  latestBy,
  type MirrorDocument,
  mirrorOf,
  rowOf,
  rowsSince,
} from "../tables/database.js";

/** The most of one owner that is read: the newest objects. */
const SUBSCRIPTIONS = 500;
const INVOICES = 200;

/** Contents are as they are stored, encoded. Of resources that are not mirrored there is nothing. */
export async function storedSubscribed(
  db: Db,
  entityId: string,
  chosen: readonly ResourceName[] = defaultResources,
): Promise<SubscriptionFacts> {
  return readSubscribed(await subscriptionsIn(db, entityId), readsIn(db, chosen));
}

/** The contents of the entity's subscriptions. */
export async function subscriptionsIn(db: Db, entityId: string) {
  const mirror = mirrorOf(db);
  const [customer] = await latestBy(mirror, "customers", "byEntityId", entityId, 1);
  if (customer === undefined) return [];
  const { customerId } = customer;
  return contents(
    await latestBy(mirror, "subscriptions", "byCustomerId", customerId, SUBSCRIPTIONS),
  );
}

/** The subscriptions of entities that have a status, in the order of their documents. */
export async function storedSubscribedBy(
  db: Db,
  status: string,
  after: string,
  limit: number,
): Promise<SubscriptionPage> {
  const mirror = mirrorOf(db);
  const since = Number(after);
  if (!Number.isFinite(since)) throw foreignCursor();
  const found = await rowsSince(mirror, "subscriptions", "byStatus", status, since, limit);
  const owners = new Map<string, string>();
  for (const customer of new Set(found.map(({ customerId }) => String(customerId)))) {
    const entity = (await rowOf(mirror, "customers", customer))?.entityId;
    if (typeof entity === "string") owners.set(customer, entity);
  }
  const owned = found.filter(({ customerId }) => owners.has(String(customerId)));
  const last = found.at(-1)?._creationTime;
  return {
    facts: await readFacts(contents(owned), readsIn(db, defaultResources)),
    owners,
    next: last === undefined || found.length < limit ? null : String(last),
  };
}

export function readsIn(db: Db, chosen: readonly ResourceName[]): FactReads {
  const mirror = mirrorOf(db);
  const content = (resource: ResourceName) => async (id: string) =>
    chosen.includes(resource) ? contentOf(await rowOf(mirror, resource, id)) : undefined;
  return {
    product: content("products"),
    price: content("prices"),
    schedule: content("subscription_schedules"),
    invoices: async (id) =>
      chosen.includes("invoices")
        ? contents(await latestBy(mirror, "invoices", "bySubscriptionId", id, INVOICES))
        : [],
    lapse: async (id) => {
      const found = await recordAt(db, "lapse", id);
      return found === null ? undefined : wireRecord(found);
    },
  };
}

const contentOf = (document: MirrorDocument | null) => (document?.stripe ?? undefined) as never;

const contents = (documents: readonly MirrorDocument[]) =>
  documents.filter(({ stripe }) => stripe !== null).map(({ stripe }) => stripe as never);
