/**
 * The way back from Stripe's pages. The link is signed and names the target the application gave;
 * the route refreshes what that person just changed and sends them on, at once if Stripe is slow.
 */

import { refreshCustomer } from "../events/refresh.js";
import { settleSession } from "../events/session.js";
import { problem } from "../events/webhook.js";
import { routePath } from "../runtime/config.js";
import { configAdvice, reportConfigProblem } from "../runtime/config-problem.js";
import { factsOf } from "../runtime/error-facts.js";
import { BillingError } from "../runtime/errors.js";
import { records } from "../runtime/records/records.js";
import type { Runtime } from "../runtime/runtime.js";
import { fromBase64Url, isSignedBy, signatureOf, toBase64Url } from "../runtime/signature.js";
import { type Rate, take } from "./rate.js";

/** What people come back from. */
export type ReturnKind = "checkout" | "payment" | "portal" | "setup";

/** What is read then: the customer's subscriptions, or the page's session. */
const READS: { readonly [kind in ReturnKind]: "customer" | "session" } = {
  checkout: "customer",
  payment: "session",
  portal: "customer",
  setup: "session",
};
const isKind = (kind: string): kind is ReturnKind => Object.hasOwn(READS, kind);

export interface ReturnTo {
  readonly kind: ReturnKind;
  readonly target: string;
  readonly customerId: string;
  /** A connected account, of which the mirror holds nothing: there is nothing to refresh then. */
  readonly account: string | null;
}

/** What is signed: the kind is in the path. */
interface Signed {
  readonly t: string;
  /** The customer to refresh, if there is one. */
  readonly c: string | null;
  /** Seconds after which it no longer refreshes anything. */
  readonly x: number;
}

/** Stripe's checkout sessions end after a day; a portal may stay open as long. */
const LIFE = 25 * 60 * 60;
const DAY = 24 * 60 * 60;
const PLACEHOLDER = "{CHECKOUT_SESSION_ID}";
/** As the application wrote it, or as a URL library encoded it. */
const PLACEHOLDERS = /\{CHECKOUT_SESSION_ID\}|%7BCHECKOUT_SESSION_ID%7D/gi;
const SESSION = /^cs_(test|live)_[A-Za-z0-9]{1,200}$/;
/** How often the links of one customer may make us ask Stripe. */
const REFRESHES: Rate = { burst: 10, interval: 10_000 };

/**
 * The address to give to Stripe instead of the application's own. All day it is the same, because a
 * call that is repeated under one idempotency key must not differ; or as it was some days ago.
 */
export async function returnLink(
  runtime: Runtime,
  { kind, target, customerId, account }: ReturnTo,
  daysAgo = 0,
): Promise<string> {
  const tomorrow = Math.floor(runtime.now() / 1000 / DAY) + 1 - daysAgo;
  const signed: Signed = {
    t: target,
    c: account === null ? customerId : null,
    x: tomorrow * DAY + LIFE,
  };
  const data = toBase64Url(new TextEncoder().encode(JSON.stringify(signed)));
  const signature = await signatureOf(runtime.config, "return link", `${kind} ${data}`);
  const link = `${runtime.baseUrl()}${routePath(runtime.config)}/return/${kind}?data=${data}&signature=${signature}`;
  // Stripe fills in the id, which does not exist yet and so cannot be signed.
  return kind === "portal" ? link : `${link}&session_id=${PLACEHOLDER}`;
}

/**
 * Refuses an address that people cannot be sent to. Any http(s) address is accepted, because only
 * the application passes one and the link is signed; `return_origins`, when set, narrows that.
 */
export function checkTarget(runtime: Runtime, name: string, target: string): void {
  const origin = originOf(target);
  if (origin === undefined) {
    throw new BillingError(
      "invalid_argument",
      `\`${name}\` must be a whole http(s) address, such as https://app.example/welcome, not ${target}`,
    );
  }
  if (allowedOrigins(runtime)?.has(origin) ?? true) return;
  throw new BillingError(
    "invalid_argument",
    `\`${name}\` is ${target}, whose origin is neither in \`return_origins\` nor that of \`base_url\`. Add ${origin} to \`return_origins\`, or remove that setting to allow every address that your code passes.`,
  );
}

/** The origins that `return_origins` allows, with that of the base URL; undefined for all. */
function allowedOrigins(runtime: Runtime): ReadonlySet<string> | undefined {
  const { return_origins: origins } = runtime.config;
  if (origins === undefined) return undefined;
  const all = [...origins, runtime.baseUrl()];
  return new Set(all.map(originOf).filter((origin) => origin !== undefined));
}

/** The origin of an http(s) address, unless the session's id would be a part of it. */
function originOf(address: string): string | undefined {
  const filled = address.replaceAll(PLACEHOLDERS, "id");
  if (!URL.canParse(address) || !URL.canParse(filled)) return undefined;
  const { protocol, origin } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") return undefined;
  return new URL(filled).origin === origin ? origin : undefined;
}

/** Answers the return route; `kind` is what follows it in the path. */
export async function handleReturn(
  runtime: Runtime,
  request: Request,
  kind: string,
): Promise<Response> {
  try {
    return await sendOn(runtime, request, kind);
  } catch (error) {
    const code = error instanceof BillingError ? error.code : "store_error";
    const advice = configAdvice(error);
    if (advice !== undefined) {
      reportConfigProblem(runtime, "A person could not be sent back", advice);
    } else runtime.log?.error(factsOf(error), "A person could not be sent back");
    return problem(500, code, "This application is not set up completely.");
  }
}

async function sendOn(runtime: Runtime, request: Request, kind: string): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return problem(405, "invalid_argument", "This address is for browsers.", {
      Allow: "GET, HEAD",
    });
  }
  const url = new URL(request.url);
  const data = url.searchParams.get("data") ?? "";
  const signature = url.searchParams.get("signature") ?? "";
  const signed = isKind(kind) ? await verified(runtime, kind, data, signature) : undefined;
  if (!isKind(kind) || signed === undefined) {
    return problem(400, "invalid_signature", "This link is not one of ours, or was altered.");
  }
  const isFresh = signed.x * 1000 > runtime.now();
  const session = sessionIn(url);
  if (request.method === "GET" && isFresh && signed.c !== null) {
    await refreshInTime(runtime, signed.c, READS[kind] === "session" ? session : null);
  }
  return new Response(null, {
    status: 303,
    headers: {
      Location: destination(allowedTarget(runtime, signed.t), session),
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
    },
  });
}

/**
 * The target of a link that is ours. If `return_origins` was narrowed since, the person, who may
 * have paid, is sent to the first origin that is allowed instead.
 */
function allowedTarget(runtime: Runtime, target: string): string {
  const allowed = allowedOrigins(runtime);
  const origin = originOf(target);
  if (allowed === undefined || (origin !== undefined && allowed.has(origin))) return target;
  const [first = runtime.baseUrl()] = allowed;
  return first;
}

/** The target, with the session's id where the application asked for it. */
const destination = (target: string, session: string | null): string =>
  new URL(target.replaceAll(PLACEHOLDERS, session ?? "")).href;

/** The session's id, as Stripe filled it in. It is not signed, and may be any. */
function sessionIn({ searchParams }: URL): string | null {
  const id = searchParams.get("session_id");
  return id !== null && SESSION.test(id) ? id : null;
}

/** Refreshes, within a time limit and without failing the redirect. */
async function refreshInTime(
  runtime: Runtime,
  customer: string,
  ended: string | null,
): Promise<void> {
  const refresh = async () => {
    if (!(await mayRefresh(runtime, customer))) return;
    if (ended === null) await refreshCustomer(runtime, customer, { awaited: true });
    else {
      await settleSession(runtime, ended);
      await runtime.credits?.settle(ended, runtime.now()); // the job does it otherwise
    }
  };
  const patience = runtime.sleep(runtime.timing.returnPatience);
  await Promise.race([
    refresh().catch((error: unknown) => {
      const line = { object: customer, ...factsOf(error) };
      runtime.log?.warn(line, "The refresh on return failed; the webhook will bring it");
    }),
    patience,
  ]);
}

/**
 * Whether the rate allows another refresh, so that a link cannot be used to make us ask for ever. It
 * is the customer's, because one customer may have any number of links.
 */
async function mayRefresh(runtime: Runtime, customer: string): Promise<boolean> {
  const taken = await records.returns(customer).update(runtime, (used) => {
    const until = take(used?.until, runtime.now(), REFRESHES);
    return until === undefined ? undefined : { until };
  });
  return taken !== undefined;
}

async function verified(
  runtime: Runtime,
  kind: string,
  data: string,
  signature: string,
): Promise<Signed | undefined> {
  const content = fromBase64Url(data);
  if (content === undefined) return undefined;
  if (!(await isSignedBy(runtime.config, "return link", `${kind} ${data}`, signature)))
    return undefined;
  return JSON.parse(new TextDecoder().decode(content)) as Signed;
}
