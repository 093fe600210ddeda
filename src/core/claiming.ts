/**
 * Takes a claim to its end: who sends what to Stripe, under which key, and what its answer does to
 * the claim. Every step is committed, so that another caller goes on wherever this one dies.
 */
import Stripe from "stripe";
import { ENTITY_KEY } from "./carrier.js";
import {
  isMirrored,
  isTaken,
  link,
  linkOf,
  put,
  reaching,
  readClaim,
  reportOther,
  retrieve,
} from "./claim-record.js";
import {
  type Attempted,
  afterFailure,
  attempting,
  besides,
  type Claim,
  claimOf,
  doubted,
  freed,
  isTooOld,
  leased,
  linkedTo,
  opened,
  outlived,
  retried,
  rotated,
  searchedInVain,
  type Target,
} from "./claims.js";
import { isLive } from "./config.js";
import { factsOf } from "./error-facts.js";
import { BillingError, provider } from "./errors.js";
import { type AnswerHeaders, headerOf } from "./headers.js";
import { checkMode } from "./mode.js";
import type { Runtime } from "./runtime.js";
import { stripeStatus } from "./sight.js";
import type { StoredRecord } from "./store.js";

/** What a caller wants to be sent, if it is he who opens the claim. */
export interface Wanted {
  readonly email?: string | undefined;
  readonly metadata?: { readonly [key: string]: string } | undefined;
}

/** One caller at work on one claim. */
interface Work {
  readonly runtime: Runtime;
  readonly target: Target;
  /** Undefined in the background, where nobody waits for the outcome. */
  readonly wanted: Wanted | undefined;
  /** The keys of claims that this caller opened: what Stripe refuses of them is his to hear. */
  readonly own: Set<string>;
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
    } else if (Math.max(claim.leasedUntil, claim.notBefore) > now) {
      if (wanted === undefined) return undefined;
      if (claim.notBefore > end) {
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
  return Math.max(0, notBefore - now) + 20 + Math.random() * Math.min(500, 50 * (round + 1));
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
  await checkMode(runtime);
  const before = claimOf(record);
  const params = {
    ...(wanted.email ? { email: wanted.email } : {}),
    metadata: { ...wanted.metadata, [ENTITY_KEY]: target.entityId },
  };
  // A complete listing has shown all there were, and events have told of the rest.
  const searched =
    target.account === null && (await runtime.store.record("watermark", "customers")) !== undefined;
  const key = crypto.randomUUID();
  const livemode = isLive(runtime.config);
  const claim = opened(before, { ...target, livemode, key, params, searched });
  const known = await mirrored(runtime, claim);
  if (known !== undefined) await put(runtime, record, linkedTo(claim, known));
  else if ((await put(runtime, record, claim)) !== undefined) work.own.add(key);
}

/** The oldest of the other customers of this entity that the mirror has. */
async function mirrored(runtime: Runtime, claim: Claim): Promise<string | undefined> {
  const live: { id: string; created: number }[] = [];
  for (const id of isMirrored(runtime, claim) ? claim.others : []) {
    const row = await runtime.store.row("customers", id);
    if (row !== undefined && !(await isTaken(runtime, id, claim))) live.push(row.stripe);
  }
  return live.sort(byAge)[0]?.id;
}

const byAge = (a: { created: number }, b: { created: number }) => a.created - b.created;

/** One step of an open or uncertain claim, under a lease. */
async function act(work: Work, record: StoredRecord | undefined, claim: Claim): Promise<void> {
  const { runtime, wanted } = work;
  const posts = claim.state === "open" && claim.searched;
  const now = runtime.now();
  const mine = leased(posts ? attempting(claim, now) : claim, now, runtime.timing);
  const held = await put(runtime, record, mine);
  if (held === undefined) return;
  try {
    if (posts) await create(work, held, mine);
    else if (mine.state === "open") await search(work, held, mine);
    else await lookUp(work, held, mine);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    await put(runtime, held, retried(mine, runtime.now(), Math.random()));
    work.trouble = error;
    // Waiting does not mend a key that is wrong, and nobody waits in the background.
    if (wanted === undefined || [401, 403].includes(error.statusCode ?? 0)) provider(error);
  }
}

/** Sends the claim's parameters under its key. Throws what a later attempt may mend. */
async function create(work: Work, held: StoredRecord, claim: Claim): Promise<void> {
  const { runtime, target } = work;
  const startedAt = runtime.now();
  let customer: Stripe.Response<Stripe.Customer>;
  try {
    customer = await runtime.stripe().customers.create(claim.params, {
      ...reaching(target),
      idempotencyKey: claim.key,
      maxNetworkRetries: 0,
      timeout: runtime.timing.claimLease, // by then somebody else may try
    });
  } catch (error) {
    const next = afterFailure(attempted(error));
    if (next === "again") throw error;
    if (next === "doubt") {
      work.trouble = error;
      await put(runtime, held, doubted(claim, runtime.now(), runtime.timing));
      return;
    }
    await put(runtime, held, freed(claim));
    // Somebody else's bad email is no reason to refuse this caller: he opens a claim of his own.
    if (work.own.has(claim.key)) provider(error);
    runtime.log?.warn({ claim: claim.key, ...factsOf(error) }, "Stripe refused to make a customer");
    return;
  }
  if (!isReplayed(customer.lastResponse.headers)) {
    return link(runtime, held, claim, customer, startedAt);
  }
  // A replayed body is what was true then. Only what Stripe says now counts.
  const since = runtime.now();
  const live = await retrieve(runtime, target, customer.id);
  if (live === undefined) await put(runtime, held, freed(claim));
  else await link(runtime, held, claim, live, since);
}

/** Before the first complete listing, customers that carry the entity's id are searched for. */
async function search(work: Work, held: StoredRecord, claim: Claim): Promise<void> {
  const { runtime, target } = work;
  const quoted = target.entityId.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  const query = `metadata['${ENTITY_KEY}']:'${quoted}'`;
  let found: readonly Stripe.Customer[] = [];
  try {
    const page = await runtime.stripe().customers.search({ query, limit: 100 }, reaching(target));
    found = page.data;
  } catch (error) {
    // Search is not offered everywhere. The claim alone still keeps two callers apart.
    if (![400, 403].includes(stripeStatus(error) ?? 0)) throw error;
  }
  if (!(await adopt(work, held, claim, found))) await put(runtime, held, searchedInVain(claim));
}

/** Looks for the customer that an unclear answer may have left behind. */
async function lookUp(work: Work, held: StoredRecord, claim: Claim): Promise<void> {
  const { runtime, target } = work;
  const since = Math.floor((claim.since ?? runtime.now()) / 1000) - 60;
  const found: Stripe.Customer[] = [];
  const all = runtime
    .stripe()
    .customers.list({ created: { gte: since }, limit: 100 }, reaching(target));
  for await (const customer of all) {
    if (customer.metadata[ENTITY_KEY] === target.entityId) found.push(customer);
  }
  if (await adopt(work, held, claim, found)) return;
  const known = await mirrored(runtime, claim);
  const next = known === undefined ? rotated(claim, crypto.randomUUID()) : linkedTo(claim, known);
  await put(runtime, held, next);
}

/** Links the oldest of these customers that is alive and nobody else's; the rest is reported. */
async function adopt(
  work: Work,
  held: StoredRecord,
  claim: Claim,
  found: readonly Stripe.Customer[],
): Promise<boolean> {
  const { runtime, target } = work;
  const carriers = found.filter(({ metadata }) => metadata[ENTITY_KEY] === target.entityId);
  for (const { id } of carriers.sort(byAge)) {
    if (await isTaken(runtime, id, target)) continue;
    const startedAt = runtime.now();
    const live = await retrieve(runtime, target, id);
    if (live === undefined) continue;
    const rest = carriers.map((each) => each.id).filter((other) => other !== id);
    for (const other of rest) reportOther(runtime, other);
    await link(runtime, held, besides(claim, rest), live, startedAt);
    return true;
  }
  return false;
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
