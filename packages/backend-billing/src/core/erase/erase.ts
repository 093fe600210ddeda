/**
 * An entity leaves: the job that takes up the records of the kind `erased`. Each step may be done
 * again, so a worker that ends is followed by another that begins anew. First every commit comes to
 * know of the customers, so that nothing personal of them is stored any more; then billing ends at
 * Stripe; then what is stored is gone through. The entity may come back before all of that is told, so
 * billing ends once, and what was used is removed once.
 */
import { AWAKE } from "../mirror/due.js";
import type { Lease, RecordData, StoredRecord } from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import { factsOf } from "../runtime/error-facts.js";
import { amended } from "../runtime/records/record.js";
import type { Runtime } from "../runtime/runtime.js";
import { checkPlace } from "../stripe/account.js";
import { pauseAfter, triesOf } from "../subscriptions/seats/terms.js";
import { scrubChanges } from "./changes.js";
import { customersOf, isClaimOpen, markCustomers } from "./customers.js";
import { type EraseArgs, entityIn, eraseRequest, orderIn } from "./request.js";
import { forgetRest, isBack } from "./rest.js";
import { scrubRows } from "./rows.js";
import { leaveStripe } from "./stripe.js";
import { isUsageLeft } from "./usage.js";

/** Milliseconds that a worker has. What takes longer is done twice, which does no harm. */
const LEASE = 5 * 60_000;
/** Milliseconds after which a failure is tried again, at first, and what is waited for looked at. */
const PAUSE = 5_000;
/** Milliseconds for which usage may be sent first, so that the last invoice has it. */
const SENDING = 10 * 60_000;
/** Milliseconds for which the application may be told what became of the entity. */
const TELLING = 24 * 60 * 60_000;

export const eraseLease = ({ now }: Pick<Runtime, "now">, limit = 5): Lease => ({
  now: now(),
  lease: LEASE,
  limit,
});

/** Has an entity erased soon. It needs the store alone. */
export async function erase(runtime: Runtime, args: EraseArgs): Promise<void> {
  const requests = [eraseRequest(args, runtime.now())];
  await commit(runtime, { source: "call", units: [{ requests }] });
}

/** Goes on with erasures that are due; answers how many it looked at. */
export async function eraseDue(runtime: Runtime): Promise<number> {
  const due = await runtime.store.takeRecords("erased", eraseLease(runtime));
  for (const taken of due) {
    const job = { record: taken };
    try {
      await eraseOne(runtime, job);
    } catch (error) {
      const facts = factsOf(error);
      runtime.log?.warn(facts, "An entity could not be erased yet; trying again");
      const tries = triesOf(job.record);
      const { reason = facts.error } = facts;
      await putOff(runtime, job, pauseAfter(tries, PAUSE), { tries: tries + 1, reason });
    }
  }
  return due.length;
}

/** The record that this worker holds, as it wrote it last. */
interface Job {
  record: StoredRecord;
}

async function eraseOne(runtime: Runtime, job: Job): Promise<void> {
  const entityId = entityIn(job.record);
  const { customer, since, isMarked, hasLeft, isForgotten } = orderIn(job.record);
  await checkPlace(runtime);
  // A customer that is being made would be missed.
  if (await isClaimOpen(runtime, entityId)) return putOff(runtime, job, PAUSE);
  if (!isMarked) {
    await markCustomers(runtime, job.record);
    if (!(await put(runtime, job, { isMarked: true }, job.record.due))) return;
  }
  const customers = await customersOf(runtime, job.record);
  const age = runtime.now() - since;
  if (!hasLeft) {
    if (customers.length > 0 && (await isUsageLeft(runtime, entityId))) {
      if (age < SENDING) return putOff(runtime, job, PAUSE);
      runtime.log?.warn({}, "Usage of an entity that is erased was not sent in time");
    }
    for (const id of customers) await leaveStripe(runtime, entityId, id, customer);
    if (!(await put(runtime, job, { hasLeft: true }, job.record.due))) return;
  }
  const left = await scrubRows(runtime, customers);
  if (!isForgotten) {
    // What was left may be made once more by a request under way.
    if (await isClaimOpen(runtime, entityId)) return putOff(runtime, job, PAUSE);
    if (!(await isBack(runtime, entityId, customers))) await runtime.outbox?.forget(entityId);
    // As long as a row is whole, credits may be given by it.
    if (left === 0 && !(await put(runtime, job, { isForgotten: true }, job.record.due))) return;
  }
  const changes = await scrubChanges(runtime, entityId, customers);
  const waits = changes.waiting > 0 && age < TELLING;
  const isDone = left + changes.left === 0 && !waits;
  if (!isDone || !(await forgetRest(runtime, job.record, customers))) {
    return putOff(runtime, job, PAUSE);
  }
  runtime.log?.info({ customers: customers.length }, "An entity was erased");
}

/** False if it was asked for anew meanwhile, or another worker has it: then that goes on. */
async function put(
  runtime: Runtime,
  job: Job,
  more: RecordData,
  due: number | null,
): Promise<boolean> {
  const write = amended(job.record, more, due);
  const { committed } = await commit(runtime, { source: "record", records: [write] });
  if (committed) job.record = { ...job.record, ...write.next, revision: job.record.revision + 1 };
  return committed;
}

async function putOff(
  runtime: Runtime,
  job: Job,
  pause: number,
  more: RecordData = {},
): Promise<void> {
  await put(runtime, job, more, runtime.now() + pause);
  if (pause <= AWAKE) runtime.wake(pause);
}
