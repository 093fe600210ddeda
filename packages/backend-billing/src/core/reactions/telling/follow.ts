/** What follows from a change beside what is told of it: looks at the access, notices, present states. */
import type { ResourceName, StripeObject } from "../../catalogue/catalogue.js";
import { accessRequest, changeRef, type StoredChange } from "../../mirror/changes.js";
import type { RecordRequest, Store, StoredRecord, SubscriptionFacts } from "../../mirror/store.js";
import { pastDueSince } from "../../subscriptions/lapse.js";
import type { Delivery } from "../delivery.js";
import { eventOrigins } from "../names.js";
import { trialNotice } from "../trial.js";
import { accessFrom, accessWrite, type KnownAccess } from "./access-record.js";
import type { Follows, TellingContext } from "./context.js";
import type { Owner } from "./entity.js";

/** How many changes of an object are looked through for one that waits. */
const WAITING = 20;

/**
 * What the oldest change of an object that waits, after the given one, says was before it, or else
 * what is there.
 */
export async function contentThen(
  reads: Pick<Store, "row" | "recordsOf">,
  resource: ResourceName,
  id: string,
  after = "",
): Promise<object | null> {
  // In this order: a change that comes in between says what the row was when it was read.
  const row = await reads.row(resource, id);
  const waiting = await waitingOf(reads, changeRef(resource, id), after);
  return waiting === undefined
    ? (row?.stripe ?? null)
    : (waiting.data as unknown as Delivery).before;
}

/** The oldest change that waits to be told of an object, after a given one. */
async function waitingOf(
  reads: Pick<Store, "recordsOf">,
  ref: string,
  after = "",
): Promise<StoredRecord | undefined> {
  const changes = await reads.recordsOf("change", ref, after, WAITING);
  return changes.find(({ due }) => due !== null);
}

const listensToAccess = ({ names }: TellingContext): boolean =>
  names.has("access.granted") || names.has("access.lost");

/**
 * An entity's access may have changed: it is looked at next, against what it had before. Where nothing
 * was told of it yet and its customer is gone, only its subscriptions show that, as they end.
 */
export async function accessFollows(
  context: TellingContext,
  { resource, key, at }: StoredChange,
  { entityId, isFormer }: Owner,
  facts: SubscriptionFacts,
): Promise<Follows> {
  const isAbout = eventOrigins["access.granted"].raisedBy.includes(resource as ResourceName);
  if (!isAbout || !listensToAccess(context)) return { writes: [], requests: [] };
  const record = await context.reads.record("access", entityId);
  if (record === undefined && isFormer && resource !== "subscriptions") {
    return { writes: [], requests: [] };
  }
  // Where nothing is known yet, what waits to be looked at is the end of a grace: it was not over before.
  const look = record ?? (await waitingOf(context.reads, changeRef("access", entityId)));
  const from = { key, isGraceOver: look !== undefined };
  const known = await knownAccess(context, record, entityId, facts, from);
  const writes = record === undefined ? [accessWrite(entityId, undefined, known)] : [];
  return { writes, requests: [accessRequest(entityId, key, at)] };
}

/**
 * What was last told of an entity's access. Of an entity of which nothing was: what it had before the
 * changes that wait, so that it is not told to be given what it has had all along. What a customer had
 * when it was linked counts as nothing before that.
 */
export async function knownAccess(
  { reads, catalogue }: TellingContext,
  record: StoredRecord | undefined,
  entityId: string,
  facts: SubscriptionFacts,
  { key, isGraceOver }: { readonly key: string; readonly isGraceOver: boolean },
): Promise<KnownAccess> {
  if (record !== undefined) return record.data as unknown as KnownAccess;
  const then = await Promise.all(
    facts.subscriptions.map(({ id }) => contentThen(reads, "subscriptions", id)),
  );
  const subscriptions = then.filter((each) => each !== null) as StripeObject<"subscriptions">[];
  const lapses = isGraceOver
    ? facts.lapses.filter(({ data }) => data.over !== true)
    : await lapsesThen(reads, facts, subscriptions);
  return accessFrom({ ...facts, subscriptions, lapses }, { entityId, catalogue }, key);
}

/** Whose grace was over then. The invoice by which it began may be paid for by now. */
async function lapsesThen(
  reads: Pick<Store, "record">,
  facts: SubscriptionFacts,
  subscriptions: readonly StripeObject<"subscriptions">[],
): Promise<readonly StoredRecord[]> {
  const late = subscriptions.filter(({ status }) => status === "past_due");
  const lapses = await Promise.all(
    late.map(async (each): Promise<readonly StoredRecord[]> => {
      const lapse = await reads.record("lapse", each.id);
      const since = pastDueSince(facts, each);
      return lapse === undefined ? [] : [{ ...lapse, data: { ...lapse.data, since } }];
    }),
  );
  return lapses.flat();
}

/** Where a trial is to be announced that was not announced yet, a record that is due then. */
export async function trialFollows(
  { names, reads }: TellingContext,
  { resource, id, after }: Pick<StoredChange, "resource" | "id" | "after">,
  at: number,
): Promise<readonly RecordRequest[]> {
  if (resource !== "subscriptions" || !names.has("trial.ending")) return [];
  if (trialNotice(after) === null) return [];
  const { dueAt, raisedAt } = (await reads.record("notice", id))?.data ?? {};
  const notice = trialNotice(after, typeof raisedAt === "number" ? raisedAt : null);
  if (notice === null || notice.until <= at || dueAt === notice.dueAt) return [];
  return [{ kind: "notice", id, due: notice.dueAt, data: { dueAt: notice.dueAt } }];
}
