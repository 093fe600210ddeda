/**
 * Takes over a customer that an application has already: links it to its entity by the same claim
 * as `setup`, and marks it at Stripe, so that a database that was set back finds it again. The link
 * comes first, because only the tables can tell two callers apart; a call that dies in between is
 * finished by the same call again. Never by email.
 */
import type Stripe from "stripe";
import { marksOf } from "../../catalogue/carrier.js";
import { isStripeId } from "../../catalogue/stripe-id.js";
import { stripeStatus } from "../../mirror/snapshot.js";
import { checkEntityId } from "../../runtime/commit/seats.js";
import { isLive } from "../../runtime/config.js";
import { BillingError, provider } from "../../runtime/errors.js";
import { AGAIN, inRounds } from "../../runtime/rounds.js";
import type { Runtime } from "../../runtime/runtime.js";
import { claimOf, linkedTo, nextCounter, opened, type Target } from "../claim/claim.js";
import {
  isGone,
  isTaken,
  keyOf,
  linkOf,
  put,
  type ReadClaim,
  readClaim,
  seen,
  store,
} from "../claim/record.js";
import { type AdoptArgs, type Found, judgeByStripe, judgeByTables, type Verdict } from "./judge.js";

/** How Stripe is asked, and what is brought to the mirror before the customer is linked. */
export interface Ways {
  /** Sends a request: at once, or when its turn has come. */
  send<T>(endpoint: string, request: () => PromiseLike<T>): Promise<T>;
  /** Reads what the customer has: it is told with the link. */
  bring(customerId: string): Promise<void>;
}

/** Refuses what cannot be a pair. */
export function checkPair({ entityId, customerId }: AdoptArgs): void {
  checkEntityId(entityId);
  if (isStripeId(customerId)) return;
  throw new BillingError(
    "invalid_argument",
    "`customerId` must be the id of a customer at Stripe, such as cus_NffrFeUfNV2Hib.",
  );
}

/** A pair as it was found. */
interface Look {
  readonly verdict: Verdict;
  readonly read: ReadClaim;
  /** The entity's claim is linked to a customer that is known to be deleted. */
  readonly isGone: boolean;
  /** The customer, where Stripe was asked and has it. */
  readonly answer: Answer | undefined;
}

interface Answer {
  readonly customer: Stripe.Response<Stripe.Customer>;
  readonly startedAt: number;
}

/** Looks whether a customer may become an entity's, and changes nothing. */
export async function lookAtPair(
  runtime: Runtime,
  args: AdoptArgs,
  ways: Pick<Ways, "send">,
): Promise<Look> {
  checkPair(args);
  const { entityId, customerId } = args;
  const target: Target = { entityId, account: null };
  const read = await readClaim(runtime, target);
  const found = claimOf(read.record);
  const gone = found !== undefined && isGone(read, found);
  const claim = gone ? undefined : found;
  const isLinked = claim?.state === "linked" && claim.customerId === customerId;
  const standing = {
    claim,
    isTaken: !isLinked && (await isTaken(runtime, customerId, target)),
    metadata: isLinked ? read.row?.stripe.metadata : undefined,
  };
  const known = judgeByTables(args, standing, runtime.app);
  if (known !== undefined) return { verdict: known, read, isGone: gone, answer: undefined };
  const [customer, answer] = await ask(runtime, customerId, ways);
  const verdict = judgeByStripe(args, customer, runtime.app, isLinked);
  return { verdict, read, isGone: gone, answer };
}

/** The customer as Stripe has it. */
async function ask(
  runtime: Runtime,
  customerId: string,
  { send }: Pick<Ways, "send">,
): Promise<[Found, Answer | undefined]> {
  let startedAt = runtime.now();
  try {
    const customer = await send("GET customers", () => {
      startedAt = runtime.now();
      return runtime.stripe().customers.retrieve(customerId);
    });
    if (customer.deleted) return [{ is: "deleted" }, undefined];
    if (customer.livemode !== isLive(runtime.config)) return [{ is: "elsewhere" }, undefined];
    return [
      { is: "live", metadata: customer.metadata },
      { customer, startedAt },
    ];
  } catch (error) {
    if (stripeStatus(error) !== 404) return provider(error);
    const isElsewhere = /similar object exists in (live|test) mode/.test(String(error));
    return [{ is: isElsewhere ? "elsewhere" : "missing" }, undefined];
  }
}

/** Makes a customer an entity's. The same pair again is no error. */
export async function adoptCustomer(
  runtime: Runtime,
  args: AdoptArgs,
  ways: Ways,
): Promise<{ customerId: string }> {
  const { entityId, customerId } = args;
  return inRounds("The claim of an entity on its customer", async () => {
    const { verdict, read, isGone: gone, answer } = await lookAtPair(runtime, args, ways);
    if (verdict.act === "refuse") throw new BillingError(verdict.code, verdict.reason);
    if (verdict.act !== "link") {
      if ((await linkOf(runtime, read)) === undefined) return AGAIN;
      if (verdict.act === "mark") await mark(runtime, args, ways);
      else if (answer !== undefined) await remember(runtime, entityId, answer);
      return { customerId };
    }
    if (gone || answer === undefined) {
      await linkOf(runtime, read); // lets go of the customer that is gone
      return AGAIN;
    }
    await ways.bring(customerId);
    if (!(await linkTo(runtime, entityId, read, answer))) return AGAIN;
    const left = judgeByStripe(args, foundIn(answer), runtime.app, true);
    if (left.act === "mark") await mark(runtime, args, ways);
    return { customerId };
  });
}

const foundIn = ({ customer: { metadata } }: Answer): Found => ({ is: "live", metadata });

/**
 * Links the customer, unless the claim has changed or another entity has the customer now. False as
 * well if the mirror knows better than the answer: the customer may be deleted.
 */
async function linkTo(
  runtime: Runtime,
  entityId: string,
  { record, place }: ReadClaim,
  { customer, startedAt }: Answer,
): Promise<boolean> {
  const target: Target = { entityId, account: null };
  const before = claimOf(record);
  const counter = nextCounter(before, runtime.now(), runtime.timing);
  const key = await keyOf(runtime, target, counter);
  const livemode = isLive(runtime.config);
  const claim = opened(before, { ...target, livemode, counter, key, params: null });
  const snapshot = seen(runtime, target, customer, startedAt);
  const done = await put(runtime, record, linkedTo(claim, customer.id), { snapshot, place });
  return done !== undefined && done.act !== "drop";
}

/** Writes whose it is into its metadata, as `setup` does when it makes a customer. */
async function mark(
  runtime: Runtime,
  { entityId, customerId }: AdoptArgs,
  { send }: Ways,
): Promise<void> {
  let startedAt = runtime.now();
  const customer = await send("POST customers", () => {
    startedAt = runtime.now();
    const metadata = marksOf(entityId, runtime.app);
    return runtime.stripe().customers.update(customerId, { metadata });
  }).catch(provider);
  await remember(runtime, entityId, { customer, startedAt });
}

const remember = (
  runtime: Runtime,
  entityId: string,
  { customer, startedAt }: Answer,
): Promise<void> => store(runtime, seen(runtime, { entityId, account: null }, customer, startedAt));
