/** Errors in the shape Stripe answers them, thrown by the double's handlers. */

export interface ErrorBody {
  readonly type: "invalid_request_error" | "card_error" | "api_error" | "idempotency_error";
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
  readonly decline_code?: string;
  readonly payment_intent?: unknown;
  readonly payment_method?: unknown;
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
    } = {},
  ) {
    super(body.message);
  }
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
  "billing_portal.configuration": "configuration",
  "billing_portal.session": "session",
  payment_intent: "payment_intent",
  payment_method: "PaymentMethod",
};

/** 404 for the object a path names, 400 for one that a parameter names, as Stripe does. */
export function missing(kind: string, id: string, param = "id"): ApiError {
  const name = KIND_NAMES[kind] ?? kind.replaceAll("_", " ");
  return new ApiError(param === "id" || param === kind ? 404 : 400, {
    type: "invalid_request_error",
    code: "resource_missing",
    message: `No such ${name}: '${id}'`,
    param,
  });
}

/** The double has no truth to tell here, and says so rather than make one up. */
export function notModelled(what: string): ApiError {
  return new ApiError(
    501,
    {
      type: "api_error",
      code: "not_modelled",
      message: `The Stripe double does not model ${what}. It answers 501 instead of inventing an answer; leave this out of the test, or add it to the double.`,
    },
    { validation: true, headers: { "Stripe-Should-Retry": "false" } },
  );
}
