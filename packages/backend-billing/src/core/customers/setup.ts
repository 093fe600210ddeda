/**
 * Exactly one customer for an entity: `setup` from many callers, in many processes, that may die
 * at any step; and what events and lists tell about customers that carry an entity's id.
 */

import type Stripe from "stripe";
import { entityInMetadata, RESERVED_KEYS } from "../catalogue/carrier.js";
import type { Row } from "../catalogue/catalogue.js";
import type { Lease, RecordKey } from "../mirror/store.js";
import { checkEntityId } from "../runtime/commit/seats.js";
import { factsOf } from "../runtime/error-facts.js";
import { BillingError } from "../runtime/errors.js";
import { defineLocal } from "../runtime/local.js";
import { createRecent } from "../runtime/recent.js";
import { AGAIN, inRounds } from "../runtime/rounds.js";
import type { Runtime } from "../runtime/runtime.js";
import { type Annotate, observed } from "../runtime/telemetry/telemetry.js";
import { type Claim, claimId, claimOf, nextCounter, type Target } from "./claim/claim.js";
import { drive, isRefusal } from "./claim/drive.js";
import { claimKey, counterIn } from "./claim/key.js";
import {
  isTaken,
  linkOf,
  ownerOf,
  put,
  type ReadClaim,
  readClaim,
  reportOther,
} from "./claim/record.js";
import { afterForeignSighting, afterSighting } from "./claim/sightings.js";
import { bringDetails } from "./details.js";
import { checkMetadata } from "./metadata.js";
import { recordStrangers, strangerBy } from "./strangers.js";

/** What `setup` takes. */
export interface SetupArgs {
  readonly entityId: string;
  readonly email?: string | undefined;
  readonly metadata?: { readonly [key: string]: string } | undefined;
}

/** Of the request options that a caller gave, those that reach every call. */
export type Reach = Pick<Stripe.RequestOptions, "stripeAccount">;

export function checkSetup({ entityId, email, metadata }: SetupArgs): void {
  checkEntityId(entityId);
  if (email && typeof email !== "string") {
    throw new BillingError("invalid_argument", "`email` must be a text.");
  }
  checkMetadata(metadata);
  const reserved = RESERVED_KEYS.find((key) => metadata && Object.hasOwn(metadata, key));
  if (reserved !== undefined) {
    throw new BillingError(
      "reserved_metadata_key",
      `\`metadata.${reserved}\` is set by the library and cannot be passed. Use another key; the entity is passed as \`entityId\`.`,
    );
  }
}

const targetOf = (entityId: string, { stripeAccount }: Reach): Target => ({
  entityId,
  account: stripeAccount ?? null,
});

/** The customer of an entity, and records that were read along with its claim. */
export interface CustomerRead extends Pick<ReadClaim, "beside" | "readAt"> {
  readonly customerId: string;
}

/**
 * Begins to find the customer of an entity: reads its claim, with records that the caller wants along
 * with it. What is done by it later finds out if it has changed.
 */
export const readAhead = (
  runtime: Runtime,
  entityId: string,
  reach: Reach,
  wanted: readonly RecordKey[],
): Promise<ReadClaim> => readClaim(runtime, targetOf(entityId, reach), wanted);

/** Creates or finds the customer of an entity, and brings its email and metadata up to date. */
export async function setup(
  runtime: Runtime,
  args: SetupArgs,
  reach: Reach = {},
): Promise<{ customerId: string }> {
  const { customerId } = await setupReading(runtime, args, reach, []);
  return { customerId };
}

/** The same, with records that the caller wants from the same reading, or has read with it. */
export function setupReading(
  runtime: Runtime,
  args: SetupArgs,
  reach: Reach,
  wanted: readonly RecordKey[],
  ahead?: ReadClaim,
): Promise<CustomerRead> {
  return observed(runtime.telemetry, "setup", (annotate) =>
    setUp(runtime, args, reach, { wanted, ahead }, annotate),
  );
}

/** The records to be read along with the claim, and what was read of both before. */
interface Wanted {
  readonly wanted: readonly RecordKey[];
  readonly ahead: ReadClaim | undefined;
}

async function setUp(
  runtime: Runtime,
  args: SetupArgs,
  reach: Reach,
  { wanted, ahead }: Wanted,
  annotate: Annotate | undefined,
): Promise<CustomerRead> {
  checkSetup(args);
  annotate?.({ outcome: "found" });
  const target = targetOf(args.entityId, reach);
  return inRounds("The entity's customer", async (round) => {
    const read = (round === 0 && ahead) || (await readClaim(runtime, target, wanted));
    const { beside, readAt } = read;
    const customerId = await linkOf(runtime, read);
    annotate?.(customerId === undefined ? { outcome: "claimed" } : { object: customerId });
    if (customerId !== undefined) {
      const isDone = await bringDetails(runtime, target, customerId, args, read);
      return isDone ? { customerId, beside, readAt } : AGAIN;
    }
    if (claimOf(read.record)?.state === "linked") return AGAIN; // it has just changed
    const made = await makeTogether(runtime, target, args, read);
    if (made === undefined) return AGAIN;
    annotate?.({ object: made });
    return { customerId: made, beside, readAt };
  });
}

/** Customers that are being created, so that concurrent callers of this process can wait. */
const makingIn = defineLocal("runtime", "customers", () => new Map<string, Promise<unknown>>());

/**
 * Makes the customer and answers it, or waits until another caller in this process has made it, so
 * that many callers do not all look at one row. A caller that waited reads the claim for itself:
 * what the other was given may be gone by now.
 */
async function makeTogether(
  runtime: Runtime,
  target: Target,
  args: SetupArgs,
  read: ReadClaim,
): Promise<string | undefined> {
  const all = makingIn(runtime);
  const id = claimId(target);
  const other = all.get(id);
  if (other !== undefined) {
    const trouble = await other;
    if (trouble !== undefined && !isRefusal(trouble)) throw trouble;
    return undefined;
  }
  const mine = drive(runtime, target, args, read);
  const ended = mine.then(
    () => undefined,
    (error: unknown) => error,
  );
  all.set(id, ended);
  await ended;
  all.delete(id);
  return mine;
}

/** The customer of an entity, or an error that says what to do. */
export async function customerIdOf(
  runtime: Runtime,
  entityId: string,
  reach: Reach = {},
): Promise<string> {
  return (await customerReading(runtime, entityId, reach, [])).customerId;
}

/** The same, with records that the caller wants from the same reading. */
export async function customerReading(
  runtime: Runtime,
  entityId: string,
  reach: Reach,
  wanted: readonly RecordKey[],
  ahead?: ReadClaim,
): Promise<CustomerRead> {
  checkSetup({ entityId });
  const target = targetOf(entityId, reach);
  return inRounds("The entity's customer", async (round) => {
    const read = (round === 0 && ahead) || (await readClaim(runtime, target, wanted));
    const customerId = await linkOf(runtime, read);
    const { beside, readAt } = read;
    if (customerId !== undefined) return { customerId, beside, readAt };
    if (claimOf(read.record)?.state === "linked") return AGAIN; // it has just changed
    throw new BillingError(
      "customer_not_found",
      `The entity ${entityId} has no Stripe customer. Call \`setup\` for it first, typically when it is created.`,
    );
  });
}

/** A customer whose entity an event, a list or an answer has shown. */
export interface Carrier {
  readonly id: string;
  readonly entityId: string;
  /** Of the request that made it, where that is known. */
  readonly idempotencyKey: string | null;
  /** Seconds: when the event happened, where one tells. */
  readonly at?: number;
}

/**
 * A customer that carries an entity's id was seen: it may resolve a claim, be adopted, or be one
 * too many. What it carries is read from the mirror, where it was judged: what an old event says
 * links nothing. Idempotent.
 */
export async function observeCustomer(runtime: Runtime, customer: Carrier): Promise<void> {
  const { id } = customer;
  if (isLinkKnown(runtime, customer.entityId, id)) return;
  const row = await runtime.store.row("customers", id);
  if (row === undefined) return;
  const entity = entityInMetadata(row.stripe.metadata, runtime.app);
  const stranger = strangerBy(entity, id);
  if (stranger !== undefined) await recordStrangers(runtime, [stranger]);
  if (entity.is !== "ours" && entity.is !== "foreign") return;
  const { entityId } = entity;
  await linkSighting(runtime, row, { ...customer, entityId, isForeign: entity.is === "foreign" });
}

async function linkSighting(
  runtime: Runtime,
  { stripe: { created } }: Row<"customers">,
  customer: Carrier & { readonly isForeign: boolean },
): Promise<void> {
  const { id, entityId } = customer;
  const target: Target = { entityId, account: null };
  const owner = ownerOf(runtime, target);
  const counterOfKey = await counterIn(owner, customer.idempotencyKey);
  return inRounds("The claim of an entity on its customer", async () => {
    const record = await runtime.store.record("claim", claimId(target));
    const claim = claimOf(record);
    if (claim?.customerId === id) return rememberLink(runtime, entityId, id);
    const isOlder =
      claim?.provisional === true && (await isOlderThanLinked(runtime, claim, created));
    const now = runtime.now();
    const at = customer.at === undefined ? now : customer.at * 1000;
    const counter = nextCounter(claim, now, runtime.timing);
    const key = await claimKey({ ...owner, counter });
    const sighting = { ...customer, counter: counterOfKey, at, isOlder };
    const opening = { ...target, livemode: owner.livemode, counter, key, params: null };
    const next = customer.isForeign
      ? afterForeignSighting(claim, customer)
      : afterSighting(claim, sighting, opening);
    if (next === undefined || next === claim) return;
    if (await isTaken(runtime, id, target)) return;
    if ((await put(runtime, record, next)) === undefined) return AGAIN;
    for (const other of next.others) {
      if (!claim?.others.includes(other)) reportOther(runtime, other);
    }
  });
}

/** Milliseconds. Not for ever: a database that was set back has forgotten links that were seen. */
const LINK_LIFE = 10 * 60_000;

/** Links that were seen, by entity: a cache, because every event about a customer asks for one. */
const linksIn = defineLocal("runtime", "links", () =>
  createRecent<SeenLink>({ size: 5_000, life: LINK_LIFE }),
);

interface SeenLink {
  readonly customerId: string;
  /** Milliseconds until which it is believed. */
  readonly until: number;
}

/**
 * Whether this customer was lately seen to be the entity's own. It need not be so still: a link is
 * only taken from a customer that is deleted, or for an older one, and then the customer is known as
 * such, and to see it again has no effect either.
 */
function isLinkKnown(runtime: Runtime, entityId: string, id: string): boolean {
  const seen = linksIn(runtime).get(entityId);
  // mutant "a link is remembered for ever": && runtime.now() < seen.until ->
  return seen?.customerId === id && runtime.now() < seen.until;
}

function rememberLink(runtime: Runtime, entityId: string, id: string): void {
  const now = runtime.now();
  linksIn(runtime).set(entityId, { customerId: id, until: now + LINK_LIFE }, now);
}

/** Lists show the newest first, so the customer to adopt may come after others. */
async function isOlderThanLinked(
  runtime: Runtime,
  claim: Claim,
  created: number,
): Promise<boolean> {
  const linked = await runtime.store.row("customers", claim.customerId ?? "");
  return linked !== undefined && created < linked.stripe.created;
}

/** How claims are taken whose callers are gone. */
export const claimLease = ({ now, timing }: Runtime, limit = 20): Lease => ({
  now: now(),
  lease: timing.claimSettle,
  limit,
});

/** Finishes claims whose callers are gone; answers how many it looked at. */
export async function finishClaims(runtime: Runtime, limit = 20): Promise<number> {
  const due = await runtime.store.takeRecords("claim", claimLease(runtime, limit));
  for (const record of due) {
    const claim = claimOf(record);
    if (claim === undefined) continue;
    await drive(runtime, claim, undefined).catch((error: unknown) => {
      const line = { claim: claim.key, ...factsOf(error) };
      runtime.log?.warn(line, "A claim could not be finished yet");
    });
    const left = (await runtime.store.record("claim", record.id))?.due ?? null;
    if (left !== null) runtime.wake(Math.max(0, left - runtime.now()));
  }
  return due.length;
}
