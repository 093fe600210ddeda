/**
 * What the double knows of a checkout session beyond the object: what the purchase is to become,
 * and what an attempt to pay has made so far. Also how a session ends unpaid.
 */
import type Stripe from "stripe";
import { refused } from "../../api/errors.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { cancelPaymentIntent, type PaymentIntent } from "../payments/payments.js";
import { cancelSetupIntent } from "../setup/setup-intents.js";
import type { BillingMode } from "../subscriptions/billing-mode.js";
import type { Beginning, LineItem, LineTaxes } from "./lines.js";

export type CheckoutSession = Plain<Stripe.Checkout.Session>;
type Metadata = { [key: string]: string };

/** What completing the session makes. */
export interface Purpose {
  readonly billing_mode?: BillingMode | undefined;
  readonly begins: Beginning;
  readonly trial_period_days?: number | undefined;
  readonly trial_end?: number | undefined;
  readonly missing_payment_method?: "cancel" | "create_invoice" | "pause" | undefined;
  readonly description?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly setup_future_usage?: "off_session" | "on_session" | undefined;
  readonly receipt_email?: string | undefined;
  readonly taxes: LineTaxes;
  /** Makes another session of the same kind in the place of one that expired. */
  readonly again: (recovered: string) => CheckoutSession;
  /** Whether what the customer enters replaces what is known of an existing customer. */
  readonly saves: { readonly name: boolean; readonly address: boolean };
}

export type CheckoutDiscount = NonNullable<CheckoutSession["discounts"]>[number];
export type Totals = Pick<CheckoutSession, "amount_subtotal" | "amount_total" | "total_details">;

/** What the customer agreed to when they last tried to pay. */
export interface Terms {
  /** The promotion code as it was typed. */
  readonly code: string | undefined;
  readonly discount: CheckoutDiscount | undefined;
  readonly items: readonly LineItem[];
  readonly totals: Totals;
  readonly details: NonNullable<CheckoutSession["customer_details"]>;
  readonly card: string | undefined;
}

/** What attempts to pay have made; the next attempt goes on with it. */
export interface Attempt {
  readonly customer?: string | undefined;
  readonly terms?: Terms | undefined;
  /** What a payment link proposed before the first attempt; the customer may enter another one. */
  readonly email?: string | undefined;
  /** Made for these terms, and not paid yet. */
  readonly subscription?: string | undefined;
  /** What collects the money: the session's own, or that of the subscription's first invoice. */
  readonly payment_intent?: string | undefined;
}

interface Kept {
  readonly purpose: Purpose;
  attempt: Attempt;
  stopExpiry: () => void;
}
const kept = new WeakMap<World, Map<string, Kept>>();

function keptOf(world: World, id: string): Kept {
  const found = kept.get(world)?.get(id);
  if (found === undefined) throw new Error(`${id} was not made by this double`);
  return found;
}

export const purposeOf = (world: World, id: string): Purpose => keptOf(world, id).purpose;
export const attemptOf = (world: World, id: string): Attempt => keptOf(world, id).attempt;

/** The open session that this intent is to pay, or for which it is to save a card. */
export function sessionOfIntent(world: World, intent: string): string | undefined {
  const sessions = world.objects["checkout.session"];
  return [...(kept.get(world) ?? [])].find(([id, { attempt }]) => {
    const session = sessions.get(id);
    const isOf = attempt.payment_intent === intent || session?.setup_intent === intent;
    return isOf && session?.status === "open";
  })?.[0];
}

export function noteAttempt(world: World, id: string, news: Attempt): void {
  const known = keptOf(world, id);
  known.attempt = { ...known.attempt, ...news };
}

/** The line items of a session, a payment link or a quote. */
export function lineItems(
  world: World,
  id: string,
  which: "line_items" | "upfront" = "line_items",
): readonly LineItem[] {
  const items = world.hidden.get(id)?.[which];
  return Array.isArray(items) ? items : [];
}

/** Keeps a new session, whose time runs from now. */
export function openCheckout(
  world: World,
  session: CheckoutSession,
  items: readonly LineItem[],
  purpose: Purpose,
): CheckoutSession {
  const all = kept.get(world) ?? new Map<string, Kept>();
  kept.set(world, all);
  world.objects["checkout.session"].add(session);
  world.hidden.set(session.id, { line_items: items });
  const stopExpiry = world.clock.schedule(session.expires_at * 1000, () => {
    world.causedBy({ id: null, idempotency_key: null }, () => close(world, session.id));
  });
  all.set(session.id, { purpose, attempt: {}, stopExpiry });
  return session;
}

/** The session is complete, so its time does not run out any more. */
export function completed(
  world: World,
  id: string,
  changes: Partial<CheckoutSession>,
): CheckoutSession {
  keptOf(world, id).stopExpiry();
  const session = world.patch("checkout.session", id, {
    ...changes,
    status: "complete",
    url: null,
  });
  world.raise("checkout.session.completed", session);
  return session;
}

/** Tells the session that this intent pays, if it was complete before, how the bank answered. */
export function answerCheckout(world: World, { id, status }: PaymentIntent): void {
  const session = [...world.objects["checkout.session"].values()].find(
    (each) => each.payment_intent === id && each.status === "complete",
  );
  if (session?.payment_status !== "unpaid") return;
  if (status === "succeeded") {
    const paid = world.patch("checkout.session", session.id, { payment_status: "paid" });
    world.raise("checkout.session.async_payment_succeeded", paid);
  } else world.raise("checkout.session.async_payment_failed", session);
}

const RECOVERABLE_FOR = 30 * 24 * 3600;

/** For thirty days an expired session leads to another one, if it was made so. */
function recovery(world: World, { after_expiration: after, id }: CheckoutSession) {
  if (!after?.recovery?.enabled) return after;
  const url = `${world.origin}/c/pay/${id}/recover`;
  return { recovery: { ...after.recovery, expires_at: world.now() + RECOVERABLE_FOR, url } };
}

/** Opens another session in the place of one that expired; undefined where there is none. */
export function recoverCheckout(world: World, id: string): CheckoutSession | undefined {
  const until = world.find("checkout.session", id).after_expiration?.recovery?.expires_at;
  return until && world.now() <= until ? purposeOf(world, id).again(id) : undefined;
}

function close(world: World, id: string): CheckoutSession {
  const known = keptOf(world, id);
  known.stopExpiry();
  const session = world.patch("checkout.session", id, {
    after_expiration: recovery(world, world.find("checkout.session", id)),
    status: "expired",
    url: null,
  });
  const intent = world.objects.payment_intent.get(session.payment_intent ?? "");
  if (intent && intent.status !== "succeeded" && intent.status !== "canceled") {
    cancelPaymentIntent(world, intent.id, "automatic");
  }
  if (session.setup_intent !== null) cancelSetupIntent(world, session.setup_intent);
  world.raise("checkout.session.expired", session);
  return session;
}

/** Ends an open session by request. */
export function expireCheckout(world: World, id: string): CheckoutSession {
  const { status } = world.find("checkout.session", id);
  if (status !== "open") {
    throw refused(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${status}\`.`,
    );
  }
  return close(world, id);
}

/** Where the browser goes after the session is paid. */
export function successUrl({
  id,
  success_url: url,
  return_url: back,
}: Pick<CheckoutSession, "id" | "success_url" | "return_url">): string {
  return (url ?? back ?? "").replaceAll("{CHECKOUT_SESSION_ID}", id);
}
