/** Portal sessions for one purpose: which there are, and what Stripe refuses of them. */
import type Stripe from "stripe";
import { invalid, notModelled, refused } from "../../api/errors.js";
import { group, integer, listOf, oneOf, type Parsed, required, word } from "../../api/params.js";
import { couponFor } from "../../billing/invoices/discounts.js";
import type { Subscription } from "../../billing/subscriptions/subscription.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { checkChange } from "./changes.js";
import type { PortalConfiguration } from "./features.js";

export type PortalFlow = NonNullable<Plain<Stripe.BillingPortal.Session>["flow"]>;

const updateItemShape = group({ id: required(word), price: word, quantity: integer });
export const flowShape = {
  type: required(
    oneOf(
      "customer_update",
      "payment_method_update",
      "subscription_cancel",
      "subscription_pause",
      "subscription_update",
      "subscription_update_confirm",
    ),
  ),
  subscription_cancel: group({ subscription: required(word) }),
  subscription_update: group({ subscription: required(word) }),
  subscription_update_confirm: group({
    discounts: listOf(group({ coupon: word, promotion_code: word })),
    items: required(listOf(updateItemShape)),
    subscription: required(word),
  }),
  after_completion: group({
    type: required(oneOf("hosted_confirmation", "portal_homepage", "redirect")),
    hosted_confirmation: group({ custom_message: word }),
    redirect: group({ return_url: required(word) }),
  }),
};
type FlowParams = Parsed<typeof flowShape>;
type UpdateParams = NonNullable<FlowParams["subscription_update_confirm"]>;

/** Apart, because the types of `stripe` 22 do not know it. */
const NO_PAUSE = { subscription_pause: null };

/** The feature that each flow needs, and the words that say that it is off. */
const NEEDS = {
  customer_update: [
    "customer_update",
    "The customer cannot be updated because the customer update",
  ],
  payment_method_update: [
    "payment_method_update",
    "The payment method cannot be updated because the payment method update",
  ],
  subscription_cancel: [
    "subscription_cancel",
    "This subscription cannot be canceled because the subscription cancel",
  ],
  subscription_update: [
    "subscription_update",
    "This subscription cannot be updated because the subscription update",
  ],
  subscription_update_confirm: [
    "subscription_update",
    "This subscription cannot be updated because the subscription update",
  ],
} as const;

/** A page to begin with, for one purpose. Its feature must be on in the configuration. */
export function flowOf(
  world: World,
  customer: string,
  configuration: PortalConfiguration,
  params: FlowParams,
): PortalFlow {
  const { type, after_completion: after } = params;
  if (type === "subscription_pause") throw notModelled(`the portal flow '${type}'`);
  const subscription = type.startsWith("subscription_")
    ? subscriptionOf(world, customer, params)
    : undefined;
  const [feature, refusal] = NEEDS[type];
  if (!configuration.features[feature].enabled) {
    throw refused(`${refusal} feature in the portal configuration is disabled.`);
  }
  if (after?.type === "redirect" && after.redirect === undefined) {
    throw missingParam("flow_data[after_completion][redirect][return_url]");
  }
  const confirmed = type === "subscription_update_confirm" && params.subscription_update_confirm;
  return {
    ...NO_PAUSE,
    after_completion: {
      hosted_confirmation:
        after?.type === "hosted_confirmation"
          ? { custom_message: after.hosted_confirmation?.custom_message ?? null }
          : null,
      redirect: after?.type === "redirect" && after.redirect ? after.redirect : null,
      type: after?.type ?? "portal_homepage",
    },
    customer_update: type === "customer_update" ? {} : null,
    subscription_cancel:
      type === "subscription_cancel" && subscription
        ? { retention: null, subscription: subscription.id }
        : null,
    subscription_update:
      type === "subscription_update" && subscription ? { subscription: subscription.id } : null,
    subscription_update_confirm:
      confirmed && subscription ? updateOf(world, configuration, subscription, confirmed) : null,
    type,
  };
}

function missingParam(param: string): Error {
  return invalid(`Missing required param: ${param}.`, param, "parameter_missing");
}

function subscriptionOf(world: World, customer: string, params: FlowParams): Subscription {
  const { type } = params;
  const target =
    type === "subscription_cancel" ||
    type === "subscription_update" ||
    type === "subscription_update_confirm"
      ? params[type]
      : undefined;
  const param = `flow_data[${type}][subscription]`;
  if (target === undefined) throw missingParam(param);
  const subscription = world.find("subscription", target.subscription, param);
  if (subscription.customer === customer) return subscription;
  throw refused(`The subscription \`${subscription.id}\` does not belong to the customer.`, param);
}

/** The change that the customer is to confirm. Stripe takes one item, and one discount. */
function updateOf(
  world: World,
  configuration: PortalConfiguration,
  subscription: Subscription,
  { items, discounts = [] }: UpdateParams,
): NonNullable<PortalFlow["subscription_update_confirm"]> {
  const at = "flow_data[subscription_update_confirm]";
  const [item, ...more] = items;
  if (item === undefined || more.length > 0 || subscription.items.data.length > 1) {
    throw refused(
      "This subscription cannot be updated: only one item may be specified, and subscriptions with several items cannot be updated.",
      `${at}[items]`,
    );
  }
  if (discounts.length > 1) {
    throw refused("You may only specify one discount.", `${at}[discounts]`);
  }
  const change = { price: item.price, quantity: item.quantity, item: item.id };
  checkChange(world, configuration, subscription, change, `${at}[items][0]`);
  discounts.forEach((source, index) => {
    const { customer, currency } = subscription;
    couponFor(world, source, { customer, currency }, `${at}[discounts][${index}]`);
  });
  return {
    discounts: discounts.map(({ coupon, promotion_code: code }) => ({
      coupon: coupon ?? null,
      promotion_code: code ?? null,
    })),
    items: [
      {
        id: item.id,
        price: item.price ?? null,
        ...(item.quantity === undefined ? {} : { quantity: item.quantity }),
      },
    ],
    subscription: subscription.id,
  };
}
