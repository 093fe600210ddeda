/**
 * Setup intents: a card is checked with its bank and saved for its customer, and nothing is paid. A
 * refusal by the bank is an outcome here; only the API's own routes answer it with 402.
 */
import type Stripe from "stripe";
import { ApiError, docUrl, missing, refused } from "../../api/errors.js";
import { mergeMetadata, referenced } from "../../resources/common.js";
import type { Plain } from "../../world/plain.js";
import { token } from "../../world/random.js";
import type { World } from "../../world/world.js";
import { nextAction, unauthenticated, wantsCustomer } from "../payments/authentication.js";
import { type Refusal, refusalOf } from "../payments/cards.js";
import { checkAccepted, usableMethod } from "../payments/payment-intents.js";
import {
  attachPaymentMethod,
  cardState,
  type PaymentMethod,
  setCardState,
} from "../payments/payment-methods.js";
import { recordAttempt } from "./setup-attempts.js";

export type SetupIntent = Plain<Stripe.SetupIntent>;

export interface SetupIntentParams {
  readonly automatic_payment_methods?: SetupIntent["automatic_payment_methods"] | undefined;
  readonly customer?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly metadata?: { readonly [key: string]: string } | null | undefined;
  readonly payment_method?: string | undefined;
  readonly payment_method_types?: readonly string[] | undefined;
  readonly usage?: "off_session" | "on_session" | undefined;
}

/** Creates it, ready to be confirmed if it has a payment method. */
export function createSetupIntent(world: World, params: SetupIntentParams = {}): SetupIntent {
  if (params.customer) referenced(world, "customer", params.customer, "customer");
  const method =
    params.payment_method === undefined
      ? undefined
      : usableMethod(world, params.payment_method, params.customer ?? null, "SetupIntent");
  const id = world.id("seti");
  const automatic = params.automatic_payment_methods ?? null;
  // Apart, because the types of `stripe` 22 do not know it.
  const filter = { allowed_payment_method_types: null };
  const intent: SetupIntent = {
    ...filter,
    id,
    object: "setup_intent",
    application: null,
    automatic_payment_methods: automatic,
    cancellation_reason: null,
    client_secret: `${id}_secret_${token(25, id)}`,
    created: world.now(),
    customer: params.customer ?? null,
    customer_account: null,
    description: params.description ?? null,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: world.livemode,
    mandate: null,
    metadata: mergeMetadata({}, params.metadata ?? {}),
    next_action: null,
    on_behalf_of: null,
    payment_method: method?.id ?? null,
    payment_method_configuration_details:
      automatic === null ? null : { id: `pmc_1${token(23, world.account)}`, parent: null },
    payment_method_options: {
      card: { mandate_options: null, network: null, request_three_d_secure: "automatic" },
    },
    payment_method_types: [...(params.payment_method_types ?? ["card"])],
    single_use_mandate: null,
    status: method === undefined ? "requires_payment_method" : "requires_confirmation",
    usage: params.usage ?? "off_session",
  };
  world.objects.setup_intent.add(intent);
  world.raise("setup_intent.created", intent);
  return intent;
}

/** The setup intent that a path names. Stripe calls that part of the path `intent`. */
export function findSetupIntent(world: World, id: string): SetupIntent {
  const intent = world.objects.setup_intent.get(id);
  if (intent === undefined) throw new ApiError(404, missing("setup_intent", id, "intent").body);
  return intent;
}

export function unexpectedSetupState(message: string, intent: SetupIntent): ApiError {
  return new ApiError(400, {
    type: "invalid_request_error",
    code: "setup_intent_unexpected_state",
    message,
    setup_intent: intent,
  });
}

/** Refuses to confirm what cannot be confirmed any more. */
export function checkSetupConfirmable(intent: SetupIntent): void {
  if (intent.status !== "succeeded" && intent.status !== "canceled") return;
  const why =
    intent.status === "canceled"
      ? "it has a status of canceled."
      : "it has already succeeded after being previously confirmed.";
  throw unexpectedSetupState(`You cannot confirm this SetupIntent because ${why}`, intent);
}

export interface ConfirmSetupParams {
  readonly payment_method?: string | undefined;
  readonly return_url?: string | undefined;
  /** Stripe.js shows the bank's page, so the customer is not sent to another one. */
  readonly use_stripe_sdk?: boolean | undefined;
}

/**
 * Asks the bank to let the card be charged later. The answer's `status` tells how it went:
 * `succeeded`, `requires_action`, or `requires_payment_method` after a refusal, which
 * `last_setup_error` explains.
 */
export function confirmSetupIntent(
  world: World,
  id: string,
  params: ConfirmSetupParams = {},
): SetupIntent {
  const before = findSetupIntent(world, id);
  checkSetupConfirmable(before);
  const wanted = params.payment_method ?? before.payment_method;
  if (wanted === null) {
    throw unexpectedSetupState(
      "You cannot confirm this SetupIntent because it's missing a payment method. You can either update the SetupIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
      before,
    );
  }
  const method = usableMethod(world, wanted, before.customer, "SetupIntent");
  checkAccepted(before, method);
  const intent = world.patch("setup_intent", id, { payment_method: method.id, next_action: null });
  const { behaviour, setUp } = cardState(world, method.id);
  if (!wantsCustomer(behaviour, setUp)) return settle(world, intent, method);
  const waiting = world.patch("setup_intent", id, {
    latest_attempt: recordAttempt(world, intent, method, { status: "requires_action" }),
    next_action: nextAction(intent, params.use_stripe_sdk ? undefined : params.return_url),
    status: "requires_action",
  });
  world.raise("setup_intent.requires_action", waiting);
  return waiting;
}

/** What the customer did when asked to authenticate. */
export function authenticateSetupIntent(
  world: World,
  id: string,
  outcome: "succeed" | "fail",
): SetupIntent {
  const intent = findSetupIntent(world, id);
  if (intent.status !== "requires_action" || intent.payment_method === null) {
    throw unexpectedSetupState(
      `This SetupIntent waits for no action: it is ${intent.status}.`,
      intent,
    );
  }
  const method = world.find("payment_method", intent.payment_method);
  if (outcome === "succeed") return settle(world, intent, method);
  return refuse(world, intent, method, unauthenticated("setup_intent"), "invalid_request_error");
}

/** Asks the bank. A card that can be attached although it declines is set up all the same. */
function settle(world: World, intent: SetupIntent, method: PaymentMethod): SetupIntent {
  const { behaviour } = cardState(world, method.id);
  if (behaviour.decline !== undefined && !behaviour.attaches) {
    return refuse(world, intent, method, refusalOf(behaviour.decline), "card_error");
  }
  if (intent.customer !== null && method.customer === null) {
    attachPaymentMethod(world, method.id, intent.customer);
  }
  setCardState(world, method.id, { setUp: true });
  const done = world.patch("setup_intent", intent.id, {
    last_setup_error: null,
    latest_attempt: recordAttempt(world, intent, method, { status: "succeeded" }),
    next_action: null,
    status: "succeeded",
  });
  world.raise("setup_intent.succeeded", done);
  servePending(world, done);
  return done;
}

/** The intent lets go of the payment method, and keeps why. */
function refuse(
  world: World,
  intent: SetupIntent,
  method: PaymentMethod,
  refusal: Refusal,
  type: "card_error" | "invalid_request_error",
): SetupIntent {
  const error = {
    code: refusal.code,
    ...(refusal.decline_code ? { decline_code: refusal.decline_code } : {}),
    doc_url: docUrl(refusal.code),
    message: refusal.message,
    payment_method: method,
    type,
  };
  const failed = world.patch("setup_intent", intent.id, {
    last_setup_error: error,
    latest_attempt: recordAttempt(world, intent, method, { status: "failed", error }),
    next_action: null,
    payment_method: null,
    status: "requires_payment_method",
  });
  world.raise("setup_intent.setup_failed", failed);
  return failed;
}

type CancellationReason = "abandoned" | "duplicate" | "requested_by_customer";

/** Gives it up. */
export function cancelSetupIntent(
  world: World,
  id: string,
  reason: CancellationReason | null = null,
): SetupIntent {
  const intent = findSetupIntent(world, id);
  if (intent.status === "succeeded" || intent.status === "canceled") {
    throw unexpectedSetupState(
      `You cannot cancel this SetupIntent because it has a status of ${intent.status}. Only a SetupIntent with one of the following statuses may be canceled: requires_payment_method, requires_confirmation, requires_action, processing.`,
      intent,
    );
  }
  const canceled = world.patch("setup_intent", id, {
    cancellation_reason: reason,
    next_action: null,
    status: "canceled",
  });
  world.raise("setup_intent.canceled", canceled);
  return canceled;
}

/**
 * Has the card of a subscription that costs nothing yet set up for the payments to come. Answers the
 * setup intent that waits for a card or for the customer; null where nothing is left to do.
 */
export function setUpSubscription(
  world: World,
  customer: string,
  method: string | undefined,
): string | null {
  if (method !== undefined) {
    const { behaviour, setUp } = cardState(world, method);
    if (!wantsCustomer(behaviour, setUp)) return null;
  }
  const { id } = createSetupIntent(world, { customer, payment_method: method });
  if (method !== undefined) confirmSetupIntent(world, id);
  return id;
}

/** The subscription that waited for this setup intent takes the card, if it was asked to. */
function servePending(world: World, { id, customer, payment_method: method }: SetupIntent): void {
  for (const subscription of world.objects.subscription.where("customer", customer ?? "")) {
    if (subscription.pending_setup_intent !== id) continue;
    const saves = subscription.payment_settings?.save_default_payment_method === "on_subscription";
    world.change(
      "subscription",
      subscription.id,
      {
        pending_setup_intent: null,
        ...(saves && method !== null ? { default_payment_method: method } : {}),
      },
      "customer.subscription.updated",
    );
  }
}

/** Setup intents of a checkout end with their session. */
export function checkNotOfCheckout(world: World, id: string): void {
  const session = [...world.objects["checkout.session"].values()].find(
    ({ setup_intent: known }) => known === id,
  );
  if (session === undefined) return;
  throw refused(
    "You cannot confirm or cancel the SetupIntent of a Checkout Session. To cancel it, expire the Checkout Session instead.",
  );
}
