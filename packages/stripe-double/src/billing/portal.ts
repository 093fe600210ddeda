/** What a customer sees and does in the portal, within what its configuration allows. */
import type Stripe from "stripe";
import { refused } from "../api/errors.js";
import { checkChange } from "../resources/portal/changes.js";
import type { PortalConfiguration } from "../resources/portal/features.js";
import type { PortalSession } from "../resources/portal/sessions.js";
import { updateSubscription } from "../resources/subscriptions/update.js";
import type { Plain } from "../world/plain.js";
import type { World } from "../world/world.js";
import type { CardEntry } from "./checkout/checkout.js";
import type { Invoice } from "./invoices/invoices.js";
import { attachPaymentMethod, createCard, setCardState } from "./payments/payment-methods.js";
import { isPutOff, putOff } from "./portal-later.js";
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

/** What a customer chooses, or confirms. */
export interface PlanChange {
  readonly price?: string | undefined;
  readonly quantity?: number | undefined;
  readonly discounts?:
    | readonly { readonly coupon?: string; readonly promotion_code?: string }[]
    | undefined;
}

/** Each of these does one thing and answers the name of the notice that tells of it. */
export function changePlan(
  world: World,
  view: PortalView,
  id: string,
  { price, quantity, discounts }: PlanChange,
): string {
  const subscription = world.find("subscription", id);
  const [item] = subscription.items.data;
  const change = { item: item?.id ?? "", price, quantity };
  checkChange(world, view.configuration, subscription, change);
  const { proration_behavior: proration, trial_update_behavior: trial } =
    view.features.subscription_update;
  const known = (["always_invoice", "create_prorations", "none"] as const).find(
    (each) => each === proration,
  );
  const { conditions } = view.features.subscription_update.schedule_at_period_end;
  const next = {
    price: world.find("price", price ?? item?.price.id ?? ""),
    quantity: quantity ?? item?.quantity ?? 1,
  };
  if (item !== undefined && isPutOff(world, conditions, item, next)) {
    putOff(world, subscription, item, next);
    return "later";
  }
  updateSubscription(world, id, {
    items: [{ id: change.item, price, quantity: quantity ?? item?.quantity }],
    proration_behavior: known ?? "none",
    ...(discounts?.length
      ? {
          discounts: discounts.map(({ coupon, promotion_code }) => ({ coupon, promotion_code })),
        }
      : {}),
    ...(subscription.status === "trialing" && trial === "end_trial" ? { trial_end: "now" } : {}),
  });
  return "changed";
}

/** Does what a session was made for, as its customer confirms it. */
export function confirmChange(world: World, view: PortalView): string {
  const update = view.session.flow?.subscription_update_confirm;
  const [item] = update?.items ?? [];
  if (!update || !item) throw refused("There is nothing to confirm.");
  return changePlan(world, view, update.subscription, {
    price: item.price ?? undefined,
    quantity: item.quantity,
    discounts: update.discounts?.map(({ coupon, promotion_code: code }) => ({
      ...(coupon === null ? {} : { coupon }),
      ...(code === null ? {} : { promotion_code: code }),
    })),
  });
}

/** Changes what the customer may change of themselves. */
export function changeDetails(
  world: World,
  { customer, features }: PortalView,
  said: { readonly [K in "email" | "name" | "phone"]?: string | undefined },
): string {
  const { allowed_updates: allowed } = features.customer_update;
  const changes = Object.fromEntries(
    (["email", "name", "phone"] as const)
      .filter((field) => allowed.includes(field) && said[field] !== undefined)
      .map((field) => [field, said[field]]),
  );
  world.change("customer", customer.id, changes, "customer.updated");
  return "details";
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
