/** A running double: the socket, the journal, and the engine behind them, which a reset replaces. */
import { setTimeout as sleep } from "node:timers/promises";
import { DoubleError } from "./api/errors.js";
import { createControl, isControl } from "./control/index.js";
import { createEngine, type Engine } from "./engine.js";
import type { Incoming, Outgoing } from "./http/handle.js";
import { listen } from "./http/server.js";
import { createParts, type Parts } from "./parts.js";
import { dumpWorlds } from "./state/dump.js";
import { entryOf, isKept, type Journal, JournalMismatch, sumOf } from "./state/journal.js";
import { openState } from "./state/state-file.js";
import type {
  ResetOptions,
  StripeDouble,
  StripeDoubleOptions,
  WebhookEndpoint,
} from "./stripe-double.js";
import { ensureWebhook } from "./webhooks/option.js";
import type { FetchHandler } from "./webhooks/webhooks.js";

/**
 * Starts a Stripe of your own on loopback, for tests. The real SDK talks to it; it keeps state,
 * raises and signs events, and delivers them to your webhook endpoint.
 *
 * @example
 * ```ts
 * import Stripe from "stripe";
 * import { createStripeDouble } from "stripe-double";
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
export async function createStripeDouble(options: StripeDoubleOptions = {}): Promise<StripeDouble> {
  const { state: path, fresh = false } = options;
  if (path === undefined) return startDouble(options);
  if (options.now !== undefined) {
    throw new DoubleError("A double with a state file follows the wall clock: leave out `now`.");
  }
  const state = openState({ path, fresh, seed: options.seed, apiVersion: options.apiVersion });
  try {
    return await startDouble({ ...options, seed: state.seed }, state);
  } catch (error) {
    state.close();
    if (!(error instanceof JournalMismatch)) throw error;
    throw new DoubleError(
      `The state in ${state.path} cannot be restored: ${error.message} Start anew with \`fresh\`.`,
      { cause: error },
    );
  }
}

/**
 * Starts a double, in the state that the journal leads to. With a journal its clock stands still
 * between requests, at the wall clock's time, so that a replay meets the same times. Webhooks count
 * as delivered in a replay; what fell due since the journal's last request happens afterwards.
 */
export async function startDouble(
  options: StripeDoubleOptions,
  journal?: Journal,
): Promise<StripeDouble> {
  const handlers = new Map<string, FetchHandler>();
  let settings = options;
  let url = "";
  let replaying = journal !== undefined;
  let engine: Engine;
  let parts: Parts;
  let webhook: WebhookEndpoint | undefined;
  let closing: Promise<void> | undefined;

  function begin(begun: number | undefined): void {
    engine = createEngine(settings, {
      start: settings.now ?? begun,
      url: () => url,
      handlerFor: (target) =>
        replaying ? async () => new Response() : handlers.get(new URL(target).origin),
      sleep: (milliseconds) => (replaying ? Promise.resolve() : sleep(milliseconds)),
    });
    parts = createParts(engine, journal);
  }

  async function answer(incoming: Incoming): Promise<Outgoing> {
    if (journal === undefined) return engine.answer(incoming);
    // No other request comes between these lines: nothing in them waits for more than a promise.
    const { clock, requests } = engine;
    clock.stepTo(clock.wall());
    const [at, before] = [clock.now(), requests()];
    const outgoing = await engine.answer(incoming);
    if (isKept(incoming)) journal.append(entryOf(incoming, outgoing, at, before));
    return outgoing;
  }

  async function replay({ entries }: Journal): Promise<void> {
    const { clock } = engine;
    for (const entry of entries) {
      if ("to" in entry) {
        clock.moved(entry.at, entry.to);
        continue;
      }
      clock.stepTo(entry.at);
      engine.skipRequests(entry.requests);
      if ("call" in entry) await parts.replay(entry);
      else if (sumOf(await engine.answer(entry)) !== entry.answer) throw new JournalMismatch(entry);
    }
    await engine.webhooks.idle();
    replaying = false;
    clock.stepTo(clock.wall());
    clock.follow();
  }

  /** The webhook endpoint of the options, which the journal may have brought already. */
  async function addWebhook(): Promise<void> {
    if (settings.webhook === undefined) return;
    webhook = await ensureWebhook(engine, settings.webhook, answer);
  }

  const stop = () => engine.clock.stop();

  async function reset(changes: ResetOptions = {}): Promise<void> {
    if (journal !== undefined && changes.now !== undefined) {
      throw new DoubleError("A double with a state file follows the wall clock: leave out `now`.");
    }
    stop();
    settings = { ...settings, ...changes };
    begin(journal && Date.now());
    journal?.clear(settings.seed ?? 1);
    if (journal !== undefined) engine.clock.follow();
    await addWebhook();
  }

  begin(journal && (journal.entries[0]?.at ?? Date.now()));
  let release = () => {};
  const ready = new Promise<void>((resolve) => {
    release = resolve;
  });
  const listening = await listen(options, async (incoming) => {
    await ready;
    return isControl(incoming) ? control(incoming) : answer(incoming);
  });
  url = `http://127.0.0.1:${listening.port}`;
  try {
    if (journal !== undefined) await replay(journal);
    await addWebhook();
  } catch (error) {
    stop();
    await listening.close();
    throw error;
  }
  const stripeConfig = {
    host: "127.0.0.1",
    port: listening.port,
    protocol: "http",
    telemetry: false,
  } as const;

  const double: StripeDouble = {
    url,
    port: listening.port,
    stripeConfig,
    get secretKey() {
      return engine.keys.test;
    },
    get liveSecretKey() {
      return engine.keys.live;
    },
    get account() {
      return engine.account;
    },
    get seed() {
      return settings.seed ?? 1;
    },
    get apiVersion() {
      return engine.version;
    },
    get webhook() {
      return webhook;
    },
    get clock() {
      return parts.clock;
    },
    get faults() {
      return parts.faults;
    },
    get deliveries() {
      return parts.deliveries;
    },
    get requests() {
      return engine.log;
    },
    unmodelled: () => engine.unmodelled.all(),
    get dashboard() {
      return parts.dashboard;
    },
    restrictedKey: (scopes) => parts.restrictedKey(scopes),
    revokeKey: (key) => parts.revokeKey(key),
    connectAccount: () => parts.connectAccount(),
    answer: (origin, handler) => {
      handlers.set(new URL(origin).origin, handler);
    },
    populate: (population) => parts.populate(population),
    objects: (kind) => [...engine.world.objects[kind].values()] as never,
    settle: () => engine.clock.drain(),
    dump: () =>
      dumpWorlds(engine.worlds(), engine.webhooks.all()).replaceAll(url, "http://stripe-double"),
    reset,
    close: () => {
      stop();
      closing ??= listening.close().finally(() => journal?.close?.());
      return closing;
    },
  };
  const control = createControl(double);
  release();
  return double;
}
