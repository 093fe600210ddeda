/** The last step: what is kept under the entity's own id goes, and nothing points at it any more. */
import { claimId } from "../customers/claim/claim.js";
import { erasedKey } from "../mirror/erased.js";
import type { RecordKey, RecordWrite, StoredRecord } from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import { seatsRequest } from "../runtime/commit/seats.js";
import { removal } from "../runtime/records/record.js";
import { records } from "../runtime/records/records.js";
import type { Runtime } from "../runtime/runtime.js";
import { placeKey } from "../usage/outbox/place.js";
import { entityIn } from "./request.js";

const PAGE = 100;

/** False if something has changed meanwhile; then nothing was removed. */
export async function forgetRest(
  runtime: Runtime,
  record: StoredRecord,
  customers: readonly string[],
): Promise<boolean> {
  const entityId = entityIn(record);
  const keys = (await isBack(runtime, entityId, customers)) ? [] : keysOf(runtime, entityId);
  const own = await Promise.all(
    [...keys, ...customers.map((customer) => records.former(customer))].map(({ kind, id }) =>
      runtime.store.record(kind, id),
    ),
  );
  const batches = keys.length === 0 ? [] : await batchesOf(runtime, entityId);
  const gone = [...own, ...batches, record].filter((each) => each !== undefined).map(removal);
  const writes = [...gone, ...(await unbound(runtime, customers))];
  return (await commit(runtime, { source: "record", records: writes })).committed;
}

/** Whether the entity has another customer by now, or is to have one: what is under its id is of that one. */
export async function isBack(
  { store }: Runtime,
  entityId: string,
  customers: readonly string[],
): Promise<boolean> {
  const claim = await store.record("claim", claimId({ entityId, account: null }));
  if (claim === undefined) return false;
  return claim.due !== null || (claim.ref !== null && !customers.includes(claim.ref));
}

function keysOf({ config }: Runtime, entityId: string): readonly RecordKey[] {
  const id = claimId({ entityId, account: null });
  const features = Object.keys(config.catalogue?.features ?? {});
  return [
    { kind: "claim", id },
    records.guard(id),
    { kind: "access", id: entityId },
    seatsRequest(entityId, 0),
    records.seats(entityId),
    ...features.map((feature) => records.outbox(placeKey({ entityId, feature }))),
  ];
}

/** Usage that was reported and not looked at: Stripe has nothing left that it could be billed with. */
async function batchesOf({ store }: Runtime, entityId: string): Promise<readonly StoredRecord[]> {
  const found: StoredRecord[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page: readonly StoredRecord[] = await store.records("batch", after, PAGE);
    found.push(...page.filter(({ data }) => data.entityId === entityId));
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
  }
  return found;
}

/** That customers were erased stays known; whose they were does not. */
async function unbound(
  { store }: Runtime,
  customers: readonly string[],
): Promise<readonly RecordWrite[]> {
  const all = await Promise.all(
    customers.map((customer) => store.record("erased", erasedKey(customer).id)),
  );
  return all
    .filter((each) => each !== undefined)
    .map(({ kind, id, revision, data }) => ({
      kind,
      id,
      expect: revision,
      next: { ref: null, due: null, data },
    }));
}
