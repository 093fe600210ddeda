/**
 * Ends the grace of subscriptions that are past due: the job that takes up the record `lapse`, which
 * every commit of such a subscription requests. Access then ends by a row, because no query runs
 * again only because time has passed.
 */
import { accessRequest } from "../mirror/changes.js";
import type { Lease, RecordWrite, StoredRecord } from "../mirror/store.js";
import { policyOf } from "../plans/access.js";
import { commit } from "../runtime/commit/commit.js";
import { lookedAt } from "../runtime/commit/lapse.js";
import { hears } from "../runtime/commit/listening.js";
import { factsOf } from "../runtime/error-facts.js";
import { removal } from "../runtime/records/record.js";
import type { Runtime } from "../runtime/runtime.js";
import { type Lapse, pastDueSince } from "./lapse.js";

const LEASE = 60_000;
const DAY = 86_400_000;

/** How records are taken whose subscription is to be looked at. */
export const lapseLease = ({ now }: Pick<Runtime, "now">, limit = 20): Lease => ({
  now: now(),
  lease: LEASE,
  limit,
});

/** Looks at the subscriptions past due whose time has come; answers how many. */
export async function endGraces(runtime: Runtime, limit = 20): Promise<number> {
  const due = await runtime.store.takeRecords("lapse", lapseLease(runtime, limit));
  for (const record of due) {
    try {
      await endGrace(runtime, record);
    } catch (error) {
      const line = { object: record.id, ...factsOf(error) };
      runtime.log?.warn(line, "The end of a grace period could not be worked out; trying again");
    }
  }
  return due.length;
}

/** A request that comes meanwhile has raised the revision; then the record is taken up again. */
async function endGrace(runtime: Runtime, look: StoredRecord): Promise<void> {
  const id = lookedAt(look.id);
  const [lapse, stored] = await Promise.all([
    lapseOf(runtime, id),
    runtime.store.record("lapse", id),
  ]);
  if (lapse === undefined) {
    const records = [look, ...(stored === undefined ? [] : [stored])].map(removal);
    await commit(runtime, { source: "record", records });
    return;
  }
  const now = runtime.now();
  const data: Lapse = { since: lapse.since, over: now >= lapse.end };
  // At least once a day: the oldest open invoice may be another one by then, or the policy.
  const due = data.over ? now + DAY : Math.min(lapse.end, now + DAY);
  const again = { kind: look.kind, id: look.id, expect: look.revision };
  const isNew = stored?.data.since !== data.since || stored.data.over !== data.over;
  const records = [
    { ...again, next: { ref: look.ref, due, data: {} } },
    ...(isNew ? [stateWrite(id, stored, data)] : []),
  ];
  const isListened = isNew && (await hears(runtime, "access.granted", "access.lost"));
  const requests = isListened ? [accessRequest(lapse.entityId, crypto.randomUUID(), now)] : [];
  const { committed } = await commit(
    runtime,
    isListened
      ? { source: "answer", units: [{ requests }], records }
      : { source: "record", records },
  );
  if (!committed || !isNew || !data.over) return;
  const line = { object: id, resource: "subscriptions" };
  runtime.log?.info(line, "The grace of a subscription past due is over");
}

/** What reads go by. */
function stateWrite(id: string, stored: StoredRecord | undefined, data: Lapse): RecordWrite {
  const next = { ref: null, due: null, data: { ...data } };
  return { kind: "lapse", id, expect: stored?.revision ?? 0, next };
}

/** When the grace of a subscription began and ends; undefined if it has none. */
async function lapseOf(
  runtime: Runtime,
  id: string,
): Promise<
  { readonly since: number; readonly end: number; readonly entityId: string } | undefined
> {
  const { past_due: kept } = policyOf(runtime.config.catalogue);
  if (typeof kept === "boolean" || !runtime.resources.includes("customers")) return undefined;
  const row = await runtime.store.row("subscriptions", id);
  if (row?.stripe?.status !== "past_due") return undefined;
  const entityId = (await runtime.store.row("customers", row.customerId))?.entityId;
  if (entityId == null) return undefined; // no entity reads it; once it is linked, the next commit asks
  const facts = await runtime.store.subscribed(entityId);
  const since = pastDueSince(facts, row.stripe);
  return since === null ? undefined : { since, end: since + kept.days * DAY, entityId };
}
