/** What a person does about a batch that was reported: it is sent anew, or closed. */
import type { StoredRecord } from "../../mirror/store.js";
import { BillingError } from "../../runtime/errors.js";
import type { BatchProblem, MeterBatch } from "../../runtime/records/batches.js";
import type { UsageBooks } from "../../runtime/records/books.js";
import type { Runtime } from "../../runtime/runtime.js";
import { checkPlace } from "../../stripe/account.js";
import { LEASE, workAt } from "../outbox/outbox.js";
import { sumOfMinute } from "../outbox/send.js";

const SHARED =
  "Other batches may have the same minute, so compare what the customer was billed for the period with its usage. Bill by hand what is missing, and drop the batch, with --counted if nothing is.";
const OWN = "Drop it, with --counted if it is what the meter shows.";

/** Whether another batch may be in the minute: once its period is over, minutes are shared where there are too few. */
const mayShare = ({ isShared, closesAt }: MeterBatch, now: number): boolean =>
  isShared === true || (closesAt !== null && closesAt <= now);

/** A batch, with the id that Stripe knows it by. */
export interface NamedBatch extends MeterBatch {
  readonly id: string;
}

export const batchIn = ({ id, data }: StoredRecord): NamedBatch => ({
  id,
  ...(data as unknown as MeterBatch),
});

/** What became of a batch that was sent anew. */
export interface Resent {
  /** Its new id. */
  readonly id: string;
  /** `under_way`: Stripe's answer was lost, and the application sends it again. */
  readonly outcome: "sent" | "under_way" | BatchProblem;
  /** What Stripe called it, where it refused. */
  readonly code?: string;
}

/**
 * Sends a batch anew, under a new identifier, in its minute: unless its meter shows something there, which may be
 * another batch's where the minute is shared. It is stored before it is sent, so that the application goes on with it
 * if this process ends.
 */
export async function sendAnew(runtime: Runtime, record: StoredRecord): Promise<Resent> {
  const { problem, code: _, ...batch } = checkReported(record);
  if (problem === "late") {
    throw refusal(
      `Stripe has counted the batch ${record.id}, only late: to send it would count it twice.`,
    );
  }
  await checkPlace(runtime);
  const sum = await sumOfMinute(runtime, batch);
  if (sum !== undefined && sum !== 0) {
    throw refusal(
      `Stripe's meter shows ${sum} units in the minute of the batch ${record.id}, which has ${batch.value}: to send it could count it twice. ${mayShare(batch, runtime.now()) ? SHARED : OWN}`,
    );
  }
  const now = runtime.now();
  const next = {
    ...record,
    id: crypto.randomUUID(),
    revision: 1,
    due: now + LEASE,
    data: { ...batch, firstAt: now, tries: 0 },
  };
  await settled(runtime, record, next, true);
  await workAt(runtime, next);
  const after = await runtime.store.record("batch", next.id);
  const { problem: again, code } = after === undefined ? {} : batchIn(after);
  return {
    id: next.id,
    outcome: after === undefined ? "sent" : (again ?? "under_way"),
    ...(code === undefined ? {} : { code }),
  };
}

/** Closes a batch: its usage counts as sent if Stripe has counted it, and is not billed otherwise. */
export async function dropBatch(
  runtime: Runtime,
  record: StoredRecord,
  isCounted: boolean,
): Promise<void> {
  checkReported(record);
  await settled(runtime, record, null, isCounted);
}

/** Whether Stripe has counted a batch, by what was found of it. */
export const wasCounted = ({ problem }: Pick<MeterBatch, "problem">): boolean => problem === "late";

function checkReported(record: StoredRecord): MeterBatch {
  const batch = record.data as unknown as MeterBatch;
  if (batch.problem !== undefined) return batch;
  throw refusal(`The batch ${record.id} is being sent: the application goes on with it by itself.`);
}

async function settled(
  { books }: Runtime,
  record: StoredRecord,
  next: Parameters<UsageBooks["settle"]>[1],
  isBilled: boolean,
): Promise<void> {
  if (books === undefined) throw refusal("This store does not show its usage.");
  if (await books.settle(record, next, isBilled)) return;
  throw refusal(`The batch ${record.id} was settled just now, by another call.`);
}

const refusal = (message: string) => new BillingError("invalid_argument", message);
