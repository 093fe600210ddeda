/** What a customer sees and does in the portal, within what its configuration allows. */
import type Stripe from "stripe";
import { refused } from "../api/errors.js";
import { type PortalConfiguration, portalProducts } from "../resources/portal/features.js";
import type { PortalSession } from "../resources/portal/sessions.js";
import { updateSubscription } from "../resources/subscriptions/update.js";
import type { Plain } from "../world/plain.js";
import type { World } from "../world/world.js";
import type { CardEntry } from "./checkout/checkout.js";
import type { Invoice } from "./invoices/invoices.js";
import { attachPaymentMethod, createCard, setCardState } from "./payments/payment-methods.js";
import { hasCurrency } from "./prices/rates.js";
import { cancelSubscription } from "./subscriptions/end.js";
import { periodEnd, type Subscription } from "./subscriptions/subscription.js";

export interface PortalView {
  readonly session: PortalSession;
  readonly configuration: PortalConfiguration;
  readonly features: PortalConfiguration["features"];
  readonly customer: Plain<Stripe.Customer>;
  /** The card that is charged, if there is one. */
  readonly card: Plain<Stripe.PaymentMethod> | undefined;
  readonly subscriptions: readonly Subscription[];
  readonly invoices: readonly Invoice[];
}

const MINUTE = 60;
/** A link that was not opened is good for five minutes, an open portal for an hour without a step. */
const UNOPENED = 5 * MINUTE;
const IDLE = 60 * MINUTE;
const seen = new WeakMap<World, Map<string, number>>();

/** What the portal shows now; undefined once the link has expired. Looking counts as a step. */
export function portalView(world: World, id: string): PortalView | undefined {
  const session = world.find("billing_portal.session", id);
  const steps = seen.get(world) ?? new Map<string, number>();
  seen.set(world, steps);
  const last = steps.get(id);
  const limit = last === undefined ? session.created + UNOPENED : last + IDLE;
  const customer = world.objects.customer.get(session.customer);
  if (world.now() > limit || customer === undefined) return undefined;
  steps.set(id, world.now());
  const configuration = world.find("billing_portal.configuration", session.configuration);
  const subscriptions = world.objects.subscription
    .where("customer", customer.id)
    .filter(
      ({ status }) =>
        status !== "canceled" && status !== "incomplete_expired" && status !== "incomplete",
    );
  const method =
    customer.invoice_settings.default_payment_method ??
    subscriptions.at(-1)?.default_payment_method;
  return {
    session,
    configuration,
    features: configuration.features,
    customer,
    card: method ? world.objects.payment_method.get(method) : undefined,
    subscriptions: subscriptions.reverse(),
    invoices: world.objects.invoice
      .where("customer", customer.id)
      .filter(({ status }) => status !== "draft")
      .reverse(),
  };
}

/** Whether the portal lets a subscription be changed or canceled. */
export function canChange({ status }: Subscription): boolean {
  return status === "active" || status === "trialing" || status === "past_due";
}

/** The plans that a subscription may have: those the configuration names, among the ones on sale. */
export function plansFor(
  world: World,
  view: PortalView,
  subscription: Subscription,
): Plain<Stripe.Price>[] {
  const { default_allowed_updates: allowed } = view.features.subscription_update;
  if (!allowed.includes("price") || subscription.items.data.length !== 1) return [];
  const products = portalProducts(world, view.configuration.id);
  const named = products?.flatMap(({ prices }) => prices);
  // The dashboard asks for products; a default that was saved without any offers all there are.
  if (named === undefined && !view.configuration.is_default) return [];
  return [...world.objects.price.values()].filter(
    (price) =>
      price.recurring !== null &&
      price.active &&
      hasCurrency(world, price, subscription.currency) &&
      (named === undefined || named.includes(price.id)),
  );
}

/** Each of these does one thing and answers the name of the notice that tells of it. */
export function changePlan(world: World, view: PortalView, id: string, price: string): string {
  const subscription = world.find("subscription", id);
  const [item] = subscription.items.data;
  if (item?.price.id === price) throw refused("This is the plan that you have now.");
  if (
    item === undefined ||
    !plansFor(world, view, subscription).some((plan) => plan.id === price)
  ) {
    throw refused("Choose one of the plans.");
  }
  const { proration_behavior: proration, trial_update_behavior: trial } =
    view.features.subscription_update;
  const known = (["always_invoice", "create_prorations", "none"] as const).find(
    (each) => each === proration,
  );
  updateSubscription(world, id, {
    items: [{ id: item.id, price, quantity: item.quantity }],
    proration_behavior: known ?? "none",
    ...(subscription.status === "trialing" && trial === "end_trial" ? { trial_end: "now" } : {}),
  });
  return "changed";
}

/**
 * Cancels as the configuration says. At the end of the period Stripe's portal sets `cancel_at`
 * and leaves `cancel_at_period_end` alone, for subscriptions with the flexible billing mode.
 */
export function cancelInPortal(
  world: World,
  view: PortalView,
  id: string,
  said: { readonly feedback?: string | undefined; readonly comment?: string | undefined } = {},
): string {
  const subscription = world.find("subscription", id);
  const details = { comment: said.comment ?? null, feedback: said.feedback };
  if (view.features.subscription_cancel.mode === "immediately") {
    const before = subscription.cancellation_details;
    world.patch("subscription", id, {
      cancellation_details: before && {
        ...before,
        comment: details.comment,
        feedback: details.feedback ?? null,
      },
    });
    cancelSubscription(world, id);
    return "canceled";
  }
  const end = periodEnd(subscription);
  const flexible = subscription.billing_mode.type === "flexible";
  updateSubscription(world, id, {
    ...(flexible ? { cancel_at: end } : { cancel_at_period_end: true }),
    cancellation_details: details,
  });
  return "ends";
}

export function resumeInPortal(world: World, id: string): string {
  const { cancel_at: at, cancel_at_period_end: atEnd } = world.find("subscription", id);
  if (at === null && !atEnd) throw refused("This subscription is not about to end.");
  updateSubscription(world, id, atEnd ? { cancel_at_period_end: false } : { cancel_at: null });
  return "resumed";
}

/** Puts a new card on file and charges it from now on. */
export function changeCard(
  world: World,
  view: PortalView,
  card: CardEntry,
  name: string | undefined,
): string {
  const { email } = view.customer;
  const method = createCard(world, {
    number: card.number,
    exp_month: card.exp_month,
    exp_year: card.exp_year,
    billing_details: { address: undefined, email, name, phone: undefined },
  });
  attachPaymentMethod(world, method.id, view.customer.id);
  // The customer is there to answer their bank, so the card is good for payments without them.
  setCardState(world, method.id, { setUp: true });
  const customer = world.find("customer", view.customer.id);
  world.change(
    "customer",
    customer.id,
    { invoice_settings: { ...customer.invoice_settings, default_payment_method: method.id } },
    "customer.updated",
  );
  for (const { id, default_payment_method: own } of view.subscriptions) {
    if (own !== null) updateSubscription(world, id, { default_payment_method: method.id });
  }
  return "card";
}
