// When a process says what its handlers need: others wait for those that said so lately.
import { expect, it } from "vitest";
import { awaitedNames } from "../../../src/core/mirror/listening.js";
import { listenFirst } from "../../../src/core/runtime/commit/listening.js";
import { records } from "../../../src/core/runtime/records/records.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import { createMemoryStore } from "../../../src/memory/store.js";

const MINUTE = 60_000;

it("a process that commits all day is waited for all day", async () => {
  let now = Date.UTC(2026, 0, 15, 10);
  const platform = { store: createMemoryStore(), baseUrl: () => "", wake: () => {} };
  const runtime = createRuntime({ secret_key: "sk_test_1", webhook_secret: "whsec_1" }, platform);
  const context = { ...runtime, now: () => now };
  const needs = { "access.granted": { subscriptions: "changes" } } as const;
  const listener = listenFirst({ needs, changed: () => {} });
  let said = 0;
  for (let minute = 0; minute < 24 * 60; minute += 7) {
    const saying = listener.before(context);
    if (saying !== undefined) said++;
    await saying;
    const { data } = await records.listening.read(context);
    expect(awaitedNames(data, now)).toEqual(["access.granted"]);
    now += 7 * MINUTE;
  }
  expect(said).toBeLessThanOrEqual(24 * 6);
});
