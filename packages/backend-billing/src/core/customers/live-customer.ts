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
export async function forLiveCustomer<T>(
  runtime: Runtime,
  options: Stripe.RequestOptions | undefined,
  find: () => Promise<string>,
  open: (customer: string, options: Stripe.RequestOptions | undefined) => Promise<T>,
): Promise<T> {
  const customer = await find();
  try {
    return await open(customer, options);
  } catch (error) {
    if (!isMissingCustomer(error)) throw error;
    if (!(await forgetIfDeleted(runtime, customer, options?.stripeAccount ?? null))) throw error;
  }
  return open(await find(), anew(options));
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
