/**
 * Payment intents through the API. A refusal by the bank answers 402 although the attempt, its
 * charge and its events stay. Stripe raises no event when an intent is merely updated.
 */

import { invalid, notModelled } from "../../api/errors.js";
import {
  flag,
  integer,
  listOf,
  metadata,
  oneOf,
  type Parsed,
  required,
  text,
  word,
} from "../../api/params.js";
import { searchRoute } from "../../api/search.js";
import { leastCharge, money } from "../../billing/money.js";
import {
  checkConfirmable,
  findIntent,
  unexpectedState,
  usableMethod,
} from "../../billing/payments/payment-intents.js";
import { cardError } from "../../billing/payments/payment-methods.js";
import {
  type ConfirmParams,
  cancelPaymentIntent,
  capturePaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
  type PaymentIntent,
} from "../../billing/payments/payments.js";
import { tellInvoice } from "../../billing/subscriptions/dunning.js";
import { type Call, route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { given, listKind, listShape, mergeMetadata } from "../common.js";
import { automaticMethods, automaticShape, checkReturn, mandateShape, since } from "./accepted.js";

const shared = {
  description: text,
  metadata,
  payment_method: word,
  receipt_email: text,
  statement_descriptor: text,
  statement_descriptor_suffix: text,
};
const confirmShape = {
  error_on_requires_action: flag,
  mandate_data: mandateShape,
  off_session: flag,
  payment_method: word,
  receipt_email: text,
  return_url: word,
  setup_future_usage: oneOf("off_session", "on_session"),
  use_stripe_sdk: flag,
};
const createShape = {
  ...shared,
  ...confirmShape,
  amount: required(integer),
  automatic_payment_methods: automaticShape,
  capture_method: oneOf("automatic", "automatic_async", "manual"),
  confirm: flag,
  confirmation_method: oneOf("automatic", "manual"),
  currency: required(word),
  customer: word,
  payment_method_types: listOf(word),
};
type Params = Parsed<typeof createShape>;

const LARGEST = 99_999_999;

function checkAmount(amount: number, currency: string): void {
  if (!/^[a-z]{3}$/i.test(currency)) throw invalid(`Invalid currency: ${currency}`, "currency");
  const least = leastCharge(currency);
  if (amount < least) {
    const said = `${money(least, currency)} ${currency.toLowerCase()}`;
    throw invalid(`Amount must be at least ${said}`, "amount", "amount_too_small");
  }
  if (amount > LARGEST) {
    const said = `${money(LARGEST, currency)} ${currency.toLowerCase()}`;
    throw invalid(`Amount must be no more than ${said}`, "amount", "amount_too_large");
  }
}

const ONLY_WITH_CONFIRM = [
  "error_on_requires_action",
  "mandate_data",
  "off_session",
  "return_url",
  "use_stripe_sdk",
] as const;

function create(call: Call, params: Params): object {
  const { world } = call;
  checkAmount(params.amount, params.currency);
  const automatic = automaticMethods(call, params);
  if (!params.confirm) {
    for (const name of ONLY_WITH_CONFIRM) {
      if (params[name] === undefined) continue;
      throw invalid(
        `The parameter \`${name}\` can only be used with \`confirm\` set to \`true\`.`,
        name,
      );
    }
  } else checkReturn("PaymentIntent", automatic, params);
  if (params.confirm && params.payment_method === undefined) {
    throw invalid(
      "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
      undefined,
      "payment_intent_unexpected_state",
    );
  }
  const intent = createPaymentIntent(world, {
    ...params,
    automatic_payment_methods: automatic,
    capture_method:
      params.capture_method ?? (since(call, "asyncCapture") ? "automatic_async" : "automatic"),
  });
  const { payment_method: _, setup_future_usage: __, receipt_email: ___, ...rest } = params;
  return params.confirm ? confirm(world, intent.id, rest) : intent;
}

/** Confirms, and answers a refusal with 402; what happened stays happened. */
function confirm(
  world: World,
  id: string,
  params: ConfirmParams & { readonly error_on_requires_action?: boolean | undefined },
): PaymentIntent {
  const giveUp = params.off_session === true || params.error_on_requires_action === true;
  const intent = confirmPaymentIntent(world, id, {
    ...params,
    on_authentication: giveUp ? "fail" : "wait",
  });
  tellInvoice(world, intent);
  const error = intent.last_payment_error;
  if (intent.status !== "requires_payment_method" || error === null) return intent;
  throw cardError(
    {
      code: error.code ?? "card_declined",
      ...(error.decline_code === undefined ? {} : { decline_code: error.decline_code }),
      message: error.message ?? "Your card was declined.",
    },
    {
      ...(error.charge === undefined ? {} : { charge: error.charge }),
      payment_intent: intent,
      ...(error.payment_method === undefined ? {} : { payment_method: error.payment_method }),
    },
  );
}

const updateShape = {
  ...shared,
  amount: integer,
  currency: word,
  setup_future_usage: oneOf("off_session", "on_session"),
};

function update(world: World, id: string, params: Parsed<typeof updateShape>): PaymentIntent {
  const before = findIntent(world, id);
  const { metadata: change, payment_method: method, currency, ...rest } = params;
  const open = /^requires_(payment_method|confirmation|action)$/.test(before.status);
  for (const name of ["amount", "currency", "payment_method", "setup_future_usage"] as const) {
    if (open || params[name] === undefined) continue;
    throw unexpectedState(
      `This PaymentIntent's ${name} could not be updated because it has a status of ${before.status}. You may only update the ${name} of a PaymentIntent with one of the following statuses: requires_payment_method, requires_confirmation, requires_action.`,
      before,
    );
  }
  checkAmount(params.amount ?? before.amount, currency ?? before.currency);
  const used = method === undefined ? undefined : usableMethod(world, method, before.customer).id;
  return world.patch("payment_intent", id, {
    ...given({
      ...rest,
      currency: currency?.toLowerCase(),
      metadata: change === undefined ? undefined : mergeMetadata(before.metadata, change),
    }),
    ...(used === undefined ? {} : { payment_method: used, status: "requires_confirmation" }),
  });
}

export const paymentIntents = [
  searchRoute("/v1/payment_intents/search", "payment_intent"),
  route("POST /v1/payment_intents", createShape, create),
  route("GET /v1/payment_intents", { ...listShape, customer: word }, (call, params) =>
    listKind(call, "payment_intent", params, {
      url: "/v1/payment_intents",
      where: { field: "customer", value: params.customer },
    }),
  ),
  route("GET /v1/payment_intents/:intent", { client_secret: word }, ({ world, path }) =>
    findIntent(world, path.intent),
  ),
  route("POST /v1/payment_intents/:intent", updateShape, ({ world, path }, params) =>
    update(world, path.intent, params),
  ),
  route("POST /v1/payment_intents/:intent/confirm", confirmShape, ({ world, path }, params) => {
    const intent = findIntent(world, path.intent);
    checkConfirmable(intent);
    checkReturn("PaymentIntent", intent.automatic_payment_methods, params);
    return confirm(world, intent.id, params);
  }),
  route(
    "POST /v1/payment_intents/:intent/capture",
    { amount_to_capture: integer, final_capture: flag },
    ({ world, path }, params) => {
      if (params.final_capture === false) throw notModelled("capturing in several steps");
      return capturePaymentIntent(world, path.intent, params.amount_to_capture);
    },
  ),
  route(
    "POST /v1/payment_intents/:intent/cancel",
    { cancellation_reason: oneOf("abandoned", "duplicate", "fraudulent", "requested_by_customer") },
    ({ world, path }, params) =>
      cancelPaymentIntent(world, path.intent, params.cancellation_reason),
  ),
];
