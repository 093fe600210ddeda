/**
 * Credits follow what is paid: the job that takes up the records of the kind `credits`. What a record
 * has to say is in the mirror, so a record that is taken up twice, late or in vain does no harm.
 */
import { settleLines } from "../../events/session.js";
import type { Lease, StoredRecord } from "../../mirror/store.js";
import { commit } from "../../runtime/commit/commit.js";
import { factsOf } from "../../runtime/error-facts.js";
import type { CreditsOutcome, CreditsStore } from "../../runtime/records/credits.js";
import { removal } from "../../runtime/records/record.js";
import type { Runtime } from "../../runtime/runtime.js";
import { pauseAfter, triesOf } from "../../subscriptions/seats/terms.js";

const LEASE = 30_000;
/** Milliseconds after which a feature that the catalogue lacks is looked for again, at first. */
const PAUSE = 60_000;

/** How records are taken whose credits are to be set. */
export const creditsLease = ({ now }: Runtime, limit = 20): Lease => ({
  now: now(),
  lease: LEASE,
  limit,
});

/** Sets the credits of purchases that changed; answers how many were looked at. */
export async function followCredits(runtime: Runtime): Promise<number> {
  const { credits, store } = runtime;
  if (credits === undefined) return 0;
  const due = await store.takeRecords("credits", creditsLease(runtime));
  for (const record of due) {
    try {
      await followOne(runtime, credits, record);
    } catch (error) {
      const line = { object: record.id, ...factsOf(error) };
      runtime.log?.warn(line, "Credits could not be given or taken back; trying again");
      runtime.wake(LEASE);
    }
  }
  return due.length;
}

async function followOne(
  runtime: Runtime,
  credits: CreditsStore,
  record: StoredRecord,
): Promise<void> {
  const { ref: page } = record;
  // Without a page it is not paid, or no purchase with credits; the commit of one says which.
  const outcome = page === null ? "foreign" : await settled(runtime, credits, page);
  if (outcome === "feature") {
    const line = "Credits were sold of a feature that the catalogue lacks; they are given later";
    runtime.log?.warn({ object: page }, line);
  }
  if (outcome === "lines") {
    runtime.log?.warn({ object: page }, "Stripe has dropped a page; its credits are not given");
  }
  const done = outcome === "foreign" ? removal(record) : keptUntil(runtime, record, outcome);
  // A change that came meanwhile has raised the revision; then the record stays due.
  await commit(runtime, { source: "record", records: [done] });
}

async function settled(
  runtime: Runtime,
  credits: CreditsStore,
  page: string,
): Promise<CreditsOutcome> {
  const outcome = await credits.settle(page, runtime.now());
  if (outcome !== "lines") return outcome;
  await settleLines(runtime, page);
  return credits.settle(page, runtime.now());
}

/** The record names the page of a payment, so it stays, due when there is something to do again. */
function keptUntil({ now }: Runtime, record: StoredRecord, outcome: CreditsOutcome) {
  const { kind, id, ref, revision } = record;
  const tries = triesOf(record);
  const isLater = outcome === "feature";
  const due = isLater ? now() + pauseAfter(tries, PAUSE) : null;
  const next = { ref, due, data: isLater ? { tries: tries + 1 } : {} };
  return { kind, id, expect: revision, next };
}
