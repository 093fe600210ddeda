/**
 * The webhook route: verify, commit, answer. It answers 2xx only once everything is stored, so that
 * Stripe delivers again what was not.
 */

import { type ReceivedEvent, readEvent } from "../mirror/snapshot.js";
import { webhookSecrets } from "../runtime/config.js";
import { configAdvice, reportConfigProblem } from "../runtime/config-problem.js";
import { errorType, factsOf } from "../runtime/error-facts.js";
import { BillingError, type BillingErrorCode } from "../runtime/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import { type Annotate, observed } from "../runtime/telemetry/telemetry.js";
import { BodyRefused, type BodySource, createIntake, fetchBody, INTAKE_LIMITS } from "./body.js";
import { lineOf, otherMode, takeEvent } from "./receive.js";
import { judgeHeader, TOLERANCE, verifyBody } from "./signature.js";

/** One for the process: it bounds what all senders together may take of its memory. */
const intake = createIntake();
/** Seconds after which a sender that was turned away for want of room may come again. */
const COME_AGAIN = "30";
const BODY_GONE =
  "The body was read before it came here, so its signature cannot be checked. Mount this handler before express.json() and other body parsers, or keep the bytes as `rawBody`.";

export function handleWebhook(
  runtime: Runtime,
  request: Request,
  body: BodySource = fetchBody(request),
): Promise<Response> {
  return observed(runtime.telemetry, "webhook", (annotate) =>
    receive(runtime, request, body, annotate),
  );
}

async function receive(
  runtime: Runtime,
  request: Request,
  source: BodySource,
  annotate: Annotate | undefined,
): Promise<Response> {
  let event: ReceivedEvent | undefined;
  try {
    annotate?.({ outcome: "refused" });
    if (request.method !== "POST") {
      return problem(405, "invalid_argument", "Webhooks are sent by POST.", { Allow: "POST" });
    }
    if (request.bodyUsed) {
      annotate?.({ outcome: "failed", "error.type": "invalid_config" });
      return bodyGone(runtime);
    }
    event = readEvent(parse(await proven(runtime, request, source)));
    if (event === undefined) {
      return problem(400, "invalid_argument", "The body is not a Stripe event.");
    }
    annotate?.({ type: event.type, event: event.id, object: event.object.id });
    const taken = await takeEvent(runtime, event, annotate);
    if (taken === "other_mode") {
      const message = `${otherMode(event)} Use the key and the signing secret of one mode.`;
      return problem(400, "livemode_mismatch", message);
    }
    // Nearly every answer is this one, and a body is a stream to make and to read.
    return taken === "handled" ? new Response() : json(200, { received: taken });
  } catch (error) {
    if (error instanceof BodyRefused) return turnedAway(runtime, error);
    annotate?.({ "error.type": errorType(error) });
    if (error instanceof BillingError && error.code === "invalid_signature") {
      annotate?.({ outcome: "refused_signature" });
      return problem(400, error.code, error.message);
    }
    annotate?.({ outcome: "failed" });
    const advice = configAdvice(error);
    if (advice !== undefined) {
      reportConfigProblem(
        runtime,
        "A webhook was not handled: a setting is missing or wrong",
        advice,
      );
      return problem(500, "invalid_config", advice);
    }
    const code = error instanceof BillingError ? error.code : "store_error";
    const line = { ...(event && lineOf(event)), ...factsOf(error) };
    runtime.log?.error(line, "An event was not stored; Stripe will send it again");
    return problem(500, code, "The event was not stored. It will be when it is delivered again.");
  }
}

/**
 * The body, once it is proven to be Stripe's. What the headers alone can refuse is refused first.
 */
async function proven(runtime: Runtime, request: Request, source: BodySource): Promise<string> {
  webhookSecrets(runtime.config); // without them the sender is not to blame
  const header = judgeHeader(request.headers.get("stripe-signature"), runtime.now());
  if ("problem" in header) {
    const { message, age } = header.problem;
    const line = { error: "invalid_signature", ...(age === undefined ? {} : { seconds: age }) };
    if (age === undefined) runtime.log?.warn(line, "A webhook was refused: it is not signed");
    else runtime.log?.warn(line, "A webhook was refused: its time is not this machine's time");
    throw new BillingError("invalid_signature", message);
  }
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > INTAKE_LIMITS.body) throw new BodyRefused("large");
  const body = await intake.read(source);
  try {
    await verifyBody(runtime, body.text, header);
  } finally {
    body.release();
  }
  if (header.age < -TOLERANCE) {
    runtime.log?.warn({ seconds: -header.age }, "This machine's clock is behind that of Stripe");
  }
  return body.text;
}

/** The answer to a body that was not read. Nothing is known of its sender, so it is no error of ours. */
function turnedAway({ log }: Runtime, { refusal, cause }: BodyRefused): Response {
  switch (refusal) {
    case "large": {
      const most = INTAKE_LIMITS.body;
      return problem(413, "invalid_argument", `The body is larger than ${most} bytes.`);
    }
    case "crowded":
      log?.warn({}, "A webhook was turned away: too much is being received at once");
      return problem(503, "store_error", "Too much is being received at once. Send it again.", {
        "Retry-After": COME_AGAIN,
      });
    case "slow":
      log?.info({}, "A request was ended: its body did not arrive in time");
      return problem(408, "invalid_argument", "The body did not arrive in time.");
    case "garbled":
      return problem(400, "invalid_argument", "The body is not UTF-8.");
    case "aborted":
      log?.info(factsOf(cause), "A request ended before its body was complete");
      return problem(400, "invalid_argument", "The body is not complete.");
  }
}

/** The answer when the body was read before: what was signed cannot be known any more. */
export function bodyGone(runtime: Runtime): Response {
  reportConfigProblem(
    runtime,
    "A body parser read the webhook before the library could",
    BODY_GONE,
  );
  return problem(500, "invalid_config", BODY_GONE);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers },
  });
}

export function problem(
  status: number,
  code: BillingErrorCode,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return json(status, { error: { code, message } }, headers);
}
