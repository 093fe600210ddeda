/**
 * One mirror is of one account: a key of another one would mix their data, or seem to lose it all.
 * Stripe is asked once in a process which account the key belongs to; a key never changes that.
 */

import Stripe from "stripe";
import { stripeStatus } from "../mirror/snapshot.js";
import type { RecordKey, RecordWrite, StoredRecord } from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import { secretKey } from "../runtime/config.js";
import { factsOf } from "../runtime/error-facts.js";
import { BillingError } from "../runtime/errors.js";
import { defineLocal } from "../runtime/local.js";
import { judgeMode } from "../runtime/mode.js";
import type { Read } from "../runtime/records/record.js";
import { records } from "../runtime/records/records.js";
import { AGAIN, inRounds } from "../runtime/rounds.js";
import type { Runtime } from "../runtime/runtime.js";

/** What Stripe says of the account that a key belongs to; undefined where it does not say. */
export interface CheckedAccount {
  readonly id: string | undefined;
  /** When it was made, in seconds, if Stripe says so. */
  readonly created: number | undefined;
  /** Why Stripe did not say. */
  readonly trouble?: unknown;
}

/** Webhooks wait for this answer, once. */
const PATIENCE = 5_000;
/** Milliseconds after which Stripe is asked again, if it failed to answer. */
const ASK_AGAIN = 60_000;

interface Checked {
  readonly key: string;
  readonly account: CheckedAccount;
  /** Milliseconds from which on it is to be checked again. */
  readonly until: number;
}

/** What callers wait for together. */
interface Shared {
  pending?: Promise<CheckedAccount> | undefined;
}

interface Asked extends Shared {
  /** The account of a key, as Stripe said. */
  answer?: { readonly key: string; readonly account: CheckedAccount };
}

interface Found extends Shared {
  /** What was found right. */
  checked?: Checked;
}

const askedBy = defineLocal<Asked>("process", "account of the key", () => ({}));
const foundIn = defineLocal<Found>("database", "account", () => ({}));

/** Whose the tables are, as far as it was judged. */
export interface Place {
  readonly account: CheckedAccount;
  /** What is to be stored of it, by itself or in one commit with other records; mostly nothing. */
  readonly writes: readonly RecordWrite[];
  /** To be called once these are committed: from then on the check costs nothing. */
  passed(): void;
}

function remembered(runtime: Runtime): CheckedAccount | undefined {
  const { checked } = foundIn(runtime);
  const isKnown = checked?.key === secretKey(runtime.config) && runtime.now() < checked.until;
  return isKnown ? checked.account : undefined;
}

/** The records that {@link judgePlace} goes by; none once this process has found the database right. */
export function placeKeys(runtime: Runtime): readonly RecordKey[] {
  return remembered(runtime) === undefined ? [records.mode, records.account] : [];
}

/**
 * Refuses a key of another mode or account than the tables are of, and another application's name,
 * by the records that were read. Stripe is asked only if the mode is right.
 */
export async function judgePlace(runtime: Runtime, found: readonly StoredRecord[]): Promise<Place> {
  const known = remembered(runtime);
  if (known !== undefined) return { account: known, writes: [], passed() {} };
  const key = secretKey(runtime.config);
  const mode = judgeMode(runtime, records.mode.among(found));
  const account = await accountOf(runtime, key);
  const { id } = account;
  const own = id === undefined ? undefined : judgeAccount(records.account.among(found), id);
  const writes = [mode, own].filter((write) => write !== undefined);
  const passed = () => {
    const isFinal = id !== undefined || stripeStatus(account.trouble) === 403;
    const until = isFinal ? Number.POSITIVE_INFINITY : runtime.now() + ASK_AGAIN;
    foundIn(runtime).checked = { key, account, until };
  };
  if (writes.length === 0) passed();
  return { account, writes, passed };
}

/**
 * Refuses a key of another mode or account than the tables are of, and another application's name,
 * before anything is written. It costs nothing once it was found right.
 */
export async function checkPlace(runtime: Runtime): Promise<CheckedAccount> {
  return remembered(runtime) ?? together(foundIn(runtime), () => check(runtime));
}

async function check(runtime: Runtime): Promise<CheckedAccount> {
  return inRounds("The record of the Stripe account", async () => {
    const read = placeKeys(runtime).map(({ kind, id }) => runtime.store.record(kind, id));
    const found = (await Promise.all(read)).filter((each) => each !== undefined);
    const { account, writes, passed } = await judgePlace(runtime, found);
    if (writes.length > 0) {
      const { committed } = await commit(runtime, { source: "record", records: writes });
      if (!committed) return AGAIN;
    }
    passed();
    return account;
  });
}

/**
 * Has callers that come meanwhile wait for the same answer. Where a host ends a request, what it
 * began never ends: another one waits only so long for it.
 */
async function together(
  shared: Shared,
  work: () => Promise<CheckedAccount>,
): Promise<CheckedAccount> {
  for (;;) {
    const other = shared.pending;
    if (other === undefined) break;
    const found = await within(3 * PATIENCE, other);
    if (found !== undefined) return found;
    if (shared.pending === other) shared.pending = undefined;
  }
  const mine = work().finally(() => {
    if (shared.pending === mine) shared.pending = undefined;
  });
  shared.pending = mine;
  return mine;
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The same, and throws if Stripe does not know the key, before a run is opened: where the caller
 * does not wait for the run, as on Convex, only this tells a deploy script that nothing is copied.
 */
export async function checkKey(runtime: Runtime): Promise<CheckedAccount> {
  const account = await checkPlace(runtime);
  const { trouble } = account;
  if (!(trouble instanceof Stripe.errors.StripeAuthenticationError)) return account;
  throw new BillingError(
    "provider_error",
    `Stripe does not know the key: ${trouble.message} Check STRIPE_SECRET_KEY; the key may be incomplete, revoked, or expired.`,
    { cause: trouble },
  );
}

/**
 * Whether an event that names an account is of this mirror's own, as events are that an
 * organisation's endpoint is sent. What names another account, or a path that ends in one, is not.
 */
export async function isOwnAccount(runtime: Runtime, named: string): Promise<boolean> {
  const { id } = await checkPlace(runtime);
  return id !== undefined && named.split("/").at(-1) === id;
}

/** The write that remembers the account at first use; none where it is stored. Throws for another one. */
function judgeAccount(
  read: Read<{ readonly id: string }>,
  account: string,
): RecordWrite | undefined {
  if (read.data === undefined) return records.account.write(read, { id: account });
  const { id } = read.data;
  if (id === account) return undefined;
  throw new BillingError(
    "invalid_config",
    `\`secret_key\` belongs to the Stripe account ${account}, but these tables hold the data of ${id}. Use that account's key, or another database or schema for this one.`,
  );
}

/** The key's own account. A key that is refused for its account is not asked about again. */
async function accountOf(runtime: Runtime, key: string): Promise<CheckedAccount> {
  const asked = askedBy(runtime);
  if (asked.answer?.key === key) return asked.answer.account;
  const account = await together(asked, () => askAccount(runtime));
  if (account.id !== undefined) asked.answer = { key, account };
  return account;
}

/**
 * If Stripe does not say, the account is not checked: a restricted key may not be allowed to ask,
 * and whatever else is wrong the next request to Stripe tells.
 */
async function askAccount(runtime: Runtime): Promise<CheckedAccount> {
  const options = { timeout: PATIENCE, maxNetworkRetries: 1 };
  try {
    const { id, created } = await runtime.stripe().accounts.retrieveCurrent({}, options);
    return { id, created };
  } catch (error) {
    const message = "Stripe did not say which account the key belongs to; this is not checked";
    runtime.log?.warn(factsOf(error), message);
    return { id: undefined, created: undefined, trouble: error };
  }
}
