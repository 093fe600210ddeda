/** Puts the parts together: accounts, keys, routes, faults, deliveries and the socket. */
import Stripe from "stripe";
import { populate } from "./bulk.js";
import { createClock } from "./clock.js";
import { createDashboard } from "./dashboard.js";
import { dumpWorlds } from "./dump.js";
import { ApiError } from "./errors.js";
import { createFaults } from "./faults.js";
import { type Api, handle, type Incoming, type Outgoing, type Tenant } from "./http/handle.js";
import { createIdempotencyKeys } from "./http/idempotency.js";
import { type ApiKey, createKeys } from "./http/keys.js";
import { createLimiter, STRIPE_LIMITS } from "./http/limits.js";
import { createRequestLog } from "./http/log.js";
import { createRouter } from "./http/route.js";
import { listen } from "./http/server.js";
import { entryOf, isKept, type Journal, JournalMismatch, sumOf } from "./journal.js";
import { servePage } from "./pages/index.js";
import { idSequence } from "./random.js";
import { knowAccounts } from "./resources/accounts.js";
import { routes } from "./resources/index.js";
import { endpointSecrets, isConnectEndpoint } from "./resources/webhook-endpoints.js";
import { settleLibrary } from "./settle-library.js";
import type { StripeDouble, StripeDoubleOptions } from "./stripe-double.js";
import { createWebhooks, type FetchHandler } from "./webhooks.js";
import { createWorld, type World } from "./world.js";

/**
 * Starts a Stripe of your own on loopback, for tests. The real SDK talks to it; it keeps state,
 * raises and signs events, and delivers them to your webhook endpoint.
 *
 * @example
 * ```ts
 * import { createStripeDouble } from "backend-billing/testing";
 * import Stripe from "stripe";
 *
 * const double = await createStripeDouble({ seed: 7, now: "2026-03-01T00:00:00Z" });
 * const stripe = new Stripe(double.secretKey, double.stripeConfig);
 * await stripe.webhookEndpoints.create({
 *   url: "http://127.0.0.1:3000/stripe/webhook",
 *   enabled_events: ["customer.created"],
 * });
 * await stripe.customers.create({ email: "ada@example.com" });
 * await double.settle(); // the webhook has been delivered, or has failed
 * await double.clock.advance({ days: 30 }); // renewals, retries and expiries happen
 * await double.close();
 * ```
 */
export function createStripeDouble(options: StripeDoubleOptions = {}): Promise<StripeDouble> {
  return startDouble(options);
}

/** A double with what only the command may ask of it. */
export interface StartedDouble extends StripeDouble {
  /** The newest signing secret of a webhook endpoint, which the API shows only once. */
  endpointSecret(id: string): string | undefined;
}

/**
 * Starts a double, in the state that the journal leads to. With a journal its clock stands still
 * between requests, at the wall clock's time, so that a replay meets the same times. Webhooks count
 * as delivered in a replay; what fell due since the journal's last request happens afterwards.
 */
export async function startDouble(
  options: StripeDoubleOptions,
  journal?: Journal,
): Promise<StartedDouble> {
  const { seed = 1, embeddedLimit = 10, rateLimits = false } = options;
  const version = options.apiVersion ?? Stripe.API_VERSION;
  const id = idSequence(seed);
  const begun = journal && (journal.entries[0]?.at ?? Date.now());
  const clock = createClock(options.now ?? begun);
  const faults = createFaults(seed);
  const keys = createKeys(seed);
  const log = createRequestLog();
  const account = id("acct");
  const accounts = new Set([account]);
  const tenants = new Map<string, Tenant>();
  const handlers = new Map<string, FetchHandler>();
  let url = "";
  let requests = 0;
  let replaying = journal !== undefined;
  let closing: Promise<void> | undefined;

  const webhooks = createWebhooks({
    clock,
    faults,
    held: options.delivery === "held",
    concurrency: options.deliveryConcurrency ?? (options.now === undefined ? 16 : 1),
    timeout: options.deliveryTimeout ?? 20_000,
    signedAt: () =>
      options.signatureClock === "double" ? clock.seconds() : Math.floor(Date.now() / 1000),
    handlerFor: (target) =>
      replaying ? async () => new Response() : handlers.get(new URL(target).origin),
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
      id,
      origin: () => url,
      skew: () => skewOf(),
    });
    const made = { world, idempotency: createIdempotencyKeys(clock.now) };
    tenants.set(name, made);
    knowAccounts(world, accounts);
    webhooks.watch(world);
    return made;
  }

  function skewOf(): number {
    const fault = faults.strike("skewed_created", "");
    return fault === undefined ? 0 : faults.spread() * (fault.milliseconds ?? 1000);
  }

  const api: Api = {
    keys,
    faults,
    router: createRouter(routes),
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
  };

  const worldOf = (session: string): World | undefined =>
    [...tenants.values()].find(({ world }) => holdsSession(world, session))?.world;

  async function answer(incoming: Incoming): Promise<Outgoing> {
    if (/^\/(c|p)\//.test(incoming.url)) {
      const page = await servePage(worldOf, incoming);
      if (page !== undefined) return page;
    }
    const at = clock.now();
    const { answer: outgoing, signature } = await handle(api, incoming);
    log.add({ at, method: incoming.method, url: incoming.url, signature, status: outgoing.status });
    return outgoing;
  }

  async function answerKept(kept: Journal, incoming: Incoming): Promise<Outgoing> {
    await ready;
    // No other request comes between these lines: nothing in them waits for more than a promise.
    clock.stepTo(Date.now());
    const [at, before] = [clock.now(), requests];
    const outgoing = await answer(incoming);
    if (isKept(incoming)) kept.append(entryOf(incoming, outgoing, at, before));
    return outgoing;
  }

  async function replay({ entries }: Journal): Promise<void> {
    for (const entry of entries) {
      clock.stepTo(entry.at);
      while (requests < entry.requests) api.requestId();
      if (sumOf(await answer(entry)) !== entry.answer) throw new JournalMismatch(entry);
    }
    await webhooks.idle();
    replaying = false;
    clock.stepTo(Date.now());
    clock.follow();
  }

  const test = tenant(account, false).world;
  let release = () => {};
  const ready = new Promise<void>((resolve) => {
    release = resolve;
  });
  const listening = await listen(
    options.port,
    journal === undefined ? answer : (incoming) => answerKept(journal, incoming),
  );
  url = `http://127.0.0.1:${listening.port}`;
  if (journal !== undefined) {
    try {
      await replay(journal);
    } catch (error) {
      clock.stop();
      await listening.close();
      throw error;
    }
  }
  release();
  const stripeConfig = {
    host: "127.0.0.1",
    port: listening.port,
    protocol: "http",
    telemetry: false,
  } as const;

  return {
    url,
    port: listening.port,
    secretKey: keys.test,
    liveSecretKey: keys.live,
    account,
    stripeConfig,
    clock,
    faults,
    deliveries: webhooks,
    requests: log,
    dashboard: createDashboard(test),
    restrictedKey: (scopes) => keys.restricted(scopes),
    revokeKey: keys.revoke,
    connectAccount: () => {
      const connected = id("acct");
      accounts.add(connected);
      return connected;
    },
    answer: (origin, handler) => {
      handlers.set(new URL(origin).origin, handler);
    },
    populate: (population) => populate(test, population),
    objects: (kind) => [...test.objects[kind].values()] as never,
    endpointSecret: (endpoint) => endpointSecrets(test, endpoint)[0],
    settle: async (library) => {
      await clock.drain();
      if (library === undefined) return;
      await settleLibrary(library, keys.test, stripeConfig);
      await clock.drain();
    },
    dump: () => {
      const worlds = [...tenants.values()].map(({ world }) => world);
      return dumpWorlds(worlds, webhooks.all()).replaceAll(url, "http://stripe-double");
    },
    close: () => {
      clock.stop();
      closing ??= listening.close();
      return closing;
    },
  };
}

function holdsSession(world: World, session: string): boolean {
  return (
    world.objects["checkout.session"].get(session) !== undefined ||
    world.objects["billing_portal.session"].get(session) !== undefined
  );
}
