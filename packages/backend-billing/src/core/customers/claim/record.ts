/**
 * The claim in the store: read, written, linked. Nothing here decides; claim.ts does, and drive.ts
 * calls.
 */
import type Stripe from "stripe";
import { isAhead } from "../../mirror/due.js";
import { snapshotOfCreation, stripeStatus } from "../../mirror/snapshot.js";
import type { Claimed, Outcome, RecordKey, Snapshot, StoredRecord } from "../../mirror/store.js";
import { commit } from "../../runtime/commit/commit.js";
import { isLive } from "../../runtime/config.js";
import { modeMismatch } from "../../runtime/mode.js";
import { records } from "../../runtime/records/records.js";
import { AGAIN, inRounds } from "../../runtime/rounds.js";
import type { Runtime } from "../../runtime/runtime.js";
import { logLinked } from "../../runtime/telemetry/observe.js";
import { checkPlace, judgePlace, type Place, placeKeys } from "../../stripe/account.js";
import { type Details, fieldsOf, writtenOf } from "../written.js";
import {
  besides,
  type Claim,
  claimId,
  claimOf,
  claimWrite,
  forgotten,
  linkedTo,
  settled,
  type Target,
} from "./claim.js";
import { claimKey, digestOf, type KeyOwner } from "./key.js";

/** The options of every call that is about this target. */
export function reaching({ account }: Target): Stripe.RequestOptions {
  return account === null ? {} : { stripeAccount: account };
}

/** What the keys of this target's claims follow from. */
export function ownerOf({ app, config }: Runtime, { entityId, account }: Target): KeyOwner {
  return { app, entityId, account, livemode: isLive(config) };
}

export const keyOf = (runtime: Runtime, target: Target, counter: number): Promise<string> =>
  claimKey({ ...ownerOf(runtime, target), counter });

/** A claim that was written. */
export interface Put {
  readonly record: StoredRecord;
  /** What the rule said of the snapshot that was committed with it. */
  readonly act: Outcome["act"] | undefined;
}

/** What is committed together with a claim. */
export interface Along {
  readonly snapshot?: Snapshot | undefined;
  readonly place?: Place | undefined;
}

/** Writes the claim if it is still as it was read; undefined if it is not. */
export async function put(
  runtime: Runtime,
  record: StoredRecord | undefined,
  claim: Claim,
  { snapshot, place }: Along = {},
): Promise<Put | undefined> {
  const now = runtime.now();
  const write = claimWrite(record, claim, now, runtime.timing);
  const writes = [write, ...(place?.writes ?? [])];
  const result = await (snapshot === undefined
    ? commit(runtime, { source: "record", records: writes })
    : commit(runtime, { source: "call", units: [{ snapshots: [snapshot] }], records: writes }));
  if (!result.committed || write.next === null) return undefined;
  place?.passed();
  const isNew = claim.customerId !== (claimOf(record)?.customerId ?? null);
  if (claim.state === "linked" && isNew) logLinked(runtime, claim.customerId);
  const [unit] = result.units;
  const act = unit === undefined || unit.duplicate ? undefined : unit.outcomes[0]?.act;
  const { kind, id, expect, next } = write;
  return { record: { kind, id, revision: expect + 1, ...next }, act };
}

/** A claim as it was read, with all that is decided by. */
export interface ReadClaim extends Claimed {
  /** When it was asked for, in milliseconds. */
  readonly readAt: number;
  /**
   * The second up to which the mirror knows of all customers: a complete listing has shown those
   * that existed, and events the rest. Undefined where nothing is known.
   */
  readonly knownUntil: number | undefined;
  /** The last key that was used for this entity before it was erased; 0 for none. */
  readonly usedKey: number;
  /** What the first claim of an entity stores beside itself: whose the tables are. */
  readonly place: Place | undefined;
}

/**
 * Reads a claim, together with other records that a caller wants, and refuses a key that the tables
 * are not of, in one reading.
 */
export async function readClaim(
  runtime: Runtime,
  target: Target,
  wanted: readonly RecordKey[] = [],
): Promise<ReadClaim> {
  const marks = isMirrored(runtime, target) ? [CUSTOMERS, EVENTS] : [];
  const keys = [...placeKeys(runtime), ...wanted];
  const used = records.usedKeys(await digestOf(ownerOf(runtime, target)));
  const readAt = runtime.now();
  const read = await runtime.store.claimed(claimId(target), keys, [...marks, used]);
  const { beside } = read;
  const place = await judgePlace(runtime, beside);
  const isKept = place.writes.length === 0;
  // Where there is a claim its next step may be no write, so the place is stored by itself.
  if (!isKept && read.record !== undefined) await checkPlace(runtime);
  const isListed = CUSTOMERS.among(beside).data !== undefined;
  const at = EVENTS.among(beside).data?.at;
  return {
    ...read,
    readAt,
    usedKey: used.among(beside).data?.counter ?? 0,
    knownUntil: isListed && typeof at === "number" ? at : undefined,
    place: isKept || read.record !== undefined ? undefined : place,
  };
}

const CUSTOMERS = records.watermark("customers");
const EVENTS = records.watermark("events");

/**
 * The customer that a claim is linked to, to be given away: from then on the link does not move.
 * Undefined if there is none, or if the claim changed meanwhile.
 */
export async function linkOf(runtime: Runtime, read: ReadClaim): Promise<string | undefined> {
  const { record } = read;
  const claim = claimOf(record);
  if (claim === undefined) return undefined;
  if (claim.livemode !== isLive(runtime.config)) throw modeMismatch(!claim.livemode);
  if (claim.state !== "linked" || claim.customerId === null) return undefined;
  if (isGone(read, claim)) {
    await put(runtime, record, forgotten(claim, runtime.now()));
    return undefined;
  }
  // What was sent is dropped as soon as it is not needed; earlier versions kept it.
  const holdsParams = claim.params !== null && !isAhead(claim.leasedUntil, runtime.now());
  if (!claim.provisional && !holdsParams) return claim.customerId;
  return (await put(runtime, record, settled(claim))) === undefined ? undefined : claim.customerId;
}

/**
 * A link to a customer that is known to be deleted, but the claim was not updated: the deletion was
 * committed before the link, or found by other means than its event.
 */
export function isGone({ version }: ReadClaim, { account }: Claim): boolean {
  return account === null && version?.state === "deleted";
}

/** The mirror is of the key's own account, and of what the application chose. */
export function isMirrored({ resources }: Runtime, { account }: Target): boolean {
  return account === null && resources.includes("customers");
}

/** Links the customer, and mirrors it. */
export async function link(
  runtime: Runtime,
  held: StoredRecord,
  claim: Claim,
  customer: Stripe.Response<Stripe.Customer>,
  startedAt: number,
): Promise<void> {
  const snapshot = seen(runtime, claim, customer, startedAt);
  await put(runtime, held, linkedTo(claim, customer.id), { snapshot });
}

/**
 * Links the customer that was made under the claim's key. An event may have changed the claim while
 * the answer was on its way; as long as it is the same claim under the same key, the answer counts.
 * Answers whether the customer is linked now, and the mirror has it as Stripe answered it.
 */
export async function linkMade(
  runtime: Runtime,
  held: StoredRecord,
  claim: Claim,
  customer: Stripe.Response<Stripe.Customer>,
  startedAt: number,
): Promise<boolean> {
  const snapshot = seen(runtime, claim, customer, startedAt);
  const sent = [...fieldsOf((claim.params ?? {}) as Details)].filter(([, value]) => value !== "");
  const written = await writtenOf(runtime, customer.id, new Map(sent));
  const done = await conclude(
    runtime,
    held,
    (now) => {
      if (now.state !== "linked" || now.customerId === customer.id) {
        return { ...linkedTo(now, customer.id, true), written };
      }
      reportOther(runtime, customer.id);
      return { ...besides(now, [customer.id]), leasedUntil: 0 };
    },
    snapshot,
  );
  const isLinked = done?.record.ref === customer.id;
  // A snapshot that was dropped is one of a customer that is deleted by now.
  return isLinked && (snapshot === undefined || done.act === "write" || done.act === "touch");
}

/** Changes the claim that is held, or what events have made of it; undefined if it is another one. */
export async function conclude(
  runtime: Runtime,
  held: StoredRecord,
  change: (claim: Claim) => Claim,
  snapshot?: Snapshot,
): Promise<Put | undefined> {
  const mine = claimOf(held);
  let record: StoredRecord | undefined = held;
  return inRounds("The claim of an entity on its customer", async () => {
    const claim = claimOf(record);
    if (claim?.generation !== mine?.generation || claim?.key !== mine?.key) return undefined;
    if (claim === undefined) return undefined;
    const done = await put(runtime, record, change(claim), { snapshot });
    if (done !== undefined) return done;
    record = await runtime.store.record("claim", held.id);
    return AGAIN;
  });
}

/** The customer as Stripe answered it, for the mirror; undefined where it is not mirrored. */
export function seen(
  runtime: Runtime,
  target: Target,
  customer: Stripe.Response<Stripe.Customer | Stripe.DeletedCustomer>,
  startedAt: number,
): Snapshot | undefined {
  if (!isMirrored(runtime, target)) return undefined;
  const snapshot = snapshotOfCreation(runtime, "customers", customer, startedAt);
  return customer.deleted ? { ...snapshot, kind: "deleted", content: null } : snapshot;
}

/** Stores what was seen of a customer. */
export async function store(runtime: Runtime, snapshot: Snapshot | undefined): Promise<void> {
  if (snapshot === undefined) return;
  await commit(runtime, { source: "call", units: [{ snapshots: [snapshot] }] });
}

/** A deleted customer is unlinked; the next `setup` makes a new one. */
export async function forgetCustomer(runtime: Runtime, customerId: string): Promise<void> {
  return inRounds("The claim on a deleted customer", async () => {
    const [record] = await runtime.store.recordsOf("claim", customerId, "", 1);
    const claim = claimOf(record);
    if (record === undefined || claim === undefined) return;
    const next = forgotten(claim, runtime.now());
    if ((await put(runtime, record, next)) === undefined) return AGAIN;
  });
}

/**
 * Whether a customer belongs to another entity: editing its metadata at Stripe moves no link. One that
 * was erased belongs to none any more.
 */
export async function isTaken(runtime: Runtime, customer: string, by: Target): Promise<boolean> {
  const [owners, gone] = await Promise.all([
    runtime.store.recordsOf("claim", customer, "", 1),
    isErased(runtime, customer),
  ]);
  return gone || owners.some(({ id }) => id !== claimId(by));
}

/** Whether a customer was erased: it may still be at Stripe. */
export const isErased = async (runtime: Runtime, customer: string): Promise<boolean> =>
  (await records.erased(customer).read(runtime)).data !== undefined;

export function reportOther(runtime: Runtime, customer: string): void {
  const line = { object: customer };
  runtime.log?.warn(
    line,
    "A second customer carries an entity's id; it is mirrored and not linked",
  );
}

/** The customer as Stripe has it now; undefined if it is deleted, which is then stored. */
export async function retrieve(
  runtime: Runtime,
  target: Target,
  id: string,
): Promise<Stripe.Response<Stripe.Customer> | undefined> {
  const startedAt = runtime.now();
  try {
    const found = await runtime.stripe().customers.retrieve(id, {}, reaching(target));
    if (!found.deleted) return found;
    await store(runtime, seen(runtime, target, found, startedAt));
  } catch (error) {
    if (stripeStatus(error) !== 404) throw error;
  }
  return undefined;
}
