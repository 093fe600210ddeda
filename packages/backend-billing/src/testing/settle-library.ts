/** Has the library that a double serves answer its open questions now, instead of seconds later. */
import type Stripe from "stripe";
import { settleNow } from "../core/events/settle-now.js";
import type { Store } from "../core/mirror/store.js";
import type { BillingConfig } from "../core/runtime/config.js";
import { createRuntime } from "../core/runtime/runtime.js";

/** What `settle` must know of an application: what `createBilling` answered, and its settings. */
export interface SettledLibrary extends Pick<BillingConfig, "app" | "resources"> {
  readonly store: Store;
}

export async function settleLibrary(
  { store, ...settings }: SettledLibrary,
  secret_key: string,
  stripe_options: Stripe.StripeConfig,
): Promise<void> {
  const config = { ...settings, secret_key, webhook_secret: [], stripe_options, rate: false };
  const platform = { store, baseUrl: () => "http://127.0.0.1", wake: () => {} };
  await settleNow(createRuntime(config as BillingConfig, platform));
}
