/**
 * A batch, planned and written in one transaction. A Convex mutation is serialisable, so reading,
 * planning and writing need no further guard, and nothing is decided here.
 */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import type { Reads } from "../../core/mirror/facts.js";
import { LISTENING, type Listening, listenedIn } from "../../core/mirror/listening.js";
import { planReading } from "../../core/mirror/plan.js";
import type { Batch, RecordData } from "../../core/mirror/store.js";
import { keyOf, type RowKey, recordKey, type Write } from "../../core/mirror/writes.js";
import { fittedPair } from "../calls/fit.js";
import type { OperationOf, ResultOf } from "../calls/operations.js";
import {
  type Db,
  indexOn,
  type MirrorDocument,
  mirrorOf,
  mirrorWriterOf,
  rowOf,
  rowsBy,
} from "../tables/database.js";
import { type RecordDocument, recordAt, recordOn } from "./records.js";
import { receiptAt, type VersionDocument, versionAt, versionOf } from "./versions.js";

export async function commit(
  db: Db,
  chosen: readonly ResourceName[],
  listening: Listening,
  { batch }: Pick<OperationOf<"commit">, "batch">,
): Promise<{ result: ResultOf<"commit">; writes: readonly Write[] }> {
  const found: Found = { versions: new Map(), records: new Map(), rows: new Map() };
  const plan = await planReading(batch as Batch, chosen, readsOf(db, found, listening));
  if (!("writes" in plan)) return { result: plan, writes: [] };
  for (const write of plan.writes) await carryOut(db, found, write);
  const units = plan.outcomes.map((unit) =>
    unit.duplicate ? { duplicate: true as const } : { ...unit, outcomes: [...unit.outcomes] },
  );
  return { result: { committed: true, units }, writes: plan.writes };
}

/** The documents that were read for the plan: a write needs their own ids. */
interface Found {
  readonly versions: Map<string, VersionDocument>;
  readonly records: Map<string, RecordDocument>;
  readonly rows: Map<string, MirrorDocument>;
}

const rowKey = (row: RowKey): string =>
  row.id === null ? `${row.resource} of ${row.owner.id}` : keyOf(row.resource, row.id);

function readsOf(db: Db, { versions, records, rows }: Found, listening: Listening): Reads {
  const mirror = mirrorOf(db);
  return {
    async version(resource, id) {
      const stored = await versionAt(db, resource, id);
      if (stored === null) return null;
      versions.set(keyOf(resource, id), stored);
      return versionOf(stored);
    },
    async content(resource, id) {
      const row = await rowOf(mirror, resource, id);
      if (row !== null) rows.set(keyOf(resource, id), row);
      return row?.stripe ?? null;
    },
    async watermark(resource) {
      const at = (await recordAt(db, "watermark", resource))?.data.at;
      return typeof at === "number" ? at : null;
    },
    received: async (eventId) => (await receiptAt(db, eventId)) !== null,
    async record(kind, id) {
      const stored = await recordAt(db, kind, id);
      if (stored !== null) records.set(recordKey(kind, id), stored);
      return stored;
    },
    recordOn: async (kind, ref) => (await recordOn(db, kind, ref))?.recordId ?? null,
    async rowsWhere(resource, field, value, limit) {
      const all = await rowsBy(mirror, resource, indexOn(resource, field), value).take(limit);
      return all.map((row) => {
        const id = row[resources[resource].idField] as string | null;
        rows.set(rowKey({ resource, id, owner: { field, id: value } } as RowKey), row);
        return id;
      });
    },
    // Whether customers were erased, only the database knows.
    listened: async (resource) =>
      resource === "erased"
        ? listenedIn((await recordAt(db, LISTENING.kind, LISTENING.id))?.data, resource)
        : (listening[resource] ?? null),
  };
}

/** A change holds an object twice, and a document holds little more than one. */
function fittedChange(data: RecordData): RecordData {
  const { before, after } = data as { readonly [when in "before" | "after"]: object | null };
  const [then, now] = fittedPair(before, after);
  return { ...data, before: then, after: now };
}

async function carryOut(db: Db, { versions, records, rows }: Found, write: Write): Promise<void> {
  const mirror = mirrorWriterOf(db);
  const rowAt = async (row: RowKey): Promise<MirrorDocument | undefined> =>
    rows.get(rowKey(row)) ??
    (row.id === null ? undefined : ((await rowOf(mirror, row.resource, row.id)) ?? undefined));
  switch (write.write) {
    case "putVersion": {
      const { resource, id, next, askAt } = write;
      const before = versions.get(keyOf(resource, id));
      const fields = { ...versionOf(next), ...(askAt === "keep" ? {} : { askAt }) };
      if (before !== undefined) return db.patch(before._id, fields);
      const key = { resource, objectId: id };
      await db.insert("backend_billing_versions", { askAt: null, ...key, ...fields });
      return;
    }
    case "putReceipt": {
      const { receipt, receivedAt } = write;
      await db.insert("backend_billing_receipts", { ...receipt, receivedAt });
      return;
    }
    case "putRecord": {
      const { kind, id, record: planned } = write;
      const record = kind === "change" ? { ...planned, data: fittedChange(planned.data) } : planned;
      const before = records.get(recordKey(kind, id));
      if (before !== undefined) return db.patch(before._id, record);
      await db.insert("backend_billing_records", { kind, recordId: id, ...record });
      return;
    }
    case "deleteRecord": {
      const before = records.get(recordKey(write.kind, write.id));
      if (before !== undefined) await db.delete(before._id);
      return;
    }
    case "putRow": {
      const before = write.isNew ? undefined : await rowAt(write);
      if (before !== undefined) return mirror.patch(before._id as never, write.fields as never);
      const fields = { ...write.ifAbsent, ...write.fields };
      await mirror.insert(resources[write.resource].table, fields as never);
      return;
    }
    case "deleteRow": {
      const before = await rowAt(write);
      if (before !== undefined) await mirror.delete(before._id as never);
      return;
    }
    case "linkRow": {
      const before = await rowAt(write);
      if (before === undefined) return;
      await mirror.patch(before._id as never, { [write.field]: write.value } as never);
    }
  }
}
