// The small decisions of a run, case by case.
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { BillingError } from "../../../../src/core/runtime/errors.js";
import {
  BUCKETS,
  bucketOf,
  differing,
  sumBuckets,
  withIds,
} from "../../../../src/core/sync/drift/buckets.js";
import { exampleOf } from "../../../../src/core/sync/drift/compare.js";
import { confidence, upperBound } from "../../../../src/core/sync/drift/confidence.js";
import { NO_DRIFT, sumDrift, withExamples } from "../../../../src/core/sync/drift/drift.js";
import { afterFailure } from "../../../../src/core/sync/run/failure.js";
import { draw } from "../../../../src/core/sync/tasks/sample.js";

const stripeError = (statusCode: number, message = "No.") =>
  new Stripe.errors.StripeAPIError({ statusCode, message } as never);

describe("after a failure", () => {
  it.each([
    [
      "a connection that broke",
      new Stripe.errors.StripeConnectionError({ message: "x" } as never),
      true,
    ],
    ["a server error", stripeError(500), true],
    ["too many requests", stripeError(429), true],
    ["a conflict", stripeError(409), true],
    ["a database that is away", new Error("Connection terminated"), true],
    ["a database that refuses", new BillingError("store_error", "No."), true],
    ["a key that Stripe does not know", stripeError(401), false],
    ["a key that may not", stripeError(403), false],
    ["a request that is wrong", stripeError(400), false],
    ["settings that contradict", new BillingError("invalid_config", "No."), false],
  ])("%s: is it tried again? %s", (_, error, retry) => {
    expect(afterFailure(error, "prices", 0, 0.5).retry).toBe(retry);
  });

  it("the message names the resource, and what to do", () => {
    const { message } = afterFailure(stripeError(403, "Not allowed."), "payouts", 0, 0);
    expect(message).toMatch(
      /^payouts: Not allowed\. Let the restricted key read payouts, or leave/,
    );
    expect(afterFailure(stripeError(401), "prices", 0, 0).message).toContain("STRIPE_SECRET_KEY");
  });

  it("the pauses grow, to a minute at most, and end in a failure", () => {
    const delays = Array.from({ length: 25 }, (_, attempts) =>
      afterFailure(stripeError(503), "prices", attempts, 1),
    ).map((after) => (after.retry ? after.delay : "failed"));
    expect(delays.slice(0, 4)).toEqual([500, 1000, 2000, 4000]);
    expect(delays.slice(10, 20)).toEqual(Array(10).fill(60_000));
    expect(delays.slice(20)).toEqual(Array(5).fill("failed"));
  });

  it("too many requests are waited out for longer", () => {
    expect(afterFailure(stripeError(429), "prices", 100, 1)).toMatchObject({
      retry: true,
      delay: 1500,
    });
    expect(afterFailure(stripeError(429), "prices", 200, 1).retry).toBe(false);
  });
});

describe("sums of ids", () => {
  const ids = Array.from({ length: 5_000 }, (_, index) => `cus_${index}`);

  it("agree on the same set, in whatever order and parts", () => {
    const whole = withIds([], ids);
    const parts = [
      withIds([], [...ids].reverse().slice(0, 700)),
      withIds([], [...ids].reverse().slice(700)),
      [],
    ];
    expect(differing(whole, sumBuckets(parts))).toEqual([]);
    expect(differing([], [])).toEqual([]);
  });

  it("point at the bucket of what only one of them has", () => {
    const without = ids.filter((id) => id !== "cus_77");
    expect(differing(withIds([], ids), withIds([], without))).toEqual([bucketOf("cus_77")]);
    const other = [...without, "cus_other"];
    expect(new Set(differing(withIds([], ids), withIds([], other)))).toEqual(
      new Set([bucketOf("cus_77"), bucketOf("cus_other")]),
    );
  });

  it("spread ids evenly", () => {
    const counts = withIds([], ids).filter((_, index) => index % 2 === 0);
    expect(counts).toHaveLength(BUCKETS);
    expect(Math.max(...counts)).toBeLessThan(20); // 5 on average
  });
});

describe("a sample", () => {
  it.each([
    [300, 0, 0.01], // the rule of three
    [3000, 0, 0.001],
    [100, 5, 0.1022],
    [10, 10, 1],
    [0, 0, 1],
  ])("of %i with %i differing bounds the whole by %f", (n, k, bound) => {
    expect(upperBound(n, k)).toBeCloseTo(bound, 3);
  });

  it("states what it knows", () => {
    expect(confidence(1000, 50_000, 0).statement).toBe(
      "no drift in 1000 rows sampled of 50000: with 95% confidence fewer than 0.3% differ",
    );
    expect(confidence(1000, 50_000, 7).statement).toMatch(
      /^7 rows that differ in 1000 .* 1\.\d+% differ$/,
    );
    expect(confidence(40, 40, 0)).toMatchObject({
      atMost: 0,
      statement: "no drift in all 40 rows",
    });
  });

  it("gives every row the same chance, however the rows come", () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `cus_${String(index).padStart(6, "0")}`);
    const times = new Map<string, number>();
    for (let seed = 0; seed < 400; seed++) {
      const inParts = draw(draw([], ids.slice(0, 300), 50, seed), ids.slice(300), 50, seed);
      expect(inParts).toEqual(draw([], [...ids].reverse(), 50, seed));
      for (const [, id] of inParts) times.set(id, (times.get(id) ?? 0) + 1);
    }
    const halves = [ids.slice(0, 500), ids.slice(500)].map((half) =>
      half.reduce((sum, id) => sum + (times.get(id) ?? 0), 0),
    );
    expect(Math.abs((halves[0] ?? 0) - (halves[1] ?? 0))).toBeLessThan(700); // of 20,000
  });
});

describe("what differs", () => {
  const said = (kind: "changed" | "deleted" | "missing", content: object | null) =>
    ({ id: "x", kind, content }) as Parameters<typeof exampleOf>[1];
  it.each([
    ["nothing", { a: 1 }, said("changed", { a: 1 }), undefined],
    [
      "a field",
      { a: 1, b: 2 },
      said("changed", { a: 1, b: 3 }),
      { id: "x", kind: "different", fields: ["b"] },
    ],
    ["a row too few", null, said("changed", { a: 1 }), { id: "x", kind: "missing" }],
    ["a row too many, deleted", { a: 1 }, said("deleted", null), { id: "x", kind: "ghost" }],
    ["a row too many, unknown", { a: 1 }, said("missing", null), { id: "x", kind: "ghost" }],
    ["neither has it", null, said("missing", null), undefined],
  ])("%s", (_, stored, snapshot, example) => {
    expect(exampleOf(stored, snapshot)).toEqual(example);
  });

  it("is counted, with ten examples at most", () => {
    const found = Array.from({ length: 12 }, (_, index) => ({
      id: `${index}`,
      kind: "ghost" as const,
    }));
    const drift = withExamples(withExamples(NO_DRIFT, found), [{ id: "d", kind: "different" }]);
    expect(drift).toMatchObject({ ghost: 12, different: 1, missing: 0 });
    expect(drift.examples).toHaveLength(10);
    expect(sumDrift([drift, drift])).toMatchObject({ ghost: 24, different: 2 });
  });
});
