/**
 * The store in memory: the plainest reading of the port, against which the others are measured.
 * A call runs to its end before the next begins, so every call is a transaction.
 */

import { type ResourceName, type Row, resourceNames } from "../core/catalogue/catalogue.js";
import {
  emptyRow,
  emptyRowsOf,
  linkedResource,
  ownerOf,
  type RowFields,
  rowFields,
} from "../core/catalogue/row.js";
import { isDue } from "../core/mirror/due.js";
import {
  type Known,
  keyOf,
  type Planned,
  planCommit,
  type VersionWrite,
} from "../core/mirror/plan.js";
import { activeStatuses, plansFrom } from "../core/mirror/reads.js";
import { ASK_DELAY, type Version } from "../core/mirror/rule.js";
import type {
  Ask,
  Batch,
  Committed,
  Offer,
  Receipt,
  RecordKind,
  RecordWish,
  RecordWrite,
  Store,
  StoredRecord,
} from "../core/mirror/store.js";
import { idSequence } from "./random.js";

interface Kept {
  version: Version;
  askAt: number | null;
}

interface MemoryRow extends RowFields {
  readonly _id: string;
  readonly stripe: object | null;
}

/** A store in memory, for tests of code that uses the port. */
export function createMemoryStore(
  options: { readonly resources?: readonly ResourceName[]; readonly seed?: string | number } = {},
): Store {
  const chosen = options.resources ?? resourceNames;
  const documentId = idSequence(options.seed ?? 1);
  const versions = new Map<string, Kept & { resource: ResourceName; id: string }>();
  const rows = new Map<ResourceName, Map<string, MemoryRow>>(
    chosen.map((name) => [name, new Map()]),
  );
  const receipts = new Map<string, Receipt & { receivedAt: number }>();
  const records = new Map<string, StoredRecord>();
  const empties = emptyRowsOf(chosen);
  const linked = linkedResource(chosen);

  const recordKey = (kind: RecordKind, id: string) => `${kind} ${id}`;
  const table = (resource: ResourceName) => {
    const found = rows.get(resource);
    if (found === undefined) throw new RangeError(`${resource} is not among the chosen resources`);
    return found;
  };
  const claimOn = (customer: string) =>
    [...records.values()].find(({ kind, ref }) => kind === "claim" && ref === customer);
  /** An empty row is kept under its owner's name, which no object's id can be. */
  const emptyKey = (owner: string) => `(nothing) ${owner}`;

  const known: Known = {
    version: (resource, id) => versions.get(keyOf(resource, id))?.version,
    content: (resource, id) => table(resource).get(id)?.stripe ?? null,
    watermark: (resource) => {
      const at = records.get(recordKey("watermark", resource))?.data.at;
      return typeof at === "number" ? at : undefined;
    },
    seen: (eventId) => receipts.has(eventId),
  };

  function put(resource: ResourceName, key: string, fields: RowFields): void {
    const _id = table(resource).get(key)?._id ?? documentId("doc");
    table(resource).set(key, { ...fields, _id } as MemoryRow);
  }

  function writeVersion({ resource, id, next, content }: VersionWrite, now: number): void {
    const key = keyOf(resource, id);
    const before = versions.get(key);
    const askAt = next.stale ? (before?.askAt ?? now + ASK_DELAY) : null;
    versions.set(key, { resource, id, version: next, askAt });
    if (content === undefined) return;
    const was = table(resource).get(id)?.stripe;
    if (content === null) table(resource).delete(id);
    else {
      const link = resource === linked ? (claimOn(id)?.id ?? null) : null;
      put(resource, id, rowFields(resource, id, content, now, link));
    }
    for (const rule of empties) {
      if (rule.owner === resource) settleEmpty(rule, id, now);
      if (rule.resource !== resource) continue;
      for (const object of [was, content])
        if (object) settleEmpty(rule, ownerOf(rule, object), now);
    }
  }

  /** The row of nulls is there exactly when its owner is there and has nothing. */
  function settleEmpty(rule: (typeof empties)[number], owner: string | null, now: number): void {
    if (owner === null) return;
    const isThere = table(rule.owner).has(owner);
    const has = [...table(rule.resource).values()].some(
      (row) => row[rule.ownerField] === owner && row.stripe !== null,
    );
    if (isThere && !has) {
      if (!table(rule.resource).has(emptyKey(owner))) {
        put(rule.resource, emptyKey(owner), emptyRow(rule, owner, now));
      }
    } else table(rule.resource).delete(emptyKey(owner));
  }

  function conflictOf(writes: readonly RecordWrite[]): RecordWrite | undefined {
    const refs = new Set<string>();
    return writes.find(({ kind, id, expect, next }) => {
      if ((records.get(recordKey(kind, id))?.revision ?? 0) !== expect) return true;
      if (kind !== "claim" || next?.ref == null) return false;
      const holder = claimOn(next.ref);
      const taken = (holder !== undefined && holder.id !== id) || refs.has(next.ref);
      refs.add(next.ref);
      return taken;
    });
  }

  function writeRecord({ kind, id, expect, next }: RecordWrite): void {
    const key = recordKey(kind, id);
    const before = records.get(key);
    if (next === null) records.delete(key);
    else records.set(key, { kind, id, revision: expect + 1, ...next });
    if (kind !== "claim" || linked === undefined) return;
    relink(before?.ref ?? null, null);
    relink(next?.ref ?? null, next === null ? null : id);
  }

  function relink(customer: string | null, entity: string | null): void {
    if (customer === null || linked === undefined) return;
    const row = table(linked).get(customer);
    if (row !== undefined) table(linked).set(customer, { ...row, entityId: entity });
  }

  function wish({ kind, id, due, data }: RecordWish): void {
    const before = records.get(recordKey(kind, id));
    records.set(recordKey(kind, id), {
      kind,
      id,
      revision: (before?.revision ?? 0) + 1,
      ref: before?.ref ?? null,
      due: Math.min(before?.due ?? due, due),
      data,
    });
  }

  const page = <T extends { id: string }>(all: readonly T[], after: string, limit: number): T[] =>
    all
      .filter(({ id }) => id > after)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);

  const copy = <T>(value: T): T => structuredClone(value);

  return {
    limits: { snapshots: 1000, bytes: 8 * 1024 * 1024 },

    async commit(batch: Batch): Promise<Committed> {
      const writes = batch.records ?? [];
      const conflict = conflictOf(writes);
      if (conflict !== undefined) {
        return { committed: false, conflict: { kind: conflict.kind, id: conflict.id } };
      }
      const planned = planCommit(copy(batch), known) as Planned; // contents are at hand: always decided
      for (const write of planned.versions) writeVersion(write, batch.now);
      for (const receipt of planned.receipts) {
        receipts.set(receipt.eventId, { ...receipt, receivedAt: batch.now });
      }
      for (const each of planned.wishes) wish(each);
      for (const write of copy(writes)) writeRecord(write);
      return { committed: true, units: planned.outcomes };
    },

    async takeAsks({ now, lease, limit }) {
      const due = [...versions.values()]
        .filter(({ askAt }) => isDue("ask", askAt, now))
        .sort((a, b) => (a.askAt ?? 0) - (b.askAt ?? 0))
        .slice(0, limit);
      return due.map((kept): Ask => {
        kept.askAt = now + lease;
        return { resource: kept.resource, id: kept.id, revision: kept.version.revision };
      });
    },
    async postponeAsk({ resource, id, revision }, until) {
      const kept = versions.get(keyOf(resource, id));
      if (kept?.version.revision === revision && kept.askAt !== null) kept.askAt = until;
    },

    record: async (kind, id) => copy(records.get(recordKey(kind, id))),
    claimed: async (id) => {
      const record = records.get(recordKey("claim", id));
      if (record === undefined) return undefined;
      const customer = record.ref ?? "";
      const row = chosen.includes("customers") ? table("customers").get(customer) : undefined;
      const version = versions.get(keyOf("customers", customer))?.version;
      return copy({ record, version, row: row as Row<"customers"> | undefined });
    },
    recordsOf: async (kind, ref, after, limit) =>
      copy(
        page(
          [...records.values()].filter((each) => each.kind === kind && each.ref === ref),
          after,
          limit,
        ),
      ),
    records: async (kind, after, limit) =>
      copy(
        page(
          [...records.values()].filter((each) => each.kind === kind),
          after,
          limit,
        ),
      ),
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
      const found = [...versions.values()].filter(
        (kept) =>
          kept.resource === resource &&
          kept.version.hi < since &&
          (kept.version.state === "live" || kept.version.state === "unknown"),
      );
      return page(found, after, limit).map(({ id, version }) => ({
        id,
        revision: version.revision,
      }));
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
    rows: async <N extends ResourceName>(resource: N, after: string, limit: number) =>
      copy(
        page(
          [...table(resource).values()].map((row) => ({ id: row._id, row })),
          after,
          limit,
        ).map(({ row }) => row),
      ) as unknown as Row<N>[],
    plans: async () =>
      plansFrom(
        copy([...table("products").values()].map(({ stripe }) => stripe)) as never,
        copy([...table("prices").values()].map(({ stripe }) => stripe)) as never,
      ),
    offers: async (priceIds) =>
      priceIds.flatMap((id) => {
        const price = table("prices").get(id)?.stripe as Offer["price"] | undefined;
        if (price === undefined) return [];
        const product = table("products").get(price.product)?.stripe as Offer["product"];
        return [copy({ price, product })];
      }),
    async customerOf(entityId) {
      const ref = records.get(recordKey("claim", entityId))?.ref;
      return copy(ref == null ? undefined : table("customers").get(ref)) as
        | Row<"customers">
        | undefined;
    },
    async activeSubscriptionsOf(entityId) {
      const ref = records.get(recordKey("claim", entityId))?.ref;
      if (ref == null) return [];
      const found = [...table("subscriptions").values()].filter(
        (row) =>
          row.customerId === ref &&
          activeStatuses.has((row.stripe as { status?: string } | null)?.status ?? ""),
      );
      return copy(found) as unknown as Row<"subscriptions">[];
    },
  };
}
