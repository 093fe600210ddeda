/**
 * Takes a claim to its end: who sends what to Stripe, under which key, and what its answer does to
 * the claim. Every step is committed, so that another caller goes on wherever this one dies.
 */
import Stripe from "stripe";
import { APP_KEY, ENTITY_KEY } from "../../catalogue/carrier.js";
import { isAhead } from "../../mirror/due.js";
import { type AnswerHeaders, headerOf } from "../../mirror/headers.js";
import { stripeStatus } from "../../mirror/snapshot.js";
import type { StoredRecord } from "../../mirror/store.js";
import { isLive } from "../../runtime/config.js";
import { factsOf } from "../../runtime/error-facts.js";
import { BillingError, provider } from "../../runtime/errors.js";
import type { Runtime } from "../../runtime/runtime.js";
import { checkPlace } from "../../stripe/account.js";
import { type Attempted, afterFailure } from "./answer.js";
import {
  attempting,
  type Claim,
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
import { knownUntil, type Looking, lookUp, mirrored, search } from "./look.js";
import { conclude, keyOf, linkMade, linkOf, put, reaching, readClaim, retrieve } from "./record.js";

/** What a caller wants to be sent, if its call opens the claim. */
export interface Wanted {
  readonly email?: string | undefined;
  readonly metadata?: { readonly [key: string]: string } | undefined;
}

/** One caller at work on one claim. */
interface Work extends Looking {
  /** Undefined in the background, where nobody waits for the outcome. */
  readonly wanted: Wanted | undefined;
  /** The generations that this call opened: a rejection by Stripe is thrown to this caller only. */
  readonly own: Set<number>;
  /** What went wrong last. */
  trouble?: unknown;
}

/**
 * Goes on with the claim until it is linked, whoever began it, and answers the customer. In the
 * background (nothing `wanted`) it does what can be done now and opens nothing.
 */
export async function drive(
  runtime: Runtime,
  target: Target,
  wanted: Wanted | undefined,
): Promise<string | undefined> {
  const work: Work = { runtime, target, wanted, own: new Set() };
  await checkPlace(runtime);
  const end = runtime.now() + runtime.timing.claimPatience;
  for (let round = 0; ; round++) {
    const read = await readClaim(runtime, target);
    const { record } = read;
    const claim = claimOf(record);
    const customer = await linkOf(runtime, read);
    if (customer !== undefined) return customer;
    const now = runtime.now();
    if (round > 0 && now > end) throw tooLong(work, record);
    if (claim === undefined || claim.state === "free") {
      if (wanted === undefined) return undefined;
      await open(work, record, wanted);
    } else if (isAhead(claim.leasedUntil, now) || isAhead(claim.notBefore, now)) {
      if (wanted === undefined) return undefined;
      if (isAhead(claim.notBefore, now) && claim.notBefore > end) {
        throw claim.state === "open" ? tooLong(work, record) : unclear(work, record);
      }
      await runtime.sleep(waiting(claim, now, round));
    } else if (isTooOld(claim, now, runtime.timing)) {
      await put(runtime, record, outlived(claim, runtime.timing));
    } else if (claim.state !== "linked") {
      await act(work, record, claim);
    }
  }
}

/** Those who wait look again at different times, and later and later. */
function waiting({ notBefore }: Claim, now: number, round: number): number {
  return (
    (isAhead(notBefore, now) ? notBefore - now : 0) +
    20 +
    Math.random() * Math.min(500, 50 * (round + 1))
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

/** Adopts a customer that the mirror knows, or commits a claim to make one. */
async function open(work: Work, record: StoredRecord | undefined, wanted: Wanted): Promise<void> {
  const { runtime, target } = work;
  const before = claimOf(record);
  const params = paramsFor(runtime, target, wanted);
  const counter = nextCounter(before, runtime.now(), runtime.timing);
  const key = await keyOf(runtime, target, counter);
  const livemode = isLive(runtime.config);
  const claim = opened(before, { ...target, livemode, counter, key, params });
  const known = await mirrored(runtime, claim);
  if (known !== undefined) await put(runtime, record, linkedTo(claim, known));
  else if ((await put(runtime, record, claim)) !== undefined) work.own.add(claim.generation);
}

function paramsFor(
  { app }: Runtime,
  { entityId }: Target,
  { email, metadata }: Wanted,
): Stripe.CustomerCreateParams {
  const mark: { readonly [key: string]: string } = app === undefined ? {} : { [APP_KEY]: app };
  return {
    ...(email ? { email } : {}),
    metadata: { ...metadata, [ENTITY_KEY]: entityId, ...mark },
  };
}

/** One step of an open or uncertain claim, under a lease. */
async function act(work: Work, record: StoredRecord | undefined, claim: Claim): Promise<void> {
  const { runtime, wanted } = work;
  const now = runtime.now();
  const searches =
    claim.state === "open" && mustSearch(claim, await knownUntil(work), now, runtime.timing);
  const posts = claim.state === "open" && !searches;
  const known = posts ? await mirrored(runtime, claim) : undefined;
  if (known !== undefined) {
    await put(runtime, record, linkedTo(claim, known));
    return;
  }
  const mine = leased(posts ? attempting(claim, now) : claim, now, runtime.timing);
  const held = await put(runtime, record, mine);
  if (held === undefined) return;
  try {
    if (posts) await create(work, held, mine, claim);
    else if (searches) await search(work, held, mine);
    else await lookUp(work, held, mine);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    await put(runtime, held, retried(mine, runtime.now(), Math.random()));
    work.trouble = error;
    // Waiting does not mend a key that is wrong, and nobody waits in the background.
    if (wanted === undefined || [401, 403].includes(error.statusCode ?? 0)) provider(error);
  }
}

/**
 * Sends the claim's parameters under its key. Throws what a later attempt may mend. `before`: the
 * claim without this attempt.
 */
async function create(work: Work, held: StoredRecord, claim: Claim, before: Claim): Promise<void> {
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
      return;
    }
    if (next !== "refuse") {
      work.trouble = error;
      const doubt = next === "doubt" ? "answer" : "conflict";
      await put(runtime, held, doubted(claim, doubt, runtime.now(), runtime.timing));
      return;
    }
    await put(runtime, held, refused(claim, before));
    // The bad email of another call is no reason to refuse this caller, who opens a new claim.
    if (work.own.has(claim.generation)) provider(error);
    runtime.log?.warn({ claim: claim.key, ...factsOf(error) }, "Stripe refused to make a customer");
    return;
  }
  if (!isReplayed(customer.lastResponse.headers)) {
    return linkMade(runtime, held, claim, customer, startedAt);
  }
  // A replayed body is what was true then. Only what Stripe says now counts.
  const since = runtime.now();
  const live = await retrieve(runtime, target, customer.id);
  if (live !== undefined) return linkMade(runtime, held, claim, live, since);
  await conclude(runtime, held, (now) => {
    const isElsewhere = now.state === "linked" && now.customerId !== customer.id;
    return isElsewhere ? { ...now, leasedUntil: 0 } : usedUp(now);
  });
}

/** Whether Stripe refused what this very caller sent. Nobody else has to hear of it. */
export function isRefusal(error: unknown): boolean {
  const cause = error instanceof BillingError ? error.cause : undefined;
  return cause instanceof Stripe.errors.StripeError && afterFailure(attempted(cause)) === "refuse";
}

function attempted(error: unknown): Attempted {
  const known = error as Partial<Stripe.errors.StripeError>;
  return {
    status: stripeStatus(error),
    replayed: isReplayed(known.headers ?? {}),
    type: known.rawType,
  };
}

const isReplayed = (headers: AnswerHeaders): boolean =>
  headerOf(headers, "idempotent-replayed") === "true";
