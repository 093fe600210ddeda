/**
 * A customer may be deleted at Stripe before its event is here. Stripe then refuses to open a page
 * for it; the library looks, lets go of it and starts over once.
 */
import Stripe from "stripe";
import { BillingError, provider } from "../runtime/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import { forgetCustomer, reaching, seen, store } from "./claim/record.js";

/**
 * Opens a page for the customer that `find` answers. If that customer turns out to be deleted, `find`
 * is asked again: it answers another one, or throws that there is none.
 */
export async function forLiveCustomer<C extends { readonly customerId: string }, T>(
  runtime: Runtime,
  options: Stripe.RequestOptions | undefined,
  find: (isFirst: boolean) => Promise<C>,
  open: (found: C, options: Stripe.RequestOptions | undefined) => Promise<T>,
): Promise<T> {
  const found = await find(true);
  try {
    return await open(found, options);
  } catch (error) {
    if (!isMissingCustomer(error)) throw error;
    const account = options?.stripeAccount ?? null;
    if (!(await forgetIfDeleted(runtime, found.customerId, account))) throw error;
  }
  return open(await find(false), anew(options));
}

/** Stripe may keep the refusal under the caller's idempotency key; another customer needs another. */
function anew(options: Stripe.RequestOptions | undefined): Stripe.RequestOptions | undefined {
  if (options?.idempotencyKey === undefined) return options;
  return { ...options, idempotencyKey: `${options.idempotencyKey}-again` };
}

function isMissingCustomer(error: unknown): boolean {
  const cause = error instanceof BillingError ? error.cause : undefined;
  return (
    cause instanceof Stripe.errors.StripeError &&
    cause.code === "resource_missing" &&
    cause.param === "customer"
  );
}

/**
 * Only a customer that Stripe says is deleted is let go of. One that it does not know at all may be
 * of another account, and then the API key is what is wrong.
 */
async function forgetIfDeleted(
  runtime: Runtime,
  id: string,
  account: string | null,
): Promise<boolean> {
  const startedAt = runtime.now();
  const target = { entityId: "", account };
  const found = await runtime
    .stripe()
    .customers.retrieve(id, {}, reaching(target))
    .catch((error: unknown) => {
      const { code } = error as Partial<Stripe.errors.StripeError>;
      return code === "resource_missing" ? undefined : provider(error);
    });
  if (!found?.deleted) return false;
  await store(runtime, seen(runtime, target, found, startedAt));
  await forgetCustomer(runtime, id);
  return true;
}
