/** What an entity gets that is subscribed already and wants to subscribe. */
import Stripe from "stripe";
import { stripeStatus } from "../../mirror/snapshot.js";
import { factsOf } from "../../runtime/error-facts.js";
import { BillingError, provider } from "../../runtime/errors.js";
import { AGAIN } from "../../runtime/rounds.js";
import type { Runtime } from "../../runtime/runtime.js";
import { isLive } from "../../subscriptions/state.js";
import type { Page } from "../page.js";
import { openPortal } from "../portal.js";
import { retrieveSubscription } from "./look.js";
import type { Sale } from "./sale.js";
import type { Turn } from "./turn.js";

type SubscribedPage = Extract<Page, { readonly sessionId: null }>;

/** A page to pay on, where an invoice is open; else the portal; or the error that was asked for. */
export async function pageForSubscribed(
  runtime: Runtime,
  sale: Sale,
  customer: string,
  subscription: Stripe.Subscription,
): Promise<SubscribedPage> {
  if (sale.ifSubscribed === "refuse") throw alreadySubscribed(sale, subscription);
  const { id: subscriptionId, status } = subscription;
  if (status === "past_due" || status === "unpaid") {
    const url = await payUrl(runtime, sale, subscriptionId);
    if (url !== undefined) return { kind: "pay", url, sessionId: null, subscriptionId };
  }
  return portalFor(runtime, sale, customer, subscription);
}

/**
 * Ends a subscription whose first payment is not complete, so that the person need not wait until it
 * expires. Its invoice is voided before, because an open one can be paid also when nothing is
 * subscribed. No page of that invoice is ever handed out in place of a new page for checkout: once the
 * session has expired, neither it nor any other session names the subscription, so that a store that
 * was set back to an earlier point could not know that the invoice can still be paid.
 */
export async function endIncomplete(
  runtime: Runtime,
  sale: Sale,
  turn: Turn,
  { id: subscriptionId }: Stripe.Subscription,
): Promise<typeof AGAIN | undefined> {
  if (!(await turn.hold())) return AGAIN;
  const { invoices, subscriptions } = runtime.stripe();
  for (const { id } of await openInvoices(runtime, sale, subscriptionId)) {
    const isVoid = await invoices.voidInvoice(id, {}, sale.reach).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Stripe.errors.StripeInvalidRequestError) return false;
        return provider(error);
      },
    );
    if (!isVoid) return AGAIN; // it was just paid
  }
  // Stripe may have ended it with its invoice; or it was paid before the invoices were listed.
  const now = await retrieveSubscription(runtime, subscriptionId, sale.reach);
  if (now === undefined || !isLive(now.status)) return undefined;
  if (now.status !== "incomplete") return AGAIN;
  await subscriptions.cancel(subscriptionId, {}, sale.reach).catch((error: unknown) => {
    if (stripeStatus(error) !== 404) provider(error); // otherwise another caller has just done it
  });
  return undefined;
}

/** The page of the oldest invoice that is open. */
async function payUrl(runtime: Runtime, sale: Sale, id: string): Promise<string | undefined> {
  return (await openInvoices(runtime, sale, id)).at(-1)?.hosted_invoice_url ?? undefined;
}

/** Newest first. */
async function openInvoices(
  runtime: Runtime,
  { reach }: Sale,
  subscription: string,
): Promise<Stripe.Invoice[]> {
  const { data } = await runtime
    .stripe()
    .invoices.list({ subscription, status: "open", limit: 100 }, reach)
    .catch(provider);
  return data;
}

async function portalFor(
  runtime: Runtime,
  sale: Sale,
  customer: string,
  subscription: Stripe.Subscription,
): Promise<SubscribedPage> {
  const { id: subscriptionId } = subscription;
  const open = (params: Stripe.BillingPortal.SessionCreateParams) =>
    openPortal(runtime, { customer, returnUrl: sale.params.success_url, params }, sale.reach);
  const found = { sessionId: null, subscriptionId } as const;
  if (canBeChangedThere(subscription)) {
    const flow_data = {
      type: "subscription_update",
      subscription_update: { subscription: subscriptionId },
    } as const;
    try {
      return { kind: "change", ...(await open({ flow_data })), ...found };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // The portal may not offer changes, or not of this subscription.
      runtime.log?.info({ object: subscriptionId, ...factsOf(error) }, "The portal has no changes");
    }
  }
  try {
    return { kind: "manage", ...(await open({})), ...found };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw alreadySubscribed(sale, subscription, error);
  }
}

/** The portal changes subscriptions of one item that is not metered. */
function canBeChangedThere({ items, status }: Stripe.Subscription): boolean {
  const [item, ...more] = items.data;
  const isActive = status === "active" || status === "trialing";
  return isActive && more.length === 0 && item?.price.recurring?.usage_type === "licensed";
}

const isRefusal = (error: unknown): boolean =>
  error instanceof BillingError && error.cause instanceof Stripe.errors.StripeInvalidRequestError;

function alreadySubscribed(
  { entityId }: Sale,
  { id, status }: Stripe.Subscription,
  cause?: unknown,
): BillingError {
  const portal =
    cause === undefined
      ? "Send the person to the portal, or change the subscription with `change`."
      : "No page of the portal could be opened for it: make one with `sync({ portal: true })`, or change the subscription with `change`.";
  return new BillingError(
    "already_subscribed",
    `The entity ${entityId} has the subscription ${id} already (${status}). ${portal} To sell a second one on purpose, pass \`ifSubscribed: "allow"\`.`,
    cause === undefined ? {} : { cause },
  );
}
