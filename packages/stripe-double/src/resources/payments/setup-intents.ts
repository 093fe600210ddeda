/**
 * Setup intents and their attempts through the API. A refusal by the bank answers 402 although the
 * attempt and its events stay. Stripe raises no event when an intent is merely updated.
 */
import { invalid } from "../../api/errors.js";
import {
  flag,
  listOf,
  metadata,
  oneOf,
  type Parsed,
  required,
  text,
  word,
} from "../../api/params.js";
import { usableMethod } from "../../billing/payments/payment-intents.js";
import { cardError } from "../../billing/payments/payment-methods.js";
import {
  type ConfirmSetupParams,
  cancelSetupIntent,
  checkNotOfCheckout,
  checkSetupConfirmable,
  confirmSetupIntent,
  createSetupIntent,
  findSetupIntent,
  type SetupIntent,
  unexpectedSetupState,
} from "../../billing/setup/setup-intents.js";
import { type Call, route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { given, listKind, listShape, mergeMetadata, referenced } from "../common.js";
import { automaticMethods, automaticShape, checkReturn, mandateShape } from "./accepted.js";

const confirmShape = {
  mandate_data: mandateShape,
  payment_method: word,
  return_url: word,
  use_stripe_sdk: flag,
};
const createShape = {
  ...confirmShape,
  automatic_payment_methods: automaticShape,
  confirm: flag,
  customer: word,
  description: text,
  metadata,
  payment_method_types: listOf(word),
  usage: oneOf("off_session", "on_session"),
};

function create(call: Call, params: Parsed<typeof createShape>): SetupIntent {
  const { world } = call;
  const automatic = automaticMethods(call, params);
  if (!params.confirm) {
    for (const name of ["mandate_data", "return_url", "use_stripe_sdk"] as const) {
      if (params[name] === undefined) continue;
      throw invalid(
        `The parameter \`${name}\` can only be used with \`confirm\` set to \`true\`.`,
        name,
      );
    }
  } else {
    checkReturn("SetupIntent", automatic, params);
    if (params.payment_method === undefined) {
      throw invalid(
        "You cannot confirm this SetupIntent because it's missing a payment method. You can either update the SetupIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
        undefined,
        "setup_intent_unexpected_state",
      );
    }
  }
  const intent = createSetupIntent(world, { ...params, automatic_payment_methods: automatic });
  const { payment_method: _, ...rest } = params;
  return params.confirm ? confirm(world, intent.id, rest) : intent;
}

/** Confirms, and answers a refusal with 402; what happened stays happened. */
function confirm(world: World, id: string, params: ConfirmSetupParams): SetupIntent {
  const intent = confirmSetupIntent(world, id, params);
  const error = intent.last_setup_error;
  if (intent.status !== "requires_payment_method" || error === null) return intent;
  throw cardError(
    {
      code: error.code ?? "card_declined",
      ...(error.decline_code === undefined ? {} : { decline_code: error.decline_code }),
      message: error.message ?? "Your card was declined.",
    },
    {
      ...(error.payment_method === undefined ? {} : { payment_method: error.payment_method }),
      setup_intent: intent,
    },
  );
}

const updateShape = {
  customer: word,
  description: text,
  metadata,
  payment_method: word,
  payment_method_types: listOf(word),
};

function update(call: Call, id: string, params: Parsed<typeof updateShape>): SetupIntent {
  const { world } = call;
  const before = findSetupIntent(world, id);
  const { customer, metadata: change, payment_method: method, ...rest } = params;
  const open = /^requires_(payment_method|confirmation|action)$/.test(before.status);
  for (const name of ["customer", "payment_method", "payment_method_types"] as const) {
    if (open || params[name] === undefined) continue;
    throw unexpectedSetupState(
      `This SetupIntent's ${name} could not be updated because it has a status of ${before.status}. You may only update the ${name} of a SetupIntent with one of the following statuses: requires_payment_method, requires_confirmation, requires_action.`,
      before,
    );
  }
  automaticMethods(call, params);
  if (customer !== undefined) referenced(world, "customer", customer, "customer");
  const owner = customer ?? before.customer;
  const used =
    method === undefined ? undefined : usableMethod(world, method, owner, "SetupIntent").id;
  return world.patch("setup_intent", id, {
    ...given({
      ...rest,
      customer,
      metadata: change === undefined ? undefined : mergeMetadata(before.metadata ?? {}, change),
    }),
    ...(used === undefined ? {} : { payment_method: used, status: "requires_confirmation" }),
  });
}

export const setupIntents = [
  route("POST /v1/setup_intents", createShape, create),
  route(
    "GET /v1/setup_intents",
    { ...listShape, customer: word, payment_method: word },
    (call, params) =>
      listKind(call, "setup_intent", params, {
        url: "/v1/setup_intents",
        equal: { customer: params.customer, payment_method: params.payment_method },
      }),
  ),
  route("GET /v1/setup_intents/:intent", { client_secret: word }, ({ world, path }) =>
    findSetupIntent(world, path.intent),
  ),
  route("POST /v1/setup_intents/:intent", updateShape, (call, params) =>
    update(call, call.path.intent, params),
  ),
  route("POST /v1/setup_intents/:intent/confirm", confirmShape, ({ world, path }, params) => {
    const intent = findSetupIntent(world, path.intent);
    checkSetupConfirmable(intent);
    checkNotOfCheckout(world, intent.id);
    checkReturn("SetupIntent", intent.automatic_payment_methods, params);
    return confirm(world, intent.id, params);
  }),
  route(
    "POST /v1/setup_intents/:intent/cancel",
    { cancellation_reason: oneOf("abandoned", "duplicate", "requested_by_customer") },
    ({ world, path }, params) => {
      checkNotOfCheckout(world, findSetupIntent(world, path.intent).id);
      return cancelSetupIntent(world, path.intent, params.cancellation_reason);
    },
  ),
  route("GET /v1/setup_attempts", { ...listShape, setup_intent: required(word) }, (call, params) =>
    listKind(call, "setup_attempt", params, {
      url: "/v1/setup_attempts",
      where: { field: "setup_intent", value: params.setup_intent },
    }),
  ),
];
