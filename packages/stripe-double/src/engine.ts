/**
 * One life of a double, from nothing until it is closed or reset: accounts, keys, routes, faults and
 * deliveries. It has no socket and no file; double.ts gives it both.
 */

import { ApiError, DoubleError } from "./api/errors.js";
import { isReleased, LATEST_VERSION } from "./api/versions.js";
import { watchEntitlements } from "./billing/entitlements.js";
import { dues } from "./billing/subscriptions/lifecycle.js";
import { createFaults, type FaultSource } from "./faults.js";
import { type Api, handle, type Incoming, type Outgoing, type Tenant } from "./http/handle.js";
import { createIdempotencyKeys } from "./http/idempotency.js";
import { type ApiKey, createKeys, type Keys } from "./http/keys.js";
import { createLimiter, STRIPE_LIMITS } from "./http/limits.js";
import { createRequestLog, type RequestLog } from "./http/log.js";
import { createRouter } from "./http/route.js";
import { createUnmodelled, type Unmodelled } from "./http/unmodelled.js";
import { servePage } from "./pages/index.js";
import { knowAccounts } from "./resources/connect/accounts.js";
import { routes } from "./resources/index.js";
import { isStreamToken } from "./resources/usage/event-stream.js";
import { isConnectEndpoint } from "./resources/webhook-endpoints.js";
import type { StripeDoubleOptions } from "./stripe-double.js";
import { createWebhooks, type FetchHandler, type Webhooks } from "./webhooks/webhooks.js";
import { createClock, type Instant, type Scheduler } from "./world/clock.js";
import { idSequence } from "./world/random.js";
import { createWorld, type World } from "./world/world.js";

/** What an engine needs from the double that runs it. */
export interface Surroundings {
  /** The moment at which its clock stands still; undefined for a clock that runs. */
  readonly start: Instant | undefined;
  /** Where the double listens. */
  readonly url: () => string;
  /** What answers in the place of a webhook endpoint's host; undefined for a real request. */
  readonly handlerFor: (target: string) => FetchHandler | undefined;
  /** Waits while a `latency` fault lasts. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

export interface Engine {
  readonly account: string;
  readonly version: string;
  readonly keys: Keys;
  readonly clock: Scheduler;
  readonly faults: FaultSource;
  readonly webhooks: Webhooks;
  readonly log: RequestLog;
  readonly unmodelled: Unmodelled;
  /** The account's test mode. */
  readonly world: World;
  /** Every account in every mode that was used. */
  worlds(): World[];
  connectAccount(): string;
  /** A request of the API or of a page. */
  answer(incoming: Incoming): Promise<Outgoing>;
  /** How many requests of the API got an id. */
  requests(): number;
  /** Lets the ids of requests go on after this many. */
  skipRequests(count: number): void;
}

const router = createRouter(routes);

export function createEngine(options: StripeDoubleOptions, around: Surroundings): Engine {
  const { seed = 1, embeddedLimit = 10, rateLimits = false } = options;
  const version = options.apiVersion ?? LATEST_VERSION;
  if (!isReleased(version)) {
    throw new DoubleError(`${version} is no API version of Stripe: leave out \`apiVersion\`.`);
  }
  const { secretKey } = options;
  if (secretKey !== undefined && secretKey !== "any" && !/^sk_test_\w+$/.test(secretKey)) {
    throw new DoubleError('`secretKey` must be "any", or a test-mode key such as sk_test_123.');
  }
  const taxPercentage = percentageOf(options.tax?.rate ?? 0);
  const id = idSequence(seed);
  const clock = createClock(around.start);
  const faults = createFaults(seed);
  const keys = createKeys(seed, secretKey);
  const log = createRequestLog();
  const unmodelled = createUnmodelled(options.unknown === "record");
  const account = id("acct");
  const accounts = new Set([account]);
  const tenants = new Map<string, Tenant>();
  let requests = 0;

  const webhooks = createWebhooks({
    clock,
    faults,
    held: options.delivery === "held",
    concurrency: options.deliveryConcurrency ?? (options.now === undefined ? 16 : 1),
    timeout: options.deliveryTimeout ?? 20_000,
    signedAt: () =>
      options.signatureClock === "double" ? clock.seconds() : Math.floor(Date.now() / 1000),
    handlerFor: around.handlerFor,
    endpointsOf: (world) => {
      const own = [...world.objects.webhook_endpoint.values()]
        .filter(({ id: endpoint }) => !isConnectEndpoint(world, endpoint))
        .map((endpoint) => ({ world, id: endpoint.id }));
      if (world.account === account) return own;
      const platform = tenant(account, world.livemode).world;
      const connect = [...platform.objects.webhook_endpoint.values()]
        .filter(({ id: endpoint }) => isConnectEndpoint(platform, endpoint))
        .map((endpoint) => ({ world: platform, id: endpoint.id }));
      return [...own, ...connect];
    },
  });
  clock.onStep(webhooks.idle);

  function tenant(owner: string, livemode: boolean): Tenant {
    const name = `${owner} ${livemode ? "live" : "test"}`;
    const known = tenants.get(name);
    if (known !== undefined) return known;
    const world = createWorld({
      account: owner,
      livemode,
      clock,
      version,
      embeddedLimit,
      taxPercentage,
      existsElsewhere: (kind, sought) => {
        const other = tenants.get(`${owner} ${livemode ? "test" : "live"}`);
        return other?.world.objects[kind].get(sought) !== undefined;
      },
      id,
      origin: around.url,
      skew: () => skewOf(),
      dues,
    });
    const made = { world, idempotency: createIdempotencyKeys(clock.now) };
    tenants.set(name, made);
    knowAccounts(world, accounts);
    webhooks.watch(world);
    watchEntitlements(world);
    return made;
  }

  function skewOf(): number {
    const fault = faults.strike("skewed_created", "");
    return fault === undefined ? 0 : faults.spread() * (fault.milliseconds ?? 1000);
  }

  /** The key that the token of a meter event session stands for. */
  function streamKey(header: string | undefined): ApiKey | undefined {
    const secret = header?.replace(/^Bearer /, "") ?? "";
    const owner = [...tenants.values()].find(({ world }) => isStreamToken(world, secret))?.world;
    return owner && { secret, livemode: owner.livemode, scopes: { "billing/meters": "write" } };
  }

  const api: Api = {
    keys: { ...keys, authenticate: (header) => streamKey(header) ?? keys.authenticate(header) },
    faults,
    router,
    unmodelled,
    limiter: createLimiter(clock.now),
    limits: (livemode) => {
      if (rateLimits === false) return undefined;
      return rateLimits === true ? STRIPE_LIMITS[livemode ? "live" : "sandbox"] : rateLimits;
    },
    tenant: (key: ApiKey, owner) => {
      if (owner !== undefined && !accounts.has(owner)) {
        throw new ApiError(
          403,
          {
            type: "invalid_request_error",
            code: "account_invalid",
            message: `The provided key does not have access to account '${owner}' (or that account does not exist). Application access may have been revoked.`,
          },
          { validation: true },
        );
      }
      return tenant(owner ?? account, key.livemode);
    },
    requestId: () => {
      requests++;
      return id("req");
    },
    now: clock.now,
    sleep: around.sleep,
  };

  const worldOf = (session: string): World | undefined =>
    [...tenants.values()].find(({ world }) => holdsSession(world, session))?.world;

  return {
    account,
    version,
    keys,
    clock,
    faults,
    webhooks,
    log,
    unmodelled,
    world: tenant(account, false).world,
    worlds: () => [...tenants.values()].map(({ world }) => world),
    connectAccount: () => {
      const connected = id("acct");
      accounts.add(connected);
      return connected;
    },
    async answer(incoming) {
      if (/^\/(b|c|p)\//.test(incoming.url)) {
        const page = await servePage(worldOf, incoming);
        if (page !== undefined) return page;
      }
      const at = clock.now();
      const { method, url } = incoming;
      const { answer, id, signature } = await handle(api, incoming);
      log.add({ at, id, method, url, signature, status: answer.status });
      return answer;
    },
    requests: () => requests,
    skipRequests: (count) => {
      while (requests < count) api.requestId();
    },
  };
}

/** A rate such as 0.19, in percent; Stripe counts four decimals of it. */
function percentageOf(rate: number): number {
  if (!(rate >= 0 && rate <= 1)) {
    throw new DoubleError("`tax.rate` must be a share from 0 to 1, such as 0.19.");
  }
  return Math.round(rate * 1_000_000) / 10_000;
}

function holdsSession(world: World, session: string): boolean {
  return (
    world.objects.payment_link.get(session) !== undefined ||
    world.objects["checkout.session"].get(session) !== undefined ||
    world.objects["billing_portal.session"].get(session) !== undefined
  );
}
