/**
 * Drives a claim until it is linked: what is sent to Stripe, under which key, and what the answer
 * does to the claim. Every step is committed, so that another caller can go on if this one dies.
 */
import Stripe from "stripe";
import { marksOf } from "../../catalogue/carrier.js";
import { isAhead } from "../../mirror/due.js";
import { isReplayed } from "../../mirror/headers.js";
import { stripeStatus } from "../../mirror/snapshot.js";
import type { StoredRecord } from "../../mirror/store.js";
import { isLive } from "../../runtime/config.js";
import { factsOf } from "../../runtime/error-facts.js";
import { BillingError, provider } from "../../runtime/errors.js";
import type { Runtime } from "../../runtime/runtime.js";
import { type Attempted, afterFailure } from "./answer.js";
import {
  attempting,
  type Claim,
  claimId,
  claimOf,
  doubted,
  isTooOld,
  leased,
  linkedTo,
  mustSearch,
  nextCounter,
  opened,
  outlived,
  refused,
  retried,
  rotated,
  type Target,
  usedUp,
} from "./claim.js";
import { lookUp, mirrored, search } from "./look.js";
import {
  conclude,
  isErased,
  keyOf,
  linkMade,
  linkOf,
  put,
  type ReadClaim,
  reaching,
  readClaim,
  retrieve,
} from "./record.js";

/** What a caller wants to be sent, if its call opens the claim. */
export interface Wanted {
  readonly email?: string | undefined;
  readonly metadata?: { readonly [key: string]: string } | undefined;
}

/** One caller at work on one claim. */
interface Work {
  readonly runtime: Runtime;
  readonly target: Target;
  /** Undefined in the background, where no caller waits for the outcome. */
  readonly wanted: Wanted | undefined;
  /** The generations that this call opened: a rejection by Stripe is thrown to this caller only. */
  readonly own: Set<number>;
  /** How often it has looked whether another caller is done. */
  looks: number;
  /** What went wrong last. */
  trouble?: unknown;
}

/**
 * Goes on with the claim until it is linked, whichever call began it. Answers the customer if this
 * call has made it with what it `wanted`; otherwise it is to be read. In the background (nothing
 * `wanted`) it does what can be done now and opens nothing. `first`: the claim as it was read
 * just now, if it was.
 */
export async function drive(
  runtime: Runtime,
  target: Target,
  wanted: Wanted | undefined,
  first?: ReadClaim,
): Promise<string | undefined> {
  const work: Work = { runtime, target, wanted, own: new Set(), looks: 0 };
  const end = runtime.now() + runtime.timing.claimPatience;
  for (let round = 0; ; round++) {
    const read = (round === 0 ? first : undefined) ?? (await readClaim(runtime, target));
    const { record } = read;
    if ((await linkOf(runtime, read)) !== undefined) return undefined;
    const now = runtime.now();
    if (round > 0 && now > end) throw tooLong(work, record);
    const claim = claimOf(record);
    const isFree = claim === undefined || claim.state === "free";
    if (isFree && wanted === undefined) return undefined;
    const next = isFree ? await opening(work, claim, read.usedKey) : claim;
    if (isHeld(next, now)) {
      if (wanted === undefined) return undefined;
      if (isAhead(next.notBefore, now) && next.notBefore > end) {
        throw next.state === "open" ? tooLong(work, record) : unclear(work, record);
      }
      await waitFor(work, read, next, end);
    } else if (isTooOld(next, now, runtime.timing)) {
      await step(work, read, outlived(next, runtime.timing));
    } else if (next.state !== "linked") {
      const made = await act(work, read, next);
      if (made !== undefined) return made;
    }
  }
}

/** Whether another caller is at it, or its next attempt is to wait. */
const isHeld = ({ leasedUntil, notBefore }: Claim, now: number): boolean =>
  isAhead(leasedUntil, now) || isAhead(notBefore, now);

/**
 * Waits until the claim has changed, may be acted on, or the caller's time is over. Meanwhile there
 * is nothing to decide, so only the record itself is read.
 */
async function waitFor(
  work: Work,
  { record }: ReadClaim,
  claim: Claim,
  end: number,
): Promise<void> {
  const { runtime } = work;
  for (;;) {
    await runtime.sleep(waiting(claim, runtime.now(), work.looks++));
    const latest = await runtime.store.record("claim", claimId(claim));
    const now = runtime.now();
    if (latest?.revision !== record?.revision || !isHeld(claim, now) || now > end) return;
  }
}

/** Milliseconds until a waiting caller looks again: random, so that callers spread, and growing. */
function waiting({ notBefore }: Claim, now: number, round: number): number {
  return (
    (isAhead(notBefore, now) ? notBefore - now : 0) +
    20 +
    Math.random() * Math.min(2_000, 50 * 2 ** round)
  );
}

function tooLong(work: Work, record: StoredRecord | undefined): BillingError {
  const { entityId } = work.target;
  const message = `The customer of ${entityId} is still being made. Try again in a minute; the claim is finished in the background.`;
  return givenUp(work, record, message);
}

function unclear(work: Work, record: StoredRecord | undefined): BillingError {
  const { entityId } = work.target;
  const message = `Stripe's answer about the customer of ${entityId} was not clear. Whether it was made is looked up in a minute; try again then.`;
  return givenUp(work, record, message);
}

/** The caller does not wait any longer; the background goes on when the claim's time has come. */
function givenUp(
  { runtime, trouble }: Work,
  record: StoredRecord | undefined,
  message: string,
): BillingError {
  const now = runtime.now();
  runtime.wake(Math.max(0, (record?.due ?? now) - now));
  const options = trouble === undefined ? undefined : { cause: trouble };
  return new BillingError("provider_error", message, options);
}

/** The claim that makes a customer with what is wanted. It is committed with its first step. */
async function opening(
  { runtime, target, wanted = {} }: Work,
  before: Claim | undefined,
  usedKey: number,
): Promise<Claim> {
  const params = paramsFor(runtime, target, wanted);
  const counter = Math.max(nextCounter(before, runtime.now(), runtime.timing), usedKey + 1);
  const key = await keyOf(runtime, target, counter);
  return opened(before, { ...target, livemode: isLive(runtime.config), counter, key, params });
}

/** Whether the claim is one that this call opens in place of what was read. */
const isOpening = ({ record }: Pick<ReadClaim, "record">, { generation }: Claim): boolean =>
  generation !== claimOf(record)?.generation;

/** Commits a step of the claim, and with its first step that it is open. */
async function step(
  work: Work,
  { record, place }: Pick<ReadClaim, "record" | "place">,
  claim: Claim,
): Promise<StoredRecord | undefined> {
  const done = await put(work.runtime, record, claim, { place });
  if (done !== undefined && isOpening({ record }, claim)) work.own.add(claim.generation);
  return done?.record;
}

function paramsFor(
  { app }: Runtime,
  { entityId }: Target,
  { email, metadata }: Wanted,
): Stripe.CustomerCreateParams {
  return {
    ...(email ? { email } : {}),
    metadata: { ...metadata, ...marksOf(entityId, app) },
  };
}

/** What an open or uncertain claim asks for, under a lease. Answers the customer as `drive` does. */
async function act(work: Work, read: ReadClaim, claim: Claim): Promise<string | undefined> {
  const { runtime, target } = work;
  const isOpen = claim.state === "open";
  const searches = isOpen && mustSearch(claim, read.knownUntil, runtime.now(), runtime.timing);
  if (isOpen && !searches) return post(work, read, claim);
  if (isOpening(read, claim) && (await adoptMirrored(work, read, claim))) return undefined;
  const mine = leased(claim, runtime.now(), runtime.timing);
  const held = await step(work, read, mine);
  if (held === undefined) return undefined;
  const looking = { runtime, target, knownUntil: read.knownUntil };
  const unfound = await attempt(work, held, mine, async () => {
    if (searches) return search(looking, held, mine);
    await lookUp(looking, held, mine);
    return undefined;
  });
  // Under the same lease; it is only sent if nothing was heard of the claim meanwhile.
  return unfound && post(work, { record: held, place: undefined }, unfound);
}

/** Links a customer that the mirror knows. */
async function adoptMirrored(
  work: Work,
  read: Pick<ReadClaim, "record" | "place">,
  claim: Claim,
): Promise<boolean> {
  const known = await mirrored(work.runtime, claim);
  if (known !== undefined) await step(work, read, linkedTo(claim, known));
  return known !== undefined;
}

/** Commits that the creation is sent, and sends it. */
async function post(
  work: Work,
  read: Pick<ReadClaim, "record" | "place">,
  claim: Claim,
): Promise<string | undefined> {
  if (await adoptMirrored(work, read, claim)) return undefined;
  const { runtime } = work;
  const now = runtime.now();
  const mine = leased(attempting(claim, now), now, runtime.timing);
  const held = await step(work, read, mine);
  if (held === undefined) return undefined;
  return attempt(work, held, mine, () => create(work, held, mine, claim));
}

/** Calls Stripe under a lease. What a later attempt may mend puts the claim off. */
async function attempt<T>(
  work: Work,
  held: StoredRecord,
  claim: Claim,
  call: () => Promise<T>,
): Promise<T | undefined> {
  const { runtime, wanted } = work;
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    await put(runtime, held, retried(claim, runtime.now(), Math.random()));
    work.trouble = error;
    // Waiting does not mend a key that is wrong, and no caller waits in the background.
    if (wanted === undefined || [401, 403].includes(error.statusCode ?? 0)) provider(error);
    return undefined;
  }
}

/**
 * Sends the claim's parameters under its key. Throws errors after which a later attempt may succeed. `before`: the
 * claim without this attempt. Answers the customer as `drive` does.
 */
async function create(
  work: Work,
  held: StoredRecord,
  claim: Claim,
  before: Claim,
): Promise<string | undefined> {
  const { runtime, target } = work;
  const startedAt = runtime.now();
  let customer: Stripe.Response<Stripe.Customer>;
  try {
    customer = await runtime
      .stripe()
      .customers.create(claim.params ?? paramsFor(runtime, target, {}), {
        ...reaching(target),
        idempotencyKey: claim.key,
        maxNetworkRetries: 0,
        timeout: runtime.timing.claimLease, // after that another caller may try
      });
  } catch (error) {
    const next = afterFailure(attempted(error));
    if (next === "again") throw error;
    if (next === "rotate") {
      await put(runtime, held, rotated(claim, await keyOf(runtime, target, claim.counter + 1)));
      return undefined;
    }
    if (next !== "refuse") {
      work.trouble = error;
      const doubt = next === "doubt" ? "answer" : "conflict";
      await put(runtime, held, doubted(claim, doubt, runtime.now(), runtime.timing));
      return undefined;
    }
    await put(runtime, held, refused(claim, before));
    // Another call's parameters were refused, not this caller's, which opens a new claim.
    if (work.own.has(claim.generation)) provider(error);
    runtime.log?.warn({ claim: claim.key, ...factsOf(error) }, "Stripe refused to make a customer");
    return undefined;
  }
  if (!isReplayed(customer.lastResponse.headers)) {
    const isLinked = await linkMade(runtime, held, claim, customer, startedAt);
    return isLinked && work.own.has(claim.generation) ? customer.id : undefined;
  }
  // A replayed body is what was true then. Only what Stripe says now counts.
  const since = runtime.now();
  const isOver = await isErased(runtime, customer.id);
  const live = isOver ? undefined : await retrieve(runtime, target, customer.id);
  if (live !== undefined) await linkMade(runtime, held, claim, live, since);
  else {
    await conclude(runtime, held, (now) => {
      const isElsewhere = now.state === "linked" && now.customerId !== customer.id;
      return isElsewhere ? { ...now, leasedUntil: 0 } : usedUp(now);
    });
  }
  return undefined;
}

/** Whether Stripe refused this caller's own parameters: an error of this call alone. */
export function isRefusal(error: unknown): boolean {
  const cause = error instanceof BillingError ? error.cause : undefined;
  return cause instanceof Stripe.errors.StripeError && afterFailure(attempted(cause)) === "refuse";
}

function attempted(error: unknown): Attempted {
  const known = error as Partial<Stripe.errors.StripeError>;
  return {
    status: stripeStatus(error),
    replayed: isReplayed(known.headers),
    type: known.rawType,
  };
}
