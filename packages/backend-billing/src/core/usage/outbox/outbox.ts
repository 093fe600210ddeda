/**
 * Usage beyond what plans include goes to Stripe's meters: the job that gathers records into batches and
 * sends these. A batch is stored before it is sent, and is sent under its own id until Stripe has said
 * what became of it, so that it counts once, whatever process ends meanwhile.
 */

import { AWAKE, LONGEST_PAUSE } from "../../mirror/due.js";
import type { Lease, RecordWrite, StoredRecord } from "../../mirror/store.js";
import type { AnyCatalogue } from "../../plans/catalogue.js";
import { meteredIn, meterOf } from "../../plans/usage.js";
import { commit } from "../../runtime/commit/commit.js";
import { factsOf } from "../../runtime/error-facts.js";
import { defineLocal } from "../../runtime/local.js";
import type { BatchProblem, MeterBatch } from "../../runtime/records/batches.js";
import type { Gathering, OutboxStore, Place } from "../../runtime/records/outbox.js";
import { removal } from "../../runtime/records/record.js";
import type { Runtime } from "../../runtime/runtime.js";
import { checkPlace } from "../../stripe/account.js";
import { pauseAfter, triesOf } from "../../subscriptions/seats/terms.js";
import { sendBatch, sumOfMinute } from "./send.js";
import { askedAt, isLate, problemBySum, stepOf } from "./verdict.js";

/** Batches that a process works at at once. */
const AT_ONCE = 5;
/** Places that one look finds. */
const MOST = 20;
/** Milliseconds that a worker has for a batch. */
export const LEASE = 60_000;
/** Milliseconds after which a failure is tried again, at first. */
const PAUSE = 5_000;
/** Milliseconds after a taking in which others are gathered with it. */
export const SOON = 2_000;

const lookOf = defineLocal("process", "places of usage", (): { endedAt: Place | null } => ({
  endedAt: null,
}));

export const batchLease = ({ now }: Runtime, limit = 20): Lease => ({
  now: now(),
  lease: LEASE,
  limit,
});

/** Whether there is anything that could be sent. */
export const sendsUsage = ({ outbox, config }: Pick<Runtime, "outbox" | "config">): boolean =>
  outbox !== undefined && config.catalogue !== undefined;

/** Sends what is due; answers how many batches it worked at. */
export async function sendUsage(runtime: Runtime): Promise<number> {
  const { outbox, config } = runtime;
  if (outbox === undefined || config.catalogue === undefined) return 0;
  const due = await runtime.store.takeRecords("batch", batchLease(runtime));
  await fewAtOnce(due, (record) => workAt(runtime, record));
  return due.length + (await gatherAll(runtime, outbox, config.catalogue));
}

async function gatherAll(
  runtime: Runtime,
  outbox: OutboxStore,
  catalogue: AnyCatalogue,
): Promise<number> {
  const features = meteredIn(catalogue);
  if (features.length === 0) return 0;
  const places = await nextPlaces(runtime, outbox, features);
  if (places.length > 0) await checkPlace(runtime);
  let made = 0;
  await fewAtOnce(places, async (place) => {
    const meter = meterOf(catalogue.features[place.feature]);
    if (meter !== undefined && (await gatherAt(runtime, outbox, { ...place, meter }))) made++;
  });
  return made;
}

/** Makes a batch of a place and works at it; false if there is none to make. */
export async function gatherAt(
  runtime: Runtime,
  outbox: OutboxStore,
  which: Omit<Gathering, "now" | "id" | "due">,
): Promise<boolean> {
  const now = runtime.now();
  const id = crypto.randomUUID();
  const record = await outbox.gather({ ...which, now, id, due: now + LEASE });
  if (record === undefined) return false;
  await workAt(runtime, record);
  return true;
}

/**
 * On from where the last look ended: if a look began with the first places each time, those would be sent
 * again before the last ones are, which would wait for ever where there are too many to send in a minute.
 */
async function nextPlaces(
  runtime: Runtime,
  outbox: OutboxStore,
  features: readonly string[],
): Promise<readonly Place[]> {
  const look = lookOf(runtime);
  const from = async (after: Place | null) => {
    const found = await outbox.unsent(features, runtime.now(), MOST, after);
    look.endedAt = found[MOST - 1] ?? null;
    return found;
  };
  const found = await from(look.endedAt);
  return found.length === 0 ? from(null) : found;
}

/** Each is of another customer or meter: of one, Stripe takes one call at a time. */
async function fewAtOnce<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const begun = all.slice(from, from + AT_ONCE).map(work);
    await Promise.allSettled(begun); // none of them may go on after an error
    await Promise.all(begun);
  }
}

/** Does the next step of a batch that this worker holds. */
export async function workAt(runtime: Runtime, record: StoredRecord): Promise<void> {
  const batch = record.data as unknown as MeterBatch;
  try {
    await checkPlace(runtime);
    await step(runtime, record, batch);
  } catch (error) {
    observe(runtime, batch, "failed");
    const line = { object: record.id, ...factsOf(error) };
    runtime.log?.warn(line, "Usage could not be sent; trying again");
    const tries = triesOf(record);
    await putOff(runtime, record, { ...batch, tries: tries + 1 }, pauseAfter(tries, PAUSE));
  }
}

async function step(runtime: Runtime, record: StoredRecord, batch: MeterBatch): Promise<void> {
  const next = stepOf(batch, runtime.now());
  if (next === "wait") {
    const pause = Math.min(askedAt(batch) - runtime.now(), LONGEST_PAUSE);
    return putOff(runtime, record, batch, pause);
  }
  if (next === "ask") {
    const sum = batch.isShared ? undefined : await sumOfMinute(runtime, batch);
    const problem = sum === undefined ? "unclear" : problemBySum(batch, sum);
    return problem === undefined
      ? sent(runtime, record, batch)
      : report(runtime, record, batch, problem);
  }
  const verdict = await sendBatch(runtime, record, batch);
  if (verdict.is === "sent") return sent(runtime, record, batch);
  const { code } = verdict;
  return report(runtime, record, code === undefined ? batch : { ...batch, code }, "refused");
}

async function sent(runtime: Runtime, record: StoredRecord, batch: MeterBatch): Promise<void> {
  if (isLate(batch, runtime.now())) return report(runtime, record, batch, "late");
  if (!(await put(runtime, removal(record)))) return;
  observe(runtime, batch, "sent");
  runtime.log?.info({ object: record.id }, "Usage was sent to its meter");
}

/** Leaves the batch as it is, for a person to look at. It stands in no other's way: it has no `ref`. */
async function report(
  runtime: Runtime,
  record: StoredRecord,
  batch: MeterBatch,
  problem: BatchProblem,
): Promise<void> {
  if (!(await put(runtime, written({ ...record, ref: null }, { ...batch, problem }, null)))) return;
  observe(runtime, batch, problem);
  const line = {
    object: record.id,
    problem,
    ...(batch.code === undefined ? {} : { reason: batch.code }),
  };
  runtime.log?.error(line, "Usage may not be billed as it should; `doctor` says what to do");
}

function observe(
  { telemetry }: Runtime,
  { feature, value }: MeterBatch,
  outcome: "sent" | "failed" | BatchProblem,
): void {
  telemetry?.measure("usage.units", value, { feature, outcome });
}

async function putOff(
  runtime: Runtime,
  record: StoredRecord,
  batch: MeterBatch,
  pause: number,
): Promise<void> {
  await put(runtime, written(record, batch, runtime.now() + pause));
  if (pause <= AWAKE) runtime.wake(pause);
}

/** False if another worker has taken it meanwhile. */
const put = async (runtime: Runtime, write: RecordWrite): Promise<boolean> =>
  (await commit(runtime, { source: "record", records: [write] })).committed;

const written = (
  { kind, id, ref, revision }: StoredRecord,
  batch: MeterBatch,
  due: number | null,
): RecordWrite => ({ kind, id, expect: revision, next: { ref, due, data: { ...batch } } });
