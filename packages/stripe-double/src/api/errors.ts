/** Errors in the shape Stripe answers them, thrown by the double's handlers. */

export interface ErrorBody {
  readonly type:
    | "invalid_request_error"
    | "card_error"
    | "api_error"
    | "idempotency_error"
    | "temporary_session_expired";
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
  readonly decline_code?: string;
  readonly doc_url?: string;
  readonly request_log_url?: string;
  readonly payment_intent?: unknown;
  readonly payment_method?: unknown;
  readonly setup_intent?: unknown;
  readonly charge?: string;
}

/** An answer with an error status. `validation` marks those that Stripe gives before it runs anything. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
    readonly options: {
      readonly headers?: Record<string, string>;
      readonly validation?: boolean;
      /** The parameter that the double does not model; `""` where it is the request as a whole. */
      readonly unmodelled?: string;
    } = {},
  ) {
    super(body.message);
  }
}

/** Where Stripe explains an error's code. */
export function docUrl(code: string): string {
  return `https://stripe.com/docs/error-codes/${code.replaceAll("_", "-")}`;
}

/** What a test asked of the double itself cannot be done; the message says why, and what to do. */
export class DoubleError extends Error {
  override readonly name = "DoubleError";
}

/** The request is wrong before it is run; such an answer is not kept under an idempotency key. */
export function invalid(message: string, param?: string, code?: string): ApiError {
  return new ApiError(
    400,
    {
      type: "invalid_request_error",
      message,
      ...(code === undefined ? {} : { code }),
      ...(param === undefined ? {} : { param }),
    },
    { validation: true },
  );
}

/** The request was understood, and the state of things forbids it. */
export function refused(message: string, param?: string, code?: string): ApiError {
  return new ApiError(400, invalid(message, param, code).body);
}

const KIND_NAMES: Record<string, string> = {
  "billing.credit_balance_transaction": "credit balance transaction",
  "billing.credit_grant": "credit grant",
  "billing_portal.configuration": "configuration",
  "billing_portal.session": "session",
  payment_intent: "payment_intent",
  payment_method: "PaymentMethod",
  setup_intent: "setupintent",
  "test_helpers.test_clock": "test clock",
};

/** 404 for the object a path names, 400 for one that a parameter names, as Stripe does. */
export function missing(kind: string, id: string, param = "id", hint = ""): ApiError {
  const name = KIND_NAMES[kind] ?? kind.replaceAll("_", " ");
  return new ApiError(param === "id" || param === kind ? 404 : 400, {
    type: "invalid_request_error",
    code: "resource_missing",
    message: `No such ${name}: '${id}'${hint}`,
    param,
  });
}

/** An address that Stripe's API does not have, in its words. */
export function unrecognized(method: string, path: string): ApiError {
  const hint = path.endsWith("/")
    ? " If you are trying to list objects, remove the trailing slash. If you are trying to retrieve an object, make sure you passed a valid (non-empty) identifier in your code."
    : "";
  return new ApiError(
    404,
    {
      type: "invalid_request_error",
      message: `Unrecognized request URL (${method}: ${path}).${hint} Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
    },
    { validation: true },
  );
}

/** A code of the double's own. */
export const NOT_MODELLED = "not_modelled";

/** Stripe does something here that the double does not, and it says so rather than make it up. */
export function notModelled(what: string, parameter = ""): ApiError {
  return new ApiError(
    501,
    {
      type: "api_error",
      code: NOT_MODELLED,
      message: `The Stripe double does not model ${what}. It answers 501 instead of inventing an answer; leave this out of the test, or add it to the double.`,
    },
    {
      validation: true,
      headers: { "Stripe-Should-Retry": "false" },
      unmodelled: parameter,
    },
  );
}
