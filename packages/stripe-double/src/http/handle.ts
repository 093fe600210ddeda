/**
 * One API request from its arrival to its answer, in Stripe's order: who is asking, is it too
 * much, is it known, is it well formed, was it asked before; then the effect; then the answer.
 */
import {
  ApiError,
  docUrl,
  type ErrorBody,
  NOT_MODELLED,
  notModelled,
  unrecognized,
} from "../api/errors.js";
import { meansAnotherRoute, stripePattern } from "../api/known.js";
import type { ListPage } from "../api/list.js";
import { decodeForm, decodeJson, type RawMap } from "../api/params.js";
import { render, renderPage } from "../api/render.js";
import { checkVersion } from "../api/versions.js";
import { inTimeOf } from "../billing/test-clocks.js";
import type { FaultSource } from "../faults.js";
import type { World } from "../world/world.js";
import { fingerprint, type IdempotencyKeys, type KeptAnswer } from "./idempotency.js";
import { keepOn } from "./kept.js";
import { type ApiKey, checkScope, type Keys } from "./keys.js";
import { type Limiter, type RateLimits, rateLimited } from "./limits.js";
import { type ReadParameters, readParameters } from "./parameters.js";
import { type Call, type Match, type Router, signatureOf } from "./route.js";
import { standIn } from "./stand-in.js";
import type { Unmodelled } from "./unmodelled.js";

export interface Incoming {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: string;
}

export interface Outgoing {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** The connection is cut instead: before any of the answer, or half-way through it. */
  readonly cut?: "whole" | "half";
}

/** One account in one mode, with the keys used on it. */
export interface Tenant {
  readonly world: World;
  readonly idempotency: IdempotencyKeys;
}

export interface Api {
  readonly keys: Keys;
  readonly router: Router;
  readonly faults: FaultSource;
  readonly limiter: Limiter;
  readonly limits: (livemode: boolean) => RateLimits | undefined;
  /** The account a key acts on: its own, or the connected one that it names. */
  readonly tenant: (key: ApiKey, account: string | undefined) => Tenant;
  readonly unmodelled: Unmodelled;
  readonly requestId: () => string;
  /** Milliseconds of the double's time. */
  readonly now: () => number;
  /** Waits while a `latency` fault lasts. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

interface Asked {
  readonly signature: string;
  readonly match: Match;
  readonly tenant: Tenant;
  readonly params: RawMap;
  readonly version: string;
  readonly requestId: string;
  readonly key: string | undefined;
}

/** Answers a request, and says its id and which route it took, for the double's own record. */
export async function handle(
  api: Api,
  incoming: Incoming,
): Promise<{ answer: Outgoing; id: string; signature: string | undefined }> {
  const requestId = api.requestId();
  const [path = "", query = ""] = incoming.url.split("?");
  const found = findRoute(api, incoming.method, path);
  const known = typeof found === "object" ? signatureOf(found.route) : undefined;
  let signature = known;
  let key: ApiKey | undefined;
  try {
    key = api.keys.authenticate(header(incoming, "authorization"));
    const match = typeof found === "object" ? found : unmodelledRoute(api, incoming.method, path);
    signature = signatureOf(match.route);
    const asked = understand(api, { incoming, key, match, query, requestId });
    return { answer: await perform(api, asked), id: requestId, signature: known };
  } catch (error) {
    return {
      answer: failure(api, error, { requestId, signature, livemode: key?.livemode }),
      id: requestId,
      signature: known,
    };
  }
}

function findRoute({ router }: Api, method: string, path: string): ReturnType<Router> {
  const found = router(method, path);
  if (typeof found !== "object") return found;
  const ids = Object.values(found.path);
  return meansAnotherRoute(method, path, found.route.pattern, ids) ? undefined : found;
}

/** A route for an address that Stripe has and the double does not model. */
function unmodelledRoute({ unmodelled }: Api, method: string, path: string): Match {
  const pattern = stripePattern(method, path);
  if (pattern === undefined) throw unrecognized(method, path);
  const refusal = notModelled(`${method} ${pattern}`);
  const run = ({ world }: Call, raw: RawMap): object => {
    if (!unmodelled.records) throw refusal;
    const answer = standIn(world, method, { pattern, path }, raw);
    const request = `${method} ${pattern}`;
    unmodelled.note({ request, parameter: undefined, message: refusal.message });
    return answer;
  };
  return { route: { method, pattern, shape: undefined, run }, path: {} };
}

interface Located {
  readonly incoming: Incoming;
  readonly key: ApiKey;
  readonly match: Match;
  readonly query: string;
  readonly requestId: string;
}

function understand(api: Api, { incoming, key, match, query, requestId }: Located): Asked {
  const signature = signatureOf(match.route);
  const tenant = api.tenant(key, header(incoming, "stripe-account"));
  const limits = api.limits(key.livemode);
  const mode = key.livemode ? "live" : "test";
  if (limits !== undefined) api.limiter(`${tenant.world.account} ${mode}`, signature, limits);
  checkScope(key, incoming.method, match.route.pattern, tenant.world.account);
  return {
    signature,
    match,
    tenant,
    params: decodeParameters(incoming, query),
    version: checkVersion(header(incoming, "stripe-version") ?? tenant.world.version),
    requestId,
    key: incoming.method === "POST" ? header(incoming, "idempotency-key") : undefined,
  };
}

function decodeParameters(incoming: Incoming, query: string): RawMap {
  if (incoming.method !== "POST") return decodeForm(query);
  const isJson = header(incoming, "content-type")?.startsWith("application/json");
  return (isJson ? decodeJson : decodeForm)(incoming.body);
}

async function perform(api: Api, asked: Asked): Promise<Outgoing> {
  const { faults } = api;
  const { signature, tenant, key } = asked;
  const strike = faults.strike.bind(faults);

  const limited = strike("rate_limited", signature);
  if (limited !== undefined) throw rateLimited(limited.reason ?? "global-rate");
  if (strike("lock_timeout", signature)) throw rateLimited();

  const read = readParameters(asked.match.route, asked.params, asked.version, api.unmodelled);
  if (key !== undefined) {
    const print = fingerprint(signature, asked.match.path, asked.params);
    const kept = tenant.idempotency.take(key, print);
    if (kept !== undefined) return onItsWay(api, asked, replay(api, asked, kept));
  }
  try {
    const delay = strike("latency", signature);
    if (delay !== undefined) await api.sleep(delay.milliseconds);

    if (strike("cut_before", signature)) {
      if (key !== undefined) tenant.idempotency.release(key);
      return { ...finish(api, asked, 500, ""), cut: "whole" };
    }
    const before = strike("error_before", signature);
    if (before !== undefined) return broken(api, asked, before.status, before.kept);
    const late = strike("error_late", signature);
    if (late !== undefined) {
      const { clock } = tenant.world;
      clock.schedule(clock.now() + late.milliseconds, () => runUnseen(api, asked, read));
      return broken(api, asked, 500, true);
    }

    const answer = finish(api, asked, 200, run(api, asked, read));
    const after = strike("error_after", signature);
    if (after !== undefined) return broken(api, asked, after.status, after.kept);
    keep(asked, answer);
    return onItsWay(api, asked, answer);
  } catch (error) {
    const answer = failure(api, error, { ...asked, livemode: tenant.world.livemode });
    const kept = !(error instanceof ApiError && error.options.validation);
    if (kept) keep(asked, answer);
    else if (key !== undefined) tenant.idempotency.release(key);
    return answer;
  }
}

/** An answer can be lost after the effect, also one that is given for the second time. */
function onItsWay({ faults }: Api, { signature }: Asked, answer: Outgoing): Outgoing {
  if (faults.strike("cut_after", signature)) return { ...answer, cut: "whole" };
  if (faults.strike("half_answer", signature)) return { ...answer, cut: "half" };
  return answer;
}

function run(api: Api, asked: Asked, { params, kept }: ReadParameters): string {
  const { world } = asked.tenant;
  const { expand, ...rest } = params;
  const lag = api.faults.strike("list_lag", asked.signature);
  const call = {
    world,
    path: asked.match.path,
    asOf: lag && world.clock.now() - lag.milliseconds,
    version: asked.version,
  };
  const result = world.causedBy({ id: asked.requestId, idempotency_key: asked.key ?? null }, () =>
    inTimeOf(world, idsOf(asked), () =>
      keepOn(
        world,
        asked.match.route.run(call, { expand, ...rest } as never),
        kept,
        asked.requestId,
      ),
    ),
  );
  const view = { version: asked.version, ...(expand === undefined ? {} : { expand }) };
  const shown = isPage(result) ? renderPage(world, result, view) : render(world, result, view);
  return JSON.stringify(shown);
}

/** The ids that a request names: what it concerns is one of them. A test clock is not moved by itself. */
function idsOf({ match, params }: Asked): string[] {
  const own = match.route.pattern.startsWith("/v1/test_helpers/") ? [] : Object.values(match.path);
  return [...own, ...Object.values(params).filter((value) => typeof value === "string")];
}

/** Runs a request whose caller was told otherwise; a refusal is not answered. */
function runUnseen(api: Api, asked: Asked, read: ReadParameters): void {
  try {
    run(api, asked, read);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

function isPage(result: object): result is ListPage<object> {
  const { object } = result as { object?: unknown };
  return object === "list" || object === "search_result";
}

/** A 5xx on purpose; unless `kept` is false, it is what the same key will be told again. */
function broken(api: Api, asked: Asked, status = 500, kept = true): Outgoing {
  const answer = finish(
    api,
    asked,
    status,
    errorBody({
      type: "api_error",
      message: "An unknown error occurred. This is a fault that the double was told to make.",
    }),
  );
  if (kept) keep(asked, answer);
  else if (asked.key !== undefined) asked.tenant.idempotency.release(asked.key);
  return answer;
}

function keep(asked: Asked, answer: Outgoing): void {
  if (asked.key === undefined) return;
  const { status, body } = answer;
  asked.tenant.idempotency.keep(asked.key, { status, body, requestId: asked.requestId });
}

function replay(api: Api, asked: Asked, kept: KeptAnswer): Outgoing {
  const answer = finish(api, asked, kept.status, kept.body);
  answer.headers["Idempotent-Replayed"] = "true";
  answer.headers["Original-Request"] = kept.requestId;
  return answer;
}

function finish(api: Api, asked: Asked, status: number, body: string): Outgoing {
  const { world } = asked.tenant;
  const skew = api.faults.strike("skewed_date", asked.signature);
  const at = world.clock.now() + (skew === undefined ? 0 : api.faults.spread() * skew.milliseconds);
  return {
    status,
    body,
    headers: {
      "Content-Type": "application/json",
      Date: new Date(at).toUTCString(),
      "Request-Id": asked.requestId,
      "Stripe-Version": asked.version,
      ...(asked.key === undefined ? {} : { "Idempotency-Key": asked.key }),
    },
  };
}

function failure(
  api: Api,
  error: unknown,
  {
    requestId,
    signature,
    livemode,
  }: Pick<Asked, "requestId"> & {
    readonly signature: string | undefined;
    readonly livemode: boolean | undefined;
  },
): Outgoing {
  const known = error instanceof ApiError;
  if (known && error.options.unmodelled !== undefined && signature !== undefined) {
    const parameter = error.options.unmodelled || undefined;
    api.unmodelled.note({ request: signature, parameter, message: error.message });
  }
  const body: ErrorBody = known
    ? { ...error.body, ...links(api, error.body, requestId, livemode) }
    : {
        type: "api_error",
        message: `The double itself failed, which is a defect of it: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      };
  return {
    status: known ? error.status : 500,
    body: errorBody(body),
    headers: {
      "Content-Type": "application/json",
      Date: new Date(api.now()).toUTCString(),
      "Request-Id": requestId,
      ...(known ? error.options.headers : { "Stripe-Should-Retry": "false" }),
    },
  };
}

/** Where Stripe explains the error, and shows the request to those who have the key. */
function links(
  api: Api,
  { code }: ErrorBody,
  requestId: string,
  livemode: boolean | undefined,
): Partial<ErrorBody> {
  const seconds = Math.floor(api.now() / 1000);
  const logs = `https://dashboard.stripe.com/${livemode ? "" : "test/"}logs`;
  return {
    ...(code === undefined || code === NOT_MODELLED ? {} : { doc_url: docUrl(code) }),
    ...(livemode === undefined ? {} : { request_log_url: `${logs}/${requestId}?t=${seconds}` }),
  };
}

function errorBody(error: ErrorBody): string {
  return JSON.stringify({ error });
}

function header(incoming: Incoming, name: string): string | undefined {
  const value = incoming.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
