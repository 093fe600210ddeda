// What the handlers of a process need to be stored, and when it says so: others wait for those that said so lately.
import { expect, it } from "vitest";
import { event } from "../../../../../support/conformance/fixtures.js";
import {
  awaitedNames,
  type Listening,
  listenedIn,
  listeningOf,
} from "../../../src/core/mirror/listening.js";
import { planCommit } from "../../../src/core/mirror/plan.js";
import type { Snapshot } from "../../../src/core/mirror/store.js";
import { needsOf } from "../../../src/core/reactions/telling/handlers.js";
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

it("named events need of customers that they come and go, and a handler of their rows all of it", () => {
  const named = ["access.granted", "customer.deleted"];
  const rows = ["change customers"];
  expect(listeningOf(needsOf(named))).toMatchObject({
    customers: "existence",
    subscriptions: "changes",
  });
  for (const names of [
    [...named, ...rows],
    [...rows, ...named],
  ]) {
    expect(listeningOf(needsOf(names)).customers).toBe("changes");
  }
  expect(listeningOf(needsOf([...named, ...rows], true)).customers).toBe("everything");
});

it("what an earlier version stored of the needs of all names is not believed to be less than they say", () => {
  const said = ([name, listens]: [string, Listening]) => [name, { listens, seen: 0 }] as const;
  const stored = (...names: string[]) => ({
    resources: { customers: "existence" as const },
    names: Object.fromEntries(Object.entries(needsOf(names)).map(said)),
  });
  expect(listenedIn(stored("change customers", "customer.deleted"), "customers")).toBe("changes");
  expect(listenedIn(stored("customer.deleted"), "customers")).toBe("existence");
});

it.each(["existence", "changes"] as const)(
  "by a need of %s, so much of a customer is told",
  (listened) => {
    /** How many changes are told of a customer that was as `before` says, and is there afterwards or not. */
    const told = (before: "live" | "missing" | null, isThere: boolean): number => {
      const version = before && {
        revision: 1,
        state: before,
        lo: 0,
        hi: 1,
        first: false,
        stale: false,
      };
      const shown = event("customers", "cus_1", 10, { name: "after" });
      const gone: Snapshot = { ...shown, kind: "deleted", content: null };
      const snapshot = isThere ? shown : gone;
      const plan = planCommit(
        { source: "event", now: 0, draw: "", units: [{ snapshots: [snapshot] }] },
        ["customers"],
        {
          version: () => version,
          content: () => ({ name: "before" }),
          watermark: () => 1,
          received: () => false,
          record: () => null,
          recordOn: () => null,
          rowsWhere: () => [],
          listened: (about) => (about === "customers" ? listened : null),
        },
      );
      if (!("writes" in plan)) throw new Error(JSON.stringify(plan));
      return plan.writes.filter((each) => each.write === "putRecord").length;
    };
    const edits = listened === "changes" ? 1 : 0;
    expect(told("live", true)).toBe(edits);
    expect(told(null, true)).toBe(1);
    expect(told("missing", true)).toBe(1);
    expect(told("live", false)).toBe(1);
  },
);
