// The pace, by hand and in a simulated second hand: Stripe's limits are token buckets as the double
// has them, and several processes reserve slots in batches.

import { describe, expect, it } from "vitest";
import type { Rates } from "../../../../src/core/runtime/config.js";
import type { Pace } from "../../../../src/core/runtime/records/records.js";
import {
  current,
  reserve,
  STRIPE_RATES,
  scopeOf,
  slowed,
  UNPACED,
} from "../../../../src/core/stripe/pace.js";

const RATES: Rates = { total: 100, perEndpoint: 25 };
const NOW = 1_000_000;
const gaps = (slots: readonly number[] = []) =>
  slots.slice(1).map((slot, index) => slot - (slots[index] ?? 0));

describe("reserving", () => {
  it("spaces the slots of an endpoint by its rate, less a margin", () => {
    const { slots } = reserve(UNPACED, { a: 5 }, RATES, NOW);
    for (const gap of gaps(slots.a)) expect(gap).toBeGreaterThanOrEqual(41);
    for (const gap of gaps(slots.a)) expect(gap).toBeLessThanOrEqual(42);
  });

  it("goes on where the last reservation ended", () => {
    const first = reserve(UNPACED, { a: 5 }, RATES, NOW);
    const second = reserve(first.pace, { a: 5 }, RATES, NOW + 10);
    expect((second.slots.a?.[0] ?? 0) - (first.slots.a?.[4] ?? 0)).toBeGreaterThanOrEqual(41);
  });

  it("leaves the time between the slots of one endpoint to the others", () => {
    const { slots } = reserve(UNPACED, { a: 20, b: 20, c: 20 }, RATES, NOW);
    const ends = Object.values(slots).map((each) => each.at(-1) ?? 0);
    expect(Math.max(...ends) - Math.min(...ends)).toBeLessThan(600);
  });

  it("holds all endpoints together to the total", () => {
    let pace: Pace = UNPACED;
    const slots: number[] = [];
    for (let round = 0; round < 20; round++) {
      const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
      const wanted = Object.fromEntries(names.map((name) => [name, 5]));
      const reserved = reserve(pace, wanted, RATES, NOW);
      pace = reserved.pace;
      slots.push(...Object.values(reserved.slots).flat());
    }
    const seconds = (Math.max(...slots) - Math.min(...slots)) / 1000;
    expect(slots.length / seconds).toBeLessThanOrEqual(105);
  });

  it("keeps little of what was not used", () => {
    const { pace } = reserve(UNPACED, { a: 1 }, RATES, NOW);
    const { slots } = reserve(pace, { a: 30 }, RATES, NOW + 60_000);
    expect(slots.a?.filter((at) => at <= NOW + 60_000).length).toBeLessThanOrEqual(10);
  });

  it("does not follow a clock that is far ahead", () => {
    const { pace } = reserve(UNPACED, { a: 5 }, RATES, NOW + 3_600_000);
    const { slots } = reserve(pace, { a: 1 }, RATES, NOW);
    expect(slots.a?.[0]).toBeLessThan(NOW + 1_000);
  });
});

describe("a 429", () => {
  it.each([
    ["global-rate", "total"],
    ["global-concurrency", "total"],
    ["endpoint-rate", "endpoint"],
    ["endpoint-concurrency", "endpoint"],
    ["resource-specific", "none"],
    [undefined, "none"], // a lock time-out
  ] as const)("for %s is about %s", (reason, scope) => {
    expect(scopeOf(reason)).toBe(scope);
  });

  it("slows its scope down, and only that", () => {
    const before = reserve(UNPACED, { a: 1, b: 1 }, RATES, NOW).pace;
    const after = slowed(before, "a", "endpoint", RATES, NOW);
    expect(after.endpoints.a?.rate).toBeCloseTo(24 * 0.7);
    expect(after.endpoints.b).toEqual(before.endpoints.b);
    expect(after.total).toEqual(before.total);
    expect(slowed(before, "a", "total", RATES, NOW).total?.rate).toBeCloseTo(96 * 0.7);
    expect(slowed(before, "a", "none", RATES, NOW)).toEqual(before);
  });

  it("counts once, however many requests it hit", () => {
    let pace = reserve(UNPACED, { a: 1 }, RATES, NOW).pace;
    for (let at = 0; at < 900; at += 50) pace = slowed(pace, "a", "endpoint", RATES, NOW + at);
    expect(pace.endpoints.a?.rate).toBeGreaterThan(24 * 0.69);
  });

  it("is forgiven slowly", () => {
    const cut = slowed(UNPACED, "a", "endpoint", RATES, NOW).endpoints.a;
    expect(current(cut, 25, NOW + 2_000).rate).toBeLessThan(19);
    expect(current(cut, 25, NOW + 60_000).rate).toBe(24);
  });

  it("never stops everything", () => {
    let pace: Pace = UNPACED;
    for (let second = 0; second < 60; second += 2) {
      pace = slowed(pace, "a", "endpoint", RATES, NOW + second * 1000);
    }
    expect(pace.endpoints.a?.rate).toBeGreaterThanOrEqual(1);
  });
});

/** A token bucket, as the double limits. */
function bucket(rate: number) {
  let [tokens, at] = [rate, 0];
  return (now: number): boolean => {
    tokens = Math.min(rate, tokens + ((now - at) / 1000) * rate);
    at = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

interface Simulation {
  readonly deployments: number;
  readonly processes: number;
  readonly rates: Rates;
  /** Milliseconds between a slot and the arrival at Stripe, at most. */
  readonly jitter: number;
}

/** Greedy processes that ask as fast as they may, for a minute. */
function simulate({ deployments, processes, rates, jitter }: Simulation) {
  const total = bucket(rates.total);
  const endpoints = new Map([..."abcd"].map((name) => [name, bucket(rates.perEndpoint)]));
  const paces = Array.from({ length: deployments }, () => UNPACED);
  const queue: { at: number; deployment: number; endpoint: string }[] = [];
  let random = 42;
  const chance = () => {
    random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
    return random / 2 ** 31;
  };
  const result = { ok: 0, limited: 0 };
  const refill = (deployment: number, endpoint: string, now: number) => {
    const reserved = reserve(paces[deployment] ?? UNPACED, { [endpoint]: 10 }, rates, now);
    paces[deployment] = reserved.pace;
    for (const slot of reserved.slots[endpoint] ?? []) {
      queue.push({ at: Math.max(slot, now) + chance() * jitter, deployment, endpoint });
    }
  };
  for (let now = 0; now < 60_000; now += 5) {
    for (let deployment = 0; deployment < deployments; deployment++) {
      for (const endpoint of endpoints.keys()) {
        const waiting = queue.filter(
          (each) => each.deployment === deployment && each.endpoint === endpoint,
        );
        if (waiting.length < processes) refill(deployment, endpoint, now);
      }
    }
    queue.sort((a, b) => a.at - b.at);
    while (queue[0] !== undefined && queue[0].at <= now) {
      const { at, deployment, endpoint } = queue.shift() as (typeof queue)[number];
      const scope = !endpoints.get(endpoint)?.(at) ? "endpoint" : !total(at) ? "total" : undefined;
      if (scope === undefined) result.ok++;
      else {
        result.limited++;
        paces[deployment] = slowed(paces[deployment] ?? UNPACED, endpoint, scope, rates, now);
      }
    }
  }
  return { ...result, used: result.ok / 60 / rates.total };
}

describe("in simulation", () => {
  it.each([
    ["one process, live", { deployments: 1, processes: 1, rates: STRIPE_RATES.live, jitter: 20 }],
    ["one process, test", { deployments: 1, processes: 1, rates: STRIPE_RATES.test, jitter: 20 }],
    ["eight processes", { deployments: 1, processes: 8, rates: STRIPE_RATES.live, jitter: 200 }],
  ])("%s uses 90% of the limit and gets fewer than 1% 429s", (_, simulation) => {
    const { ok, limited, used } = simulate(simulation);
    expect(used).toBeGreaterThan(0.9);
    expect(limited / (ok + limited)).toBeLessThan(0.01);
  });

  it("two deployments that share an account both get on", () => {
    const rates = STRIPE_RATES.live;
    const { ok, limited, used } = simulate({ deployments: 2, processes: 4, rates, jitter: 50 });
    expect(used).toBeGreaterThan(0.7);
    expect(limited / (ok + limited)).toBeLessThan(0.2);
  });
});
