/**
 * One pace for all workers of a deployment. The line of slots is a record; a process reserves what
 * it needs for about the next half second, so that the record is not written for every request, and
 * forgets what it did not use in time. Requests that a caller waits for are not paced.
 */

import { type AnswerHeaders, headerOf } from "../mirror/headers.js";
import { stripeStatus } from "../mirror/snapshot.js";
import { type BillingConfig, isLive, type Rates } from "../runtime/config.js";
import { BillingError } from "../runtime/errors.js";
import { defineLocal } from "../runtime/local.js";
import { type Pace, records } from "../runtime/records/records.js";
import type { Runtime } from "../runtime/runtime.js";
import {
  current,
  HORIZON,
  type Reservation,
  reserve,
  STRIPE_RATES,
  scopeOf,
  slowed,
  UNPACED,
} from "./pace.js";

/** Milliseconds after its time in which a slot may still be used. */
const GRACE = 500;
/** The part of the last second's requests that is reserved ahead. */
const AHEAD = 0.5;

/** A request that waits for a slot. */
interface Waiter {
  readonly endpoint: string;
  give(at: number): void;
  fail(error: unknown): void;
}

/** What a process knows for itself. */
interface Memory {
  /** Slots that were reserved and not used yet, by endpoint. */
  readonly slots: Map<string, number[]>;
  /** When requests were asked for in the last second. */
  readonly lately: Map<string, number[]>;
  waiting: Waiter[];
  isReserving: boolean;
}

const memoryOf = defineLocal(
  "process",
  "pace",
  (): Memory => ({
    slots: new Map(),
    lately: new Map(),
    waiting: [],
    isReserving: false,
  }),
);

function ratesOf(config: BillingConfig): Rates | undefined {
  if (config.rate === false) return undefined;
  const rates = { ...(isLive(config) ? STRIPE_RATES.live : STRIPE_RATES.test), ...config.rate };
  if (rates.total > 0 && rates.perEndpoint > 0) return rates;
  throw new BillingError(
    "invalid_config",
    "`rate` must be more than 0 requests a second, or `false` for no limit.",
  );
}

/** Calls Stripe when a slot is free. A 429 slows all workers down and is thrown. */
export async function paced<T>(
  runtime: Runtime,
  endpoint: string,
  call: () => PromiseLike<T>,
): Promise<T> {
  const rates = ratesOf(runtime.config);
  if (rates !== undefined) {
    const wait = (await slotFor(runtime, rates, endpoint)) - runtime.now();
    if (wait > 0) await runtime.sleep(wait);
  }
  const { telemetry } = runtime;
  try {
    const answer = await call();
    telemetry?.measure("stripe.requests", 1, { endpoint, outcome: "answered" });
    return answer;
  } catch (error) {
    const isLimited = stripeStatus(error) === 429;
    const outcome = isLimited ? "limited" : stripeStatus(error) === 404 ? "missing" : "failed";
    telemetry?.measure("stripe.requests", 1, { endpoint, outcome });
    if (isLimited && rates !== undefined) await slowDown(runtime, rates, endpoint, error);
    throw error;
  }
}

/** Attempts at one request while Stripe limits the rate; each waits for its turn. */
const MOST_LIMITED = 10;

/** The same, and again after a 429. */
export async function inTurn<T>(
  runtime: Runtime,
  endpoint: string,
  call: () => PromiseLike<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await paced(runtime, endpoint, call);
    } catch (error) {
      if (stripeStatus(error) !== 429 || attempt >= MOST_LIMITED) throw error;
    }
  }
}

/** The pace of all endpoints together; null before the first request, and without a limit. */
export async function paceNow(
  runtime: Runtime,
): Promise<{ readonly rate: number; readonly limit: number } | null> {
  const limit = ratesOf(runtime.config)?.total;
  const { data: pace } = await records.pace.read(runtime);
  if (pace === undefined || limit === undefined) return null;
  return { rate: current(pace.total, limit, runtime.now()).rate, limit };
}

function slotFor(runtime: Runtime, rates: Rates, endpoint: string): Promise<number> {
  const memory = memoryOf(runtime);
  const now = runtime.now();
  memory.lately.set(endpoint, [...since(memory.lately.get(endpoint), now - 1000), now]);
  // One that is far ahead is of a time before this machine's clock was set back.
  const usable = since(memory.slots.get(endpoint), now - GRACE).filter((at) => at < now + HORIZON);
  const [slot, ...rest] = usable;
  memory.slots.set(endpoint, rest);
  if (slot !== undefined) return Promise.resolve(slot);
  return new Promise((give, fail) => {
    memory.waiting.push({ endpoint, give, fail });
    if (!memory.isReserving) void reserveForAll(runtime, rates, memory);
  });
}

const since = (times: readonly number[] = [], moment: number): number[] =>
  times.filter((at) => at > moment);

/** Reserves slots for all waiting requests of this process, and some ahead, until none waits. */
async function reserveForAll(runtime: Runtime, rates: Rates, memory: Memory): Promise<void> {
  memory.isReserving = true;
  while (memory.waiting.length > 0) {
    const waiting = memory.waiting.splice(0);
    try {
      const slots = await reserveFor(runtime, rates, memory, waiting);
      for (const { endpoint, give } of waiting) give(slots[endpoint]?.shift() ?? runtime.now());
      for (const [endpoint, left] of Object.entries(slots)) {
        memory.slots.set(endpoint, [...(memory.slots.get(endpoint) ?? []), ...left]);
      }
    } catch (error) {
      for (const { fail } of waiting) fail(error);
    }
  }
  memory.isReserving = false;
}

async function reserveFor(
  runtime: Runtime,
  rates: Rates,
  memory: Memory,
  waiting: readonly Waiter[],
): Promise<{ [endpoint: string]: number[] }> {
  let slots: Reservation["slots"] = {};
  const pace = await records.pace.update(runtime, (stored = UNPACED) => {
    const now = runtime.now();
    const reserved = reserve(stored, wantedBy(waiting, memory, now), rates, now);
    slots = reserved.slots;
    return reserved.pace;
  });
  if (pace !== undefined) measureRates(runtime, pace, Object.keys(slots));
  return Object.fromEntries(Object.entries(slots).map(([endpoint, each]) => [endpoint, [...each]]));
}

/** How many slots to reserve for each endpoint: one for each waiting request, or some ahead. */
function wantedBy(
  waiting: readonly Waiter[],
  memory: Memory,
  now: number,
): { [endpoint: string]: number } {
  const wanted: { [endpoint: string]: number } = {};
  for (const { endpoint } of waiting) wanted[endpoint] = (wanted[endpoint] ?? 0) + 1;
  for (const [endpoint, count] of Object.entries(wanted)) {
    const lately = since(memory.lately.get(endpoint), now - 1000).length;
    wanted[endpoint] = Math.max(count, Math.floor(lately * AHEAD));
  }
  return wanted;
}

function measureRates({ telemetry }: Runtime, pace: Pace, endpoints: readonly string[]): void {
  if (telemetry === undefined) return;
  for (const endpoint of endpoints) {
    const lines = [pace.total, pace.endpoints[endpoint]];
    const rate = Math.min(...lines.flatMap((line) => (line ? [line.rate] : [])));
    telemetry.measure("stripe.rate", rate, { endpoint });
  }
}

async function slowDown(
  runtime: Runtime,
  rates: Rates,
  endpoint: string,
  error: unknown,
): Promise<void> {
  const { headers } = error as { headers?: AnswerHeaders };
  const scope = scopeOf(headerOf(headers, "stripe-rate-limited-reason"));
  if (scope === "none") return;
  const memory = memoryOf(runtime);
  if (scope === "total") memory.slots.clear();
  else memory.slots.delete(endpoint);
  runtime.log?.warn({ endpoint, scope }, "Stripe limits the rate; asking more slowly");
  const pace = await records.pace.update(runtime, (stored = UNPACED) =>
    slowed(stored, endpoint, scope, rates, runtime.now()),
  );
  if (pace !== undefined) measureRates(runtime, pace, [endpoint]);
}
