/**
 * Delivery of events to webhook endpoints: which event goes where and when, retries with backoff
 * by the double's clock, and faults. How one attempt is made is in post.ts.
 */

import type { FaultSource } from "../faults.js";
import type { Scheduler } from "../world/clock.js";
import { EVENT_LIFE, type StoredEvent, type World } from "../world/world.js";
import { type FetchHandler, post } from "./post.js";

export type { FetchHandler } from "./post.js";

/** One event on its way to one endpoint. */
export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly type: string;
  readonly endpoint: string;
  readonly url: string;
  readonly attempts: readonly Attempt[];
  /** `waiting` for its time or for `release`, `delivered`, or `failed` for good. */
  readonly state: "waiting" | "delivered" | "failed" | "lost";
}

/** One attempt to deliver an event. */
export interface Attempt {
  /** Milliseconds of the double's time. */
  readonly at: number;
  /** The endpoint's status, or undefined when there was no answer. */
  readonly status?: number;
  readonly error?: string;
}

/** What was delivered, and what waits. */
export interface Deliveries {
  /** The deliveries of the last 30 days, and older ones that wait, in the order in which they came to be. */
  all(): readonly Delivery[];
  /** Those that are held, oldest first; see the option `delivery: "held"`. */
  held(): readonly Delivery[];
  /** Attempts the held deliveries with these ids, one after another, in the order given. */
  release(ids: readonly string[]): Promise<void>;
  /** Sends an event again to all endpoints that want it, as the dashboard's "Resend" does. */
  resend(event: string): void;
}

export interface WebhookOptions {
  readonly clock: Scheduler;
  readonly faults: FaultSource;
  readonly held: boolean;
  readonly concurrency: number;
  readonly timeout: number;
  /** The seconds that a signature carries. */
  readonly signedAt: () => number;
  readonly handlerFor: (origin: string) => FetchHandler | undefined;
  /** Where events of this world go: its own endpoints and, for connected accounts, the platform's. */
  readonly endpointsOf: (world: World) => readonly { readonly world: World; readonly id: string }[];
}

interface Sending extends Delivery {
  readonly world: World;
  readonly home: World;
  readonly source: StoredEvent;
  readonly version: string | undefined;
  readonly thin: boolean;
  readonly attempts: Attempt[];
  state: Delivery["state"];
  failing: boolean;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Waits before each retry, in hours. Live mode tries for three days, a sandbox three times over some hours. */
const RETRIES = {
  live: [1 / 12, 1 / 2, 2, 5, 10, 12, 12, 12, 12].map((hours) => hours * HOUR),
  sandbox: [10 * MINUTE, HOUR, 3 * HOUR],
};
/** A shuffled delivery that no other overtakes is merely late. */
const LATEST_SHUFFLED = 1000;

export interface Webhooks extends Deliveries {
  /** Takes the events of a world from now on. */
  watch(world: World): void;
  /** Resolves once nothing is under way and nothing is due. */
  idle(): Promise<void>;
}

export function createWebhooks(options: WebhookOptions): Webhooks {
  const { clock, faults } = options;
  const worlds: World[] = [];
  const deliveries = new Map<string, Sending>(); // oldest first
  let made = 0;
  let queue: Sending[] = [];
  let next = 0; // how many of the queue are taken
  const delayed: { readonly sending: Sending; after: number }[] = []; // shuffled ones
  let active = 0;
  const idleWaiters: (() => void)[] = [];

  function dispatch(world: World, event: StoredEvent): void {
    for (const { world: home, id } of options.endpointsOf(world)) {
      const endpoint = home.objects.webhook_endpoint.get(id);
      if (endpoint === undefined || endpoint.status !== "enabled") continue;
      const wanted = endpoint.enabled_events;
      // A notification goes only where it is asked for by its name.
      const all = event.notice === undefined && wanted.includes("*");
      if (!all && !wanted.includes(event.type)) continue;
      enqueue(world, home, event, id, endpoint.url);
      if (faults.strike("doubled", event.type)) enqueue(world, home, event, id, endpoint.url);
    }
  }

  /** Of events that Stripe has let go. */
  function forgetOld(): void {
    for (const [id, { source, state }] of deliveries) {
      if (source.at > clock.now() - EVENT_LIFE * 1000) return;
      if (state !== "waiting") deliveries.delete(id);
    }
  }

  function enqueue(world: World, home: World, event: StoredEvent, id: string, url: string): void {
    const sending: Sending = {
      id: `${event.id}.${made++}`,
      event: event.id,
      type: event.type,
      endpoint: id,
      url,
      attempts: [],
      state: "waiting",
      failing: false,
      world,
      home,
      source: event,
      version: faults.strike("old_version", event.type)?.version,
      thin: faults.strike("thin", event.type) !== undefined,
    };
    forgetOld();
    deliveries.set(sending.id, sending);
    event.pending++;
    for (const other of delayed) other.after--;
    if (faults.strike("lost", event.type)) sending.state = "lost";
    else if (!options.held) send(sending);
    for (const ready of delayed.filter(({ after }) => after <= 0)) {
      delayed.splice(delayed.indexOf(ready), 1);
      push(ready.sending);
    }
  }

  function send(sending: Sending): void {
    const shuffled = faults.strike("shuffled", sending.type);
    if (shuffled !== undefined) {
      const within = shuffled.within ?? 8;
      delayed.push({ sending, after: 1 + Math.floor(((faults.spread() + 1) / 2) * within) });
      clock.schedule(clock.now() + LATEST_SHUFFLED, () => {
        const index = delayed.findIndex((other) => other.sending === sending);
        if (index < 0) return;
        delayed.splice(index, 1);
        push(sending);
      });
      return;
    }
    const late = faults.strike("late", sending.type);
    if (late === undefined) push(sending);
    else clock.schedule(clock.now() + late.milliseconds, () => push(sending));
  }

  function push(sending: Sending): void {
    queue.push(sending);
    pump();
  }

  function take(): Sending | undefined {
    const sending = queue[next];
    if (sending === undefined) return undefined;
    next++;
    if (next === queue.length || next > 10_000) {
      queue = queue.slice(next);
      next = 0;
    }
    return sending;
  }

  function pump(): void {
    while (active < options.concurrency) {
      const sending = take();
      if (sending === undefined) return;
      active++;
      // Not in the same turn: the request that raised the event is answered first.
      setImmediate(() => {
        void attempt(sending).finally(() => {
          active--;
          pump();
          if (active === 0 && queue.length === 0) {
            for (const wake of idleWaiters.splice(0)) wake();
          }
        });
      });
    }
  }

  async function attempt(sending: Sending): Promise<void> {
    const { source, home } = sending;
    const endpoint = home.objects.webhook_endpoint.get(sending.endpoint);
    if (endpoint === undefined || endpoint.status !== "enabled") {
      setFailing(sending, false);
      sending.state = "failed";
      return;
    }
    const outcome = await post({ ...sending, ...options }, endpoint);
    sending.attempts.push({ at: clock.now(), ...outcome });
    if (outcome.status !== undefined && outcome.status >= 200 && outcome.status < 300) {
      if (sending.state !== "delivered") source.pending--;
      setFailing(sending, false);
      sending.state = "delivered";
      return;
    }
    const waits = home.livemode ? RETRIES.live : RETRIES.sandbox;
    const wait = waits[sending.attempts.length - 1];
    setFailing(sending, wait !== undefined);
    if (wait === undefined) sending.state = "failed";
    else if (!options.held) clock.schedule(clock.now() + wait, () => push(sending));
  }

  return {
    watch: (world) => {
      worlds.push(world);
      world.onEvent((event) => dispatch(world, event));
    },
    all: () => [...deliveries.values()],
    held: () =>
      options.held ? [...deliveries.values()].filter(({ state }) => state === "waiting") : [],
    async release(ids) {
      for (const id of ids) {
        const sending = deliveries.get(id);
        if (sending === undefined) throw new RangeError(`No delivery ${id}`);
        await attempt(sending);
      }
    },
    resend(id) {
      for (const world of worlds) {
        const event = world.events.get(id);
        if (event !== undefined) return dispatch(world, event);
      }
      throw new RangeError(`No event ${id}`);
    },
    async idle() {
      while (active > 0 || queue.length > 0) {
        await new Promise<void>((resolve) => idleWaiters.push(resolve));
      }
    },
  };
}

/** An event that an endpoint refused holds up what waits for it: see `finalizeAndCollect`. */
function setFailing(sending: Sending, failing: boolean): void {
  if (sending.failing === failing) return;
  sending.failing = failing;
  sending.source.failing += failing ? 1 : -1;
}
