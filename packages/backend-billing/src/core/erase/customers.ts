/** The customers of an entity that is erased, and the records that say so of them. */
import { entityInMetadata } from "../catalogue/carrier.js";
import { type Claim, claimId, claimOf } from "../customers/claim/claim.js";
import { digestOf } from "../customers/claim/key.js";
import { isTaken, ownerOf } from "../customers/claim/record.js";
import { erasedKey } from "../mirror/erased.js";
import { afterErasure } from "../mirror/listening.js";
import type { RecordWrite, StoredRecord } from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import { records } from "../runtime/records/records.js";
import type { Runtime } from "../runtime/runtime.js";
import { entityIn } from "./request.js";

const PAGE = 100;

async function claimIn({ store }: Runtime, entityId: string): Promise<Claim | undefined> {
  return claimOf(await store.record("claim", claimId({ entityId, account: null })));
}

/** Whether a customer of the entity is being made, or may have been. */
export async function isClaimOpen(runtime: Runtime, entityId: string): Promise<boolean> {
  const claim = await claimIn(runtime, entityId);
  return claim?.state === "open" || claim?.state === "uncertain";
}

/**
 * Says of the entity's customers that they are erased. Each record points at that of the entity until
 * that is done. From then on every commit leaves out what is personal of them: one that does not know
 * it yet is refused.
 */
export async function markCustomers(runtime: Runtime, record: StoredRecord): Promise<void> {
  const known = new Set(await customersOf(runtime, record));
  const found = await carriersOf(runtime, entityIn(record));
  const writes = found
    .filter((id) => !known.has(id))
    .map(
      (id): RecordWrite => ({
        ...erasedKey(id),
        expect: 0,
        next: { ref: record.id, due: null, data: { at: runtime.now() } },
      }),
    );
  if (known.size + writes.length === 0) return;
  const claim = await claimIn(runtime, entityIn(record));
  if (claim !== undefined) await keepKeys(runtime, claim);
  if (writes.length > 0) {
    const { committed } = await commit(runtime, { source: "record", records: writes });
    if (!committed) throw new Error("A customer is erased with another entity.");
  }
  await records.listening.update(runtime, afterErasure);
}

/** Who comes back is made a customer under the next key. */
async function keepKeys(runtime: Runtime, claim: Claim): Promise<void> {
  const { counter } = claim;
  const used = records.usedKeys(await digestOf(ownerOf(runtime, claim)));
  await used.update(runtime, (stored) =>
    (stored?.counter ?? 0) < counter ? { counter } : undefined,
  );
}

/** The one that is linked, and others that carry the entity's id. */
async function carriersOf(runtime: Runtime, entityId: string): Promise<readonly string[]> {
  const claim = await claimIn(runtime, entityId);
  const found = claim?.customerId ? [claim.customerId] : [];
  const others = runtime.resources.includes("customers") ? (claim?.others ?? []) : [];
  for (const id of others) {
    // Its metadata may name this entity and its link another: the link counts.
    if (await isTaken(runtime, id, { entityId, account: null })) continue;
    const row = await runtime.store.row("customers", id);
    const entity = row && entityInMetadata(row.stripe.metadata, runtime.app);
    if (entity?.is === "ours" && entity.entityId === entityId) found.push(id);
  }
  return found;
}

/** The customers that are being erased with an entity. */
export async function customersOf(
  { store }: Runtime,
  { id }: Pick<StoredRecord, "id">,
): Promise<readonly string[]> {
  const all = await store.recordsOf("erased", id, "", PAGE);
  return all.map((each) => each.id.slice(erasedKey("").id.length));
}
