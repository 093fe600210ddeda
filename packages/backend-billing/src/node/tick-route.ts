/**
 * The route of a schedule: it calls `tick` for hosts that have cron jobs and no processes that stay. Only
 * a caller that knows the secret is served, and without a secret in the settings no one is.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { json, problem } from "../core/events/webhook.js";
import type { OnTick } from "../core/http.js";
import { errorType, factsOf } from "../core/runtime/error-facts.js";
import { BillingError } from "../core/runtime/errors.js";
import type { Runtime } from "../core/runtime/runtime.js";
import { tick } from "../core/tick.js";

const ADVICE =
  "The route of the schedule is closed, because `cron_secret` is not set. Set the environment variable CRON_SECRET to a long random text where this backend runs, and pass it as `cron_secret`.";

export const answerTick =
  (secret: string | undefined): OnTick =>
  async (runtime, request) =>
    refusal(runtime, request, secret) ?? ticked(runtime, new URL(request.url));

function refusal(
  { log }: Runtime,
  { method, headers }: Request,
  secret: string | undefined,
): Response | undefined {
  if (!secret?.trim()) return problem(404, "invalid_config", ADVICE);
  const given = /^bearer +(.*)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  if (!isSame(given, secret.trim())) {
    log?.warn({}, "A call of the schedule's route was refused: it does not know the secret");
    const message = "Send `Authorization: Bearer` with the value of `cron_secret`.";
    return problem(401, "invalid_argument", message, { "WWW-Authenticate": "Bearer" });
  }
  if (method === "GET" || method === "POST") return undefined;
  const message = "The route of the schedule is called by GET or POST.";
  return problem(405, "invalid_argument", message, { Allow: "GET, POST" });
}

/** Takes the same time for whatever is given. */
function isSame(given: string, secret: string): boolean {
  const [one, other] = [given, secret].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

async function ticked(runtime: Runtime, { searchParams }: URL): Promise<Response> {
  const asked = searchParams.get("budget");
  if (asked !== null && !/^\d{1,7}$/.test(asked)) {
    return problem(400, "invalid_argument", "`budget` is a number of milliseconds.");
  }
  try {
    return json(200, await tick(runtime, asked === null ? {} : { budget: Number(asked) }));
  } catch (error) {
    const line = "What is due was not done; the next call of the schedule goes on";
    runtime.log?.error(factsOf(error), line);
    const code = error instanceof BillingError ? error.code : "store_error";
    const message = `It failed (${errorType(error)}); the log says why. The next call goes on.`;
    return problem(500, code, message);
  }
}
