// What a process remembers of the time, when its machine's clock is set back.
import { expect, it } from "vitest";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import { paced } from "../../../src/core/stripe/pacer.js";
import { createMemoryStore } from "../../../src/memory/store.js";

it("no request waits for slots that were reserved before", async () => {
  let now = Date.UTC(2026, 0, 15, 10);
  const slept: number[] = [];
  const platform = {
    store: createMemoryStore(),
    baseUrl: () => "",
    wake: () => {},
    now: () => now,
  };
  const runtime = {
    ...createRuntime({ secret_key: "sk_test_1", webhook_secret: "whsec_1" }, platform),
    sleep: async (milliseconds: number) => void slept.push(milliseconds),
  };
  const call = () => paced(runtime, "GET customers", async () => {});
  for (let round = 0; round < 4; round++) {
    await Promise.all(Array.from({ length: 8 }, call)); // so many that some are reserved ahead
    now += 100;
  }
  now -= 600_000;
  for (let count = 0; count < 30; count++) await call();
  expect(Math.max(0, ...slept)).toBeLessThan(20_000);
});
