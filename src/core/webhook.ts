/**
 * The webhook route: verify, commit, answer. 2xx is said only once everything is stored, so that
 * Stripe delivers again whatever was not.
 */
import { isLive, webhookSecrets } from "./config.js";
import { configAdvice, reportConfigProblem } from "./config-problem.js";
import { receiveEvent } from "./door.js";
import { errorType, factsOf } from "./error-facts.js";
import { BillingError, type BillingErrorCode } from "./errors.js";
import type { Runtime } from "./runtime.js";
import { type ReceivedEvent, readEvent } from "./sight.js";
import { type Note, observed } from "./telemetry.js";

/** Stripe's events are far smaller; nobody else has a reason to send more. */
const LARGEST_BODY = 4 * 1024 * 1024;
/** Seconds that a signature may be old. */
const TOLERANCE = 300;
const BODY_GONE =
  "The body was read before it came here, so its signature cannot be checked. Mount this handler before express.json() and other body parsers, or keep the bytes as `rawBody`.";

export function handleWebhook(runtime: Runtime, request: Request): Promise<Response> {
  return observed(runtime.telemetry, "webhook", (note) => receive(runtime, request, note));
}

async function receive(
  runtime: Runtime,
  request: Request,
  note: Note | undefined,
): Promise<Response> {
  let event: ReceivedEvent | undefined;
  try {
    note?.({ outcome: "refused" });
    if (request.method !== "POST") {
      return problem(405, "invalid_argument", "Webhooks are sent by POST.", { Allow: "POST" });
    }
    if (request.bodyUsed) {
      note?.({ outcome: "failed", "error.type": "invalid_config" });
      return bodyGone(runtime);
    }
    const body = await readBounded(request, LARGEST_BODY);
    if (body === undefined) {
      return problem(413, "invalid_argument", `The body is larger than ${LARGEST_BODY} bytes.`);
    }
    await verify(runtime, body, request.headers.get("stripe-signature"));
    event = readEvent(parse(body));
    if (event === undefined) {
      return problem(400, "invalid_argument", "The body is not a Stripe event.");
    }
    note?.({ type: event.type, event: event.id, object: event.object.id });
    // First, because a live endpoint is also sent test events of connected accounts.
    if (event.account !== undefined) {
      note?.({ outcome: "ignored" });
      runtime.log?.info(lineOf(event), "An event of a connected account was ignored");
      return json(200, { received: "ignored" });
    }
    if (event.livemode !== isLive(runtime.config)) {
      note?.({ "error.type": "livemode_mismatch" });
      runtime.log?.error(lineOf(event), "An event of the other mode was refused");
      return problem(
        400,
        "livemode_mismatch",
        `This is a ${event.livemode ? "live" : "test"} event, but \`secret_key\` is of the other mode. Use the key and the signing secret of one mode.`,
      );
    }
    const received = await receiveEvent(runtime, event, note && ((outcome) => note({ outcome })));
    // Nearly every answer is this one, and a body is a stream to make and to read.
    return received === "handled" ? new Response() : json(200, { received });
  } catch (error) {
    note?.({ "error.type": errorType(error) });
    if (error instanceof BillingError && error.code === "invalid_signature") {
      note?.({ outcome: "refused_signature" });
      runtime.log?.warn(
        { error: error.code },
        "A webhook was refused: its signature fits no secret",
      );
      return problem(400, error.code, error.message);
    }
    note?.({ outcome: "failed" });
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

const lineOf = ({ id, type, object }: ReceivedEvent) => ({ event: id, object: object.id, type });

/** The answer when somebody read the body before us: what was signed cannot be known any more. */
export function bodyGone(runtime: Runtime): Response {
  reportConfigProblem(
    runtime,
    "A body parser read the webhook before the library could",
    BODY_GONE,
  );
  return problem(500, "invalid_config", BODY_GONE);
}

/** Fits any of the secrets, or throws. */
async function verify(runtime: Runtime, body: string, header: string | null): Promise<void> {
  const secrets = webhookSecrets(runtime.config);
  if (header === null) {
    throw new BillingError("invalid_signature", "The Stripe-Signature header is missing.");
  }
  const { signature } = runtime.stripe().webhooks;
  let cause: unknown;
  for (const secret of secrets) {
    try {
      if (await signature?.verifyHeaderAsync(body, header, secret, TOLERANCE)) return;
    } catch (error) {
      cause = error;
    }
  }
  throw new BillingError(
    "invalid_signature",
    "The signature fits none of the signing secrets. Check that `webhook_secret` is the secret of this very endpoint, and that nothing on the way alters the body.",
    { cause },
  );
}

/** The body as text, or undefined as soon as it is too large; what is too large is not kept. */
async function readBounded(request: Request, limit: number): Promise<string | undefined> {
  const declared = request.headers.get("content-length");
  if (Number(declared ?? 0) > limit) return undefined;
  if (request.body === null) return "";
  if (declared !== null) return request.text(); // HTTP ends the body there
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return new TextDecoder().decode(bytes);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function json(status: number, body: object, headers: Record<string, string> = {}): Response {
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
