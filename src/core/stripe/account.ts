/**
 * One mirror is of one account: a key of another one would mix their data, or seem to lose it all.
 * Stripe is asked once in a process which account the key belongs to; a key never changes that.
 */
import Stripe from "stripe";
import { stripeStatus } from "../mirror/snapshot.js";
import { type BillingConfig, secretKey } from "../runtime/config.js";
import { factsOf } from "../runtime/error-facts.js";
import { BillingError } from "../runtime/errors.js";
import { checkModeAndApp } from "../runtime/mode.js";
import { records } from "../runtime/records/records.js";
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

/** What this process has found right, by configuration. */
const checked = new WeakMap<BillingConfig, Checked>();
/** Checks under way. */
const checking = new WeakMap<BillingConfig, Promise<CheckedAccount>>();

/**
 * Refuses a key of another mode or account than the tables are of, and another application's name,
 * before anything is written. It costs nothing once it was found right.
 */
export async function checkPlace(runtime: Runtime): Promise<CheckedAccount> {
  const key = secretKey(runtime.config);
  const before = checked.get(runtime.config);
  if (before?.key === key && runtime.now() < before.until) return before.account;
  const other = checking.get(runtime.config);
  if (other !== undefined) {
    const found = await within(3 * PATIENCE, other);
    if (found !== undefined) return found;
    if (checking.get(runtime.config) === other) checking.delete(runtime.config);
    return checkPlace(runtime);
  }
  const mine = checkBoth(runtime, key).finally(() => checking.delete(runtime.config));
  checking.set(runtime.config, mine);
  return mine;
}

/** Where a host ends a request, what it began never ends: another one waits only so long for it. */
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

async function checkBoth(runtime: Runtime, key: string): Promise<CheckedAccount> {
  await checkModeAndApp(runtime);
  const account = answers.get(runtime.config)?.get(key) ?? (await accountOf(runtime));
  if (account.id !== undefined) {
    // A key that is refused is not asked about again.
    answers.set(runtime.config, new Map([[key, account]]));
    await compare(runtime, account.id);
  }
  const isFinal = account.id !== undefined || stripeStatus(account.trouble) === 403;
  const until = isFinal ? Number.POSITIVE_INFINITY : runtime.now() + ASK_AGAIN;
  checked.set(runtime.config, { key, account, until });
  return account;
}

/** The account of each key, as Stripe said. */
const answers = new WeakMap<BillingConfig, Map<string, CheckedAccount>>();

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

/** Remembers the account at first use, and refuses another one from then on. */
async function compare(runtime: Runtime, account: string): Promise<void> {
  await records.account.update(runtime, (known) => {
    if (known === undefined) return { id: account };
    if (known.id === account) return undefined;
    throw new BillingError(
      "invalid_config",
      `\`secret_key\` belongs to the Stripe account ${account}, but these tables hold the data of ${known.id}. Use that account's key, or another database or schema for this one.`,
    );
  });
}

/**
 * The key's own account. If Stripe does not say, it is not checked: a restricted key may not be
 * allowed to ask, and whatever else is wrong the next request to Stripe tells.
 */
async function accountOf(runtime: Runtime): Promise<CheckedAccount> {
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
