/** What a checkout makes: a payment of its own, a subscription whose first invoice is paid, or a saved card. */
import type { World } from "../../world/world.js";
import { discountsFrom } from "../invoices/discounts.js";
import { createInvoiceItem } from "../invoices/invoice-items.js";
import { type Invoice, intentIdOf, markPaid, recordAttempt } from "../invoices/invoices.js";
import { attachPaymentMethod, cardState } from "../payments/payment-methods.js";
import {
  confirmPaymentIntent,
  createPaymentIntent,
  type PaymentIntent,
} from "../payments/payments.js";
import { amountOf, isMetered } from "../prices/rates.js";
import { confirmSetupIntent, type SetupIntent } from "../setup/setup-intents.js";
import type { Subscription } from "../subscriptions/subscription.js";
import { createSubscription } from "../subscriptions/subscriptions.js";
import { sourceOf } from "./discounts.js";
import { attemptOf, type CheckoutSession, lineItems, noteAttempt, purposeOf } from "./session.js";

/** Pays a session in `payment` mode. Further attempts use the same payment intent. */
export function payOnce(
  world: World,
  session: CheckoutSession,
  { customer, card, amount }: { customer: string | null; card: string; amount: number },
): PaymentIntent {
  const purpose = purposeOf(world, session.id);
  const known = attemptOf(world, session.id).payment_intent;
  const intent =
    known === undefined
      ? createPaymentIntent(world, {
          amount,
          currency: session.currency ?? "usd",
          capture_method: "automatic_async",
          customer,
          description: purpose.description,
          metadata: purpose.metadata,
          payment_method_types: session.payment_method_types,
          receipt_email: purpose.receipt_email,
          setup_future_usage: purpose.setup_future_usage,
        })
      : world.patch("payment_intent", known, { amount });
  noteAttempt(world, session.id, { payment_intent: intent.id });
  world.patch("checkout.session", session.id, { payment_intent: intent.id });
  return confirmPaymentIntent(world, intent.id, { payment_method: card });
}

/** Saves the card of a session in `setup` mode; for nobody in particular if it has no customer. */
export function saveCard(
  world: World,
  session: CheckoutSession,
  customer: string | null,
  card: string,
): SetupIntent {
  const id = session.setup_intent ?? "";
  if (customer !== null) world.patch("setup_intent", id, { customer });
  return confirmSetupIntent(world, id, { payment_method: card });
}

/** Pays the first invoice of the session's subscription, which the first attempt makes. */
export function payForSubscription(
  world: World,
  id: string,
  customer: string,
  card: string,
): PaymentIntent {
  const { behaviour } = cardState(world, card);
  // A card that the bank accepts is saved before it is charged, any other one only once it paid.
  if (!behaviour.decline && !behaviour.authentication) attachPaymentMethod(world, card, customer);
  const known = world.objects.subscription.get(attemptOf(world, id).subscription ?? "");
  // One that was not paid lapses an hour before the session does.
  const subscription = known?.status === "incomplete" ? known : subscribe(world, id, customer);
  const invoice = firstInvoice(world, subscription);
  const collects = intentIdOf(world, invoice.id);
  if (collects === undefined) throw new Error(`${invoice.id} has no payment intent to collect it`);
  noteAttempt(world, id, { subscription: subscription.id, payment_intent: collects });
  const intent = confirmPaymentIntent(world, collects, {
    payment_method: card,
    setup_future_usage: "off_session",
  });
  if (intent.status !== "succeeded") recordAttempt(world, invoice.id, intent);
  else world.patch("invoice", invoice.id, { attempt_count: Math.max(1, invoice.attempt_count) });
  return intent;
}

/** The money is there: the subscription begins, and its invoice is paid. */
export function settleSubscription(world: World, id: string, card: string | null): void {
  const before = world.find("subscription", id);
  const after = world.patch("subscription", id, { status: "active", default_payment_method: card });
  world.raise("customer.subscription.updated", after, before);
  world.due.subscription(id);
  markPaid(world, firstInvoice(world, after));
}

/** Begins a subscription for which nothing is due yet; the card, if there is one, is for later. */
export function startFree(
  world: World,
  id: string,
  customer: string,
  card: string | undefined,
): void {
  if (card !== undefined) attachPaymentMethod(world, card, customer);
  noteAttempt(world, id, { subscription: subscribe(world, id, customer, card).id });
}

function firstInvoice(world: World, subscription: Subscription): Invoice {
  return world.find("invoice", subscription.latest_invoice ?? "");
}

function subscribe(world: World, id: string, customer: string, card?: string): Subscription {
  const purpose = purposeOf(world, id);
  const { terms } = attemptOf(world, id);
  const currency = world.find("checkout.session", id).currency ?? "usd";
  const items = lineItems(world, id).flatMap(({ price, quantity }, index) => {
    if (price === null) return [];
    const count = quantity ?? (isMetered(price) ? undefined : 1);
    return [{ price, quantity: count, tax_rates: purpose.taxes.rates[index] ?? [] }];
  });
  for (const { price, quantity = 1, tax_rates } of items) {
    if (price.recurring) continue;
    // The first invoice of the subscription bills what waits for it.
    createInvoiceItem(world, {
      customer,
      amount: amountOf(world, price, quantity, currency),
      currency,
      description: world.objects.product.get(price.product)?.name ?? null,
      price,
      quantity,
      tax_rates,
    });
  }
  const { trial_period_days: days, trial_end: end } = purpose;
  const discounts = terms?.discount
    ? discountsFrom(world, [sourceOf(terms.discount)], { checkout_session: id, customer })
    : [];
  return createSubscription(world, {
    customer,
    currency,
    billing_mode: purpose.billing_mode,
    billing_cycle_anchor: purpose.begins.asked,
    billing_cycle_anchor_config: purpose.begins.config,
    prorates: purpose.begins.prorates,
    items: items
      .filter(({ price }) => price.recurring)
      .map(({ price, ...item }) => ({ ...item, price: price.id })),
    default_payment_method: card,
    trial_end: end ?? (days === undefined ? undefined : world.now() + days * 86_400),
    missing_payment_method: purpose.missing_payment_method,
    description: purpose.description,
    metadata: purpose.metadata,
    discounts,
    payment_behavior: "default_incomplete",
    taxes: purpose.taxes,
  });
}
