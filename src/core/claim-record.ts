/**
 * The claim in the store: read, written, linked. Nothing here decides; claims.ts does, and
 * claiming.ts calls.
 */
import type Stripe from "stripe";
import {
  type Claim,
  claimId,
  claimOf,
  claimWrite,
  freed,
  linkedTo,
  settled,
  type Target,
} from "./claims.js";
import { isLive } from "./config.js";
import { ASK_DELAY } from "./mirror.js";
import { modeMismatch } from "./mode.js";
import { tellLinked } from "./observe.js";
import type { Runtime } from "./runtime.js";
import { sightOfCreation, stripeStatus } from "./sight.js";
import type { Claimed, Snapshot, StoredRecord } from "./store.js";

/** The options of every call that is about this target. */
export function reaching({ account }: Target): Stripe.RequestOptions {
  return account === null ? {} : { stripeAccount: account };
}

/** Writes the claim if it is still as it was read; answers the record it became, or undefined. */
export async function put(
  runtime: Runtime,
  record: StoredRecord | undefined,
  claim: Claim,
  snapshot?: Snapshot,
): Promise<StoredRecord | undefined> {
  const now = runtime.now();
  const write = claimWrite(record, claim, now, runtime.timing);
  const result = await runtime.store.commit({
    now,
    units: snapshot === undefined ? [] : [{ snapshots: [snapshot] }],
    records: [write],
  });
  if (!result.committed || write.next === null) return undefined;
  const [unit] = result.units;
  if (unit?.duplicate === false && unit.outcomes[0]?.act === "ask") runtime.wake(ASK_DELAY);
  const isNew = claim.customerId !== (claimOf(record)?.customerId ?? null);
  if (claim.state === "linked" && isNew) tellLinked(runtime, claim.customerId);
  const { kind, id, expect, next } = write;
  return { kind, id, revision: expect + 1, ...next };
}

/** A claim, with its customer if the store has read both at once. */
export type ReadClaim = Partial<Claimed>;

export async function readClaim({ store }: Runtime, target: Target): Promise<ReadClaim> {
  const id = claimId(target);
  if (store.claimed !== undefined) return (await store.claimed(id)) ?? {};
  const record = await store.record("claim", id);
  return record === undefined ? {} : { record };
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
    await put(runtime, record, freed(claim));
    return undefined;
  }
  if (!claim.provisional) return claim.customerId;
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
  const snapshot = isMirrored(runtime, claim)
    ? sightOfCreation(runtime, "customers", customer, startedAt)
    : undefined;
  await put(runtime, held, linkedTo(claim, customer.id), snapshot);
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

/** The customer as it is now; undefined if it is gone. */
export async function retrieve(
  runtime: Runtime,
  target: Target,
  id: string,
): Promise<Stripe.Response<Stripe.Customer> | undefined> {
  try {
    const found = await runtime.stripe().customers.retrieve(id, {}, reaching(target));
    return found.deleted ? undefined : found;
  } catch (error) {
    if (stripeStatus(error) !== 404) throw error;
    return undefined;
  }
}
