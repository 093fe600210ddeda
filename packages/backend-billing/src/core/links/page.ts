/** What a link leads to, and how one of Stripe's pages is opened so that people come back to us. */
import type Stripe from "stripe";
import { BillingError, provider } from "../runtime/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import { type ReturnTo, returnLink } from "./return.js";

/** The address of one of Stripe's pages, to send the browser to. */
export interface Link {
  readonly url: string;
}

/** `hosted`: a page at Stripe. `embedded`: a form inside the application's own page. */
export type Ui = "hosted" | "embedded";

/** One member for each kind, so that a test of `kind` narrows the rest. */
type Each<K extends string, T> = { [M in K]: { readonly kind: M } & T }[K];

/** A page on which the entity can subscribe. */
type CheckoutPage<U extends Ui> = Each<
  "checkout" | "open",
  { readonly sessionId: string; readonly subscriptionId: null } & (U extends "hosted"
    ? { readonly url: string }
    : { readonly clientSecret: string })
>;

/** A page for an entity that is subscribed already. */
type SubscribedPage = Each<
  "pay" | "change" | "manage",
  { readonly url: string; readonly sessionId: null; readonly subscriptionId: string }
>;

/**
 * Where to send a person who wants to subscribe. `checkout`: a new page. `open`: the page that was
 * handed out before. `pay`: subscribed, with an invoice that is to be paid. `change`, `manage`:
 * subscribed, and this is the portal.
 *
 * @example
 * ```ts
 * import type { Page } from "backend-billing";
 *
 * const isNew = (page: Page): boolean => page.kind === "checkout" || page.kind === "open";
 * ```
 */
export type Page<U extends Ui = "hosted"> = CheckoutPage<U> | SubscribedPage;

/**
 * Opens one of Stripe's pages, from which people come back through our return route. `create` is
 * given the address to come back to.
 */
export async function openPage<T>(
  runtime: Runtime,
  to: Omit<ReturnTo, "account">,
  options: Stripe.RequestOptions | undefined,
  create: (backUrl: string) => Promise<T>,
): Promise<T> {
  const back = { ...to, account: options?.stripeAccount ?? null };
  const opened = await create(await returnLink(runtime, back)).catch(async (error: unknown) => {
    // A repeated call must say what the first one said, and its link may be from the day before.
    const { rawType } = error as Partial<Stripe.errors.StripeError>;
    if (!options?.idempotencyKey || rawType !== "idempotency_error") return provider(error);
    return create(await returnLink(runtime, back, 1)).catch(provider);
  });
  // The link is not logged: it grants access to anyone who has it.
  runtime.log?.info({ object: to.customerId, link: to.kind }, "A link was made");
  return opened;
}

/** The address of a page that was opened, or its secret where it is embedded. */
export function addressOf(address: string | null | undefined): string {
  if (address) return address;
  throw new BillingError(
    "provider_error",
    "Stripe answered a session without a link. Leave out parameters that make it anything but a page of this kind.",
  );
}
