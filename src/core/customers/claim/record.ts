/**
 * The claim in the store: read, written, linked. Nothing here decides; claims.ts does, and
 * claiming.ts calls.
 */
import type Stripe from "stripe";
import { isAhead } from "../../mirror/due.js";
import { snapshotOfCreation, stripeStatus } from "../../mirror/snapshot.js";
import type { Claimed, Snapshot, StoredRecord } from "../../mirror/store.js";
import { commit } from "../../runtime/commit/commit.js";
import { isLive } from "../../runtime/config.js";
import { modeMismatch } from "../../runtime/mode.js";
import { logLinked } from "../../runtime/observe.js";
import { AGAIN, inRounds } from "../../runtime/rounds.js";
import type { Runtime } from "../../runtime/runtime.js";
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
import { claimKey, type KeyOwner } from "./key.js";

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

/** Writes the claim if it is still as it was read; answers the record it became, or undefined. */
export async function put(
  runtime: Runtime,
  record: StoredRecord | undefined,
  claim: Claim,
  snapshot?: Snapshot,
): Promise<StoredRecord | undefined> {
  const now = runtime.now();
  const write = claimWrite(record, claim, now, runtime.timing);
  const records = [write];
  const result = await (snapshot === undefined
    ? commit(runtime, { source: "record", records })
    : commit(runtime, { source: "call", units: [{ snapshots: [snapshot] }], records }));
  if (!result.committed || write.next === null) return undefined;
  const isNew = claim.customerId !== (claimOf(record)?.customerId ?? null);
  if (claim.state === "linked" && isNew) logLinked(runtime, claim.customerId);
  const { kind, id, expect, next } = write;
  return { kind, id, revision: expect + 1, ...next };
}

/** A claim with its customer; without them where there is no claim. */
export type ReadClaim = Partial<Claimed>;

export async function readClaim({ store }: Runtime, target: Target): Promise<ReadClaim> {
  return (await store.claimed(claimId(target))) ?? {};
}

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
  if (await isGone(runtime, read, claim)) {
    await put(runtime, record, forgotten(claim, runtime.now()));
    return undefined;
  }
  // What was sent is dropped as soon as it is not needed; earlier versions kept it.
  const holdsParams = claim.params !== null && !isAhead(claim.leasedUntil, runtime.now());
  if (!claim.provisional && !holdsParams) return claim.customerId;
  return (await put(runtime, record, settled(claim))) && claim.customerId;
}

/**
 * A link to a customer that is known to be deleted, but the claim was not told: the deletion was
 * committed before the link, or found by other means than its event.
 */
async function isGone(
  { store }: Runtime,
  read: ReadClaim,
  { account, customerId }: Claim,
): Promise<boolean> {
  if (account !== null || customerId === null) return false;
  const version = "version" in read ? read.version : await store.version("customers", customerId);
  return version?.state === "deleted";
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
  await put(runtime, held, linkedTo(claim, customer.id), seen(runtime, claim, customer, startedAt));
}

/**
 * Links the customer that was made under the claim's key. An event may have changed the claim while
 * the answer was on its way; as long as it is the same claim under the same key, the answer counts.
 */
export async function linkMade(
  runtime: Runtime,
  held: StoredRecord,
  claim: Claim,
  customer: Stripe.Response<Stripe.Customer>,
  startedAt: number,
): Promise<void> {
  const snapshot = seen(runtime, claim, customer, startedAt);
  const sent = fieldsOf((claim.params ?? {}) as Details);
  const written = await writtenOf(runtime, customer.id, sent);
  await conclude(
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
}

/** Changes the claim that is held, or what events have made of it; not another one. */
export async function conclude(
  runtime: Runtime,
  held: StoredRecord,
  change: (claim: Claim) => Claim,
  snapshot?: Snapshot,
): Promise<void> {
  const mine = claimOf(held);
  let record: StoredRecord | undefined = held;
  return inRounds("The claim of an entity on its customer", async () => {
    const claim = claimOf(record);
    if (claim?.generation !== mine?.generation || claim?.key !== mine?.key) return;
    if (claim === undefined) return;
    if ((await put(runtime, record, change(claim), snapshot)) !== undefined) return;
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

/** Whether a customer belongs to another entity: editing its metadata at Stripe moves no link. */
export async function isTaken(runtime: Runtime, customer: string, by: Target): Promise<boolean> {
  const owners = await runtime.store.recordsOf("claim", customer, "", 1);
  return owners.some(({ id }) => id !== claimId(by));
}

export function reportOther(runtime: Runtime, customer: string): void {
  const line = { object: customer };
  runtime.log?.warn(
    line,
    "A second customer carries an entity's id; it is mirrored and not linked",
  );
}

/** The customer as it is now; undefined if it is gone, and then the mirror knows. */
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
