/** The job that takes up the records of the kind `share` (mirror/shares.ts), each of them once. */
import type { Lease, StoredRecord } from "../../mirror/store.js";
import type { Former } from "../../mirror/writes.js";
import { commit } from "../../runtime/commit/commit.js";
import { factsOf } from "../../runtime/error-facts.js";
import { removal } from "../../runtime/records/record.js";
import type { Runtime } from "../../runtime/runtime.js";

const LEASE = 30_000;

/** How records are taken whose shares are to be given. */
export const shareLease = ({ now }: Runtime, limit = 20): Lease => ({
  now: now(),
  lease: LEASE,
  limit,
});

/** Gives what subscriptions included until they changed; answers how many were looked at. */
export async function followShares(runtime: Runtime): Promise<number> {
  if (runtime.shares === undefined) return 0;
  const due = await runtime.store.takeRecords("share", shareLease(runtime));
  for (const record of due) {
    try {
      await followOne(runtime, record);
    } catch (error) {
      const line = { object: record.ref, ...factsOf(error) };
      runtime.log?.warn(line, "What a plan included could not be given; trying again");
      runtime.wake(LEASE);
    }
  }
  return due.length;
}

async function followOne(runtime: Runtime, record: StoredRecord): Promise<void> {
  const { shares, store } = runtime;
  const customer = record.ref === null ? undefined : await store.row("customers", record.ref);
  const entityId = customer?.entityId;
  if (entityId) await shares?.settle({ entityId, ...(record.data as Former) }, runtime.now());
  await commit(runtime, { source: "record", records: [removal(record)] });
}
