/** Payment intents as they are made, before anybody tries to collect anything. */
import type Stripe from "stripe";
import { ApiError, missing, refused } from "../../api/errors.js";
import { mergeMetadata, referenced } from "../../resources/common.js";
import type { Plain } from "../../world/plain.js";
import { token } from "../../world/random.js";
import type { World } from "../../world/world.js";
import {
  cardState,
  type PaymentMethod,
  resolvePaymentMethod,
  spentError,
} from "./payment-methods.js";

export type PaymentIntent = Plain<Stripe.PaymentIntent>;
type Metadata = { readonly [key: string]: string };

export interface PaymentIntentParams {
  readonly amount: number;
  readonly currency: string;
  /** `automatic` when absent: what invoices use. The API's own default is `automatic_async`. */
  readonly capture_method?: "automatic" | "automatic_async" | "manual" | undefined;
  /** `manual` leaves it to the server to confirm again once the customer has authenticated. */
  readonly confirmation_method?: "automatic" | "manual" | undefined;
  /** Accepts what the account accepts; without it, cards are named in `payment_method_types`. */
  readonly automatic_payment_methods?: PaymentIntent["automatic_payment_methods"] | undefined;
  readonly customer?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly metadata?: Metadata | null | undefined;
  readonly payment_method?: string | undefined;
  readonly payment_method_types?: readonly string[] | undefined;
  readonly receipt_email?: string | null | undefined;
  readonly setup_future_usage?: "off_session" | "on_session" | null | undefined;
  readonly statement_descriptor?: string | null | undefined;
  readonly statement_descriptor_suffix?: string | null | undefined;
}

/** Creates it, ready to be confirmed if it has a payment method. */
export function createPaymentIntent(world: World, params: PaymentIntentParams): PaymentIntent {
  if (params.customer) referenced(world, "customer", params.customer, "customer");
  const method =
    params.payment_method === undefined
      ? undefined
      : usableMethod(world, params.payment_method, params.customer ?? null);
  const id = world.id("pi");
  const automatic = params.automatic_payment_methods ?? null;
  const intent: PaymentIntent = {
    id,
    object: "payment_intent",
    allowed_payment_method_types: null,
    amount: params.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: automatic,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: params.capture_method ?? "automatic",
    client_secret: `${id}_secret_${token(25, id)}`,
    confirmation_method: params.confirmation_method ?? "automatic",
    created: world.ownNow(),
    currency: params.currency.toLowerCase(),
    customer: params.customer ?? null,
    customer_account: null,
    description: params.description ?? null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: world.livemode,
    managed_payments: null,
    metadata: mergeMetadata({}, params.metadata ?? {}),
    next_action: null,
    on_behalf_of: null,
    payment_method: method?.id ?? null,
    payment_method_configuration_details:
      automatic === null ? null : { id: `pmc_1${token(23, world.account)}`, parent: null },
    payment_method_options: {
      card: {
        installments: null,
        mandate_options: null,
        network: null,
        request_three_d_secure: "automatic",
      },
    },
    payment_method_types: [...(params.payment_method_types ?? ["card"])],
    payment_record: null,
    processing: null,
    receipt_email: params.receipt_email ?? null,
    review: null,
    setup_future_usage: params.setup_future_usage ?? null,
    shipping: null,
    source: null,
    statement_descriptor: params.statement_descriptor ?? null,
    statement_descriptor_suffix: params.statement_descriptor_suffix ?? null,
    status: method === undefined ? "requires_payment_method" : "requires_confirmation",
    transfer_data: null,
    transfer_group: null,
  };
  world.objects.payment_intent.add(intent);
  world.raise("payment_intent.created", intent);
  return intent;
}

/** A payment method that this customer may pay with, or Stripe's refusal. */
export function usableMethod(
  world: World,
  id: string,
  customer: string | null,
  intent: "PaymentIntent" | "SetupIntent" = "PaymentIntent",
): PaymentMethod {
  const method = resolvePaymentMethod(world, id);
  if (method.customer !== null && method.customer !== customer) {
    throw new ApiError(400, {
      type: "invalid_request_error",
      message:
        customer === null
          ? `The payment method \`${method.id}\` belongs to the Customer \`${method.customer}\`. Please include the Customer in the \`customer\` parameter on the ${intent}.`
          : `The customer does not have a payment method with the ID ${method.id}. The payment method must be attached to the customer.`,
      param: "payment_method",
    });
  }
  if (cardState(world, method.id).spent) throw spentError();
  return method;
}

/** Refuses a payment method of a type that the intent does not accept. */
export function checkAccepted(
  intent: {
    readonly object: "payment_intent" | "setup_intent";
    readonly automatic_payment_methods: object | null;
    readonly payment_method_types: readonly string[];
  },
  { type }: PaymentMethod,
): void {
  const { automatic_payment_methods: automatic, payment_method_types: types } = intent;
  if (automatic !== null || types.includes(type)) return;
  const name = intent.object === "payment_intent" ? "PaymentIntent" : "SetupIntent";
  throw refused(
    `The PaymentMethod provided (${type}) is not allowed for this ${name}. Please attach a PaymentMethod of one of the following types: ${types.join(", ")}.`,
    "payment_method",
    "payment_intent_incompatible_payment_method",
  );
}

/** The payment intent that a path names. Stripe calls that part of the path `intent`. */
export function findIntent(world: World, id: string): PaymentIntent {
  const intent = world.objects.payment_intent.get(id);
  if (intent === undefined) throw new ApiError(404, missing("payment_intent", id, "intent").body);
  return intent;
}

export function unexpectedState(message: string, intent: PaymentIntent): ApiError {
  return new ApiError(400, {
    type: "invalid_request_error",
    code: "payment_intent_unexpected_state",
    message,
    payment_intent: intent,
  });
}

/** Refuses to confirm what cannot be confirmed any more. */
export function checkConfirmable(intent: PaymentIntent): void {
  const { status } = intent;
  if (status.startsWith("requires_") && status !== "requires_capture") return;
  const why =
    status === "canceled" || status === "processing"
      ? `it has a status of ${status}.`
      : "it has already succeeded after being previously confirmed.";
  throw unexpectedState(`You cannot confirm this PaymentIntent because ${why}`, intent);
}
