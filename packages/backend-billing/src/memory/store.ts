/**
 * The store in memory: the plainest reading of the port, against which the others are measured.
 * A call runs to its end before the next begins, so every call is a transaction.
 */
import {
  namesOf,
  ownerFieldOf,
  type ResourceChoice,
  type ResourceName,
  type Row,
} from "../core/catalogue/catalogue.js";
import { resources } from "../core/catalogue/resources.js";
import { fieldAt, type RowFields } from "../core/catalogue/row.js";
import { isDue } from "../core/mirror/due.js";
import type { Facts } from "../core/mirror/facts.js";
import { LISTENING, listenedIn } from "../core/mirror/listening.js";
import { type Decided, planCommit, type Refused } from "../core/mirror/plan.js";
import { activeStatuses, plansFrom } from "../core/mirror/reads/reads.js";
import { readSubscribed, subscriptionOfInvoice } from "../core/mirror/reads/subscribed.js";
import type { Version } from "../core/mirror/rule.js";
import type {
  Ask,
  Batch,
  Committed,
  Offer,
  Receipt,
  Store,
  StoredRecord,
} from "../core/mirror/store.js";
import { keyOf, type RowKey, recordKey, type Write } from "../core/mirror/writes.js";

interface StoredVersion {
  readonly resource: ResourceName;
  readonly id: string;
  readonly version: Version;
  askAt: number | null;
}

interface StoredRow extends RowFields {
  readonly _id: string;
  readonly stripe: object | null;
}

/** A store in memory, for tests of code that uses the port. */
export function createMemoryStore(
  options: { readonly resources?: ResourceChoice; readonly seed?: string | number } = {},
): Store {
  const chosen = namesOf(options.resources);
  const versions = new Map<string, StoredVersion>();
  const tables = new Map<ResourceName, Map<string, StoredRow>>(
    chosen.map((name) => [name, new Map()]),
  );
  const receipts = new Map<string, Receipt & { readonly receivedAt: number }>();
  const records = new Map<string, StoredRecord>();

  let documents = 0;
  const documentId = () => `doc_${options.seed ?? 1}_${String(++documents).padStart(8, "0")}`;
  /** A row of nulls is kept under its owner's name, which no object's id can be. */
  const rowKey = (row: RowKey) => (row.id === null ? `(nothing) ${row.owner.id}` : row.id);
  const table = (resource: ResourceName) => {
    const found = tables.get(resource);
    if (found === undefined) throw new RangeError(`${resource} is not among the chosen resources`);
    return found;
  };

  const facts: Facts = {
    version: (resource, id) => versions.get(keyOf(resource, id))?.version ?? null,
    content: (resource, id) => table(resource).get(id)?.stripe ?? null,
    watermark: (resource) => {
      const at = records.get(recordKey("watermark", resource))?.data.at;
      return typeof at === "number" ? at : null;
    },
    received: (eventId) => receipts.has(eventId),
    record: (kind, id) => records.get(recordKey(kind, id)) ?? null,
    recordOn: (kind, ref) =>
      [...records.values()].find((each) => each.kind === kind && each.ref === ref)?.id ?? null,
    rowsWhere: (resource, field, value, limit) =>
      [...table(resource).values()]
        .filter((row) => row[field] === value)
        .slice(0, limit)
        .map((row) => row[resources[resource].idField] as string | null),
    listened: (resource) =>
      listenedIn(records.get(recordKey(LISTENING.kind, LISTENING.id))?.data, resource),
  };

  function carryOut(write: Write): void {
    switch (write.write) {
      case "putVersion": {
        const { resource, id, next, askAt } = write;
        const key = keyOf(resource, id);
        const kept = askAt === "keep" ? (versions.get(key)?.askAt ?? null) : askAt;
        versions.set(key, { resource, id, version: next, askAt: kept });
        return;
      }
      case "putReceipt": {
        const { receipt, receivedAt } = write;
        receipts.set(receipt.eventId, { ...receipt, receivedAt });
        return;
      }
      case "putRecord": {
        const { kind, id, record } = write;
        records.set(recordKey(kind, id), { kind, id, ...record });
        return;
      }
      case "deleteRecord":
        records.delete(recordKey(write.kind, write.id));
        return;
      case "putRow": {
        const before = table(write.resource).get(rowKey(write)) ?? {
          _id: documentId(),
          ...write.ifAbsent,
        };
        table(write.resource).set(rowKey(write), { ...before, ...write.fields } as StoredRow);
        return;
      }
      case "deleteRow":
        table(write.resource).delete(rowKey(write));
        return;
      case "linkRow": {
        const { resource, id, field, value } = write;
        const row = table(resource).get(id);
        if (row !== undefined) table(resource).set(id, { ...row, [field]: value });
      }
    }
  }

  const page = <T extends { readonly id: string }>(
    all: Iterable<T>,
    matches: (each: T) => boolean,
    after: string,
    limit: number,
  ): T[] =>
    [...all]
      .filter((each) => each.id > after && matches(each))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);

  const copy = <T>(value: T): T => structuredClone(value);
  const rowsOf = (resource: ResourceName) => [...table(resource).values()];
  const claimedCustomer = (entityId: string) =>
    records.get(recordKey("claim", entityId))?.ref ?? undefined;

  return {
    limits: { snapshots: 1000, bytes: 8 * 1024 * 1024 },

    async commit(batch: Batch): Promise<Committed> {
      const plan = planCommit(copy(batch), chosen, facts) as Decided | Refused; // all facts are at hand
      if (!("writes" in plan)) return plan;
      for (const write of plan.writes) carryOut(write);
      return { committed: true, units: plan.outcomes };
    },

    async takeAsks({ now, lease, limit }) {
      const due = [...versions.values()]
        .filter(({ askAt }) => isDue("ask", askAt, now))
        .sort((a, b) => (a.askAt ?? 0) - (b.askAt ?? 0))
        .slice(0, limit);
      return due.map((stored): Ask => {
        stored.askAt = now + lease;
        return { resource: stored.resource, id: stored.id, revision: stored.version.revision };
      });
    },
    async postponeAsk({ resource, id, revision }, until) {
      const stored = versions.get(keyOf(resource, id));
      if (stored?.version.revision === revision && stored.askAt !== null) stored.askAt = until;
    },

    record: async (kind, id) => copy(records.get(recordKey(kind, id))),
    claimed: async (id, beside, unlinked) => {
      const record = records.get(recordKey("claim", id));
      const customer = record?.ref ?? "";
      const row = chosen.includes("customers") ? table("customers").get(customer) : undefined;
      const version = versions.get(keyOf("customers", customer))?.version;
      const keys = record?.ref ? beside : [...beside, ...unlinked];
      const found = keys.map((key) => records.get(recordKey(key.kind, key.id)));
      const others = found.filter((each) => each !== undefined);
      return copy({ record, version, row: row as Row<"customers"> | undefined, beside: others });
    },
    recordsOf: async (kind, ref, after, limit) =>
      copy(page(records.values(), (each) => each.kind === kind && each.ref === ref, after, limit)),
    records: async (kind, after, limit) =>
      copy(page(records.values(), (each) => each.kind === kind, after, limit)),
    async takeRecords(kind, { now, lease, limit }) {
      const due = [...records.values()]
        .filter((each) => each.kind === kind && isDue(kind, each.due, now))
        .sort((a, b) => (a.due ?? 0) - (b.due ?? 0))
        .slice(0, limit);
      return due.map((each) => {
        const taken = { ...each, revision: each.revision + 1, due: now + lease };
        records.set(recordKey(each.kind, each.id), taken);
        return copy(taken);
      });
    },

    version: async (resource, id) => versions.get(keyOf(resource, id))?.version,
    async unconfirmed(resource, since, after, limit) {
      const isUnconfirmed = (each: StoredVersion) =>
        each.resource === resource &&
        each.version.hi < since &&
        (each.version.state === "live" || each.version.state === "unknown");
      return page(versions.values(), isUnconfirmed, after, limit).map(({ id, version }) => ({
        id,
        revision: version.revision,
      }));
    },

    async owned(resource, owner, after, limit) {
      const [field, idField] = [ownerFieldOf(resource) ?? "", resources[resource].idField];
      const all = rowsOf(resource).map((row) => ({ id: String(row[idField]), owner: row[field] }));
      return page(all, (row) => row.owner === owner, after, limit).map(({ id }) => id);
    },

    async related(resource, field, value, after, limit) {
      const { idField } = resources[resource];
      const all = rowsOf(resource).map((row) => ({ id: String(row[idField]), row }));
      const found = page(all, ({ row }) => fieldAt(row, field) === value, after, limit);
      const ids = found.map(({ id }) => id);
      return { ids, next: ids.length < limit ? null : (ids.at(-1) ?? null) };
    },

    async pruneReceipts(before, limit) {
      const old = [...receipts.values()]
        .filter(({ receivedAt }) => receivedAt < before)
        .slice(0, limit);
      for (const { eventId } of old) receipts.delete(eventId);
      return old.length;
    },

    row: async <N extends ResourceName>(resource: N, id: string) =>
      copy(table(resource).get(id)) as Row<N> | undefined,
    rows: async <N extends ResourceName>(resource: N, after: string, limit: number) => {
      const all = rowsOf(resource).map((row) => ({ id: row._id, row }));
      const found = page(all, () => true, after, limit).map(({ row }) => row);
      return copy(found) as unknown as Row<N>[];
    },
    plans: async () => {
      const contents = (resource: ResourceName) => rowsOf(resource).map(({ stripe }) => stripe);
      return plansFrom(copy(contents("products")) as never, copy(contents("prices")) as never);
    },
    offers: async (priceIds) =>
      priceIds.flatMap((id) => {
        const price = table("prices").get(id)?.stripe as Offer["price"] | undefined;
        if (price === undefined) return [];
        const product = table("products").get(price.product)?.stripe as Offer["product"];
        return [copy({ price, product })];
      }),
    async customerOf(entityId) {
      const customer = claimedCustomer(entityId);
      return copy(customer && table("customers").get(customer)) as Row<"customers"> | undefined;
    },
    async subscribed(entityId) {
      const customer = claimedCustomer(entityId);
      const contentOf = (resource: ResourceName) => async (id: string) =>
        tables.get(resource)?.get(id)?.stripe as never;
      const contentsWhere = (resource: ResourceName, matches: (row: StoredRow) => boolean) =>
        [...(tables.get(resource)?.values() ?? [])]
          .filter((row) => row.stripe !== null && matches(row))
          .map(({ stripe }) => stripe as never);
      const all = contentsWhere(
        "subscriptions",
        ({ customerId }) => customer !== undefined && customerId === customer,
      );
      const facts = await readSubscribed(all, {
        product: contentOf("products"),
        price: contentOf("prices"),
        schedule: contentOf("subscription_schedules"),
        invoices: async (id) =>
          contentsWhere("invoices", ({ stripe }) => subscriptionOfInvoice(stripe) === id),
        lapse: async (id) => records.get(recordKey("lapse", id)),
      });
      return copy(facts);
    },
    async activeSubscriptionsOf(entityId) {
      const customer = claimedCustomer(entityId);
      const found = rowsOf("subscriptions").filter(
        (row) =>
          customer !== undefined &&
          row.customerId === customer &&
          activeStatuses.has((row.stripe as { status?: string } | null)?.status ?? ""),
      );
      return copy(found) as unknown as Row<"subscriptions">[];
    },
  };
}
