/** One mirror is of one account: a key of another one would mix their data, or seem to lose it all. */
import Stripe from "stripe";
import { type BillingConfig, secretKey } from "../config.js";
import { factsOf } from "../error-facts.js";
import { BillingError } from "../errors.js";
import type { Runtime } from "../runtime.js";

/** What Stripe says of the account that a key belongs to. */
export interface CheckedAccount {
  /** When it was made, in seconds, if Stripe says so. */
  readonly created: number | undefined;
}

/** Keys whose account this process has checked. */
const checked = new WeakMap<BillingConfig, CheckedAccount & { readonly key: string }>();

/**
 * Remembers the account at first use, and refuses a key of another one from then on. If Stripe does
 * not say whose the key is, that is logged or thrown as `unanswered` decides.
 */
export async function checkAccount(
  runtime: Runtime,
  unanswered: (error: unknown) => void = () => {},
): Promise<CheckedAccount> {
  const key = secretKey(runtime.config);
  const done = checked.get(runtime.config);
  if (done?.key === key) return done;
  const answer = await accountOf(runtime, unanswered);
  if (answer === undefined) return { created: undefined };
  const { id: account, created } = answer;
  for (;;) {
    const known = await runtime.store.record("setting", "account");
    if (known?.data.id === account) break;
    if (known !== undefined) {
      throw new BillingError(
        "invalid_config",
        `\`secret_key\` belongs to the Stripe account ${account}, but these tables hold the data of ${String(known.data.id)}. Use that account's key, or another database or schema for this one.`,
      );
    }
    const next = { ref: null, due: null, data: { id: account } };
    const result = await runtime.store.commit({
      now: runtime.now(),
      units: [],
      records: [{ kind: "setting", id: "account", expect: 0, next }],
    });
    if (result.committed) break;
  }
  const found = { key, created };
  checked.set(runtime.config, found);
  return found;
}

/**
 * Throws if Stripe does not know the key, before a run is opened: where the caller does not wait for
 * the run, as on Convex, only this tells a deploy script that nothing will be copied.
 */
export function checkKey(runtime: Runtime): Promise<CheckedAccount> {
  return checkAccount(runtime, (error) => {
    if (!(error instanceof Stripe.errors.StripeAuthenticationError)) return;
    throw new BillingError(
      "provider_error",
      `Stripe does not know the key: ${error.message} Check STRIPE_SECRET_KEY; the key may be incomplete, revoked, or expired.`,
      { cause: error },
    );
  });
}

/**
 * The key's own account. Undefined if Stripe does not say: a restricted key may not be allowed to
 * ask, and whatever else is wrong the run itself will tell.
 */
async function accountOf(
  runtime: Runtime,
  unanswered: (error: unknown) => void,
): Promise<(CheckedAccount & { id: string }) | undefined> {
  try {
    const { id, created } = await runtime.stripe().accounts.retrieveCurrent();
    return { id, created };
  } catch (error) {
    unanswered(error);
    const message = "Stripe did not say which account the key belongs to; this is not checked";
    runtime.log?.warn(factsOf(error), message);
    return undefined;
  }
}
