import { expect, it } from "vitest";
import { history } from "../../../../../support/convergence/arbitrary.js";
import { runOnce } from "../../../../../support/convergence/check.js";
import { describeConvergence } from "../../../../../support/convergence/describe.js";
import type { History } from "../../../../../support/convergence/history.js";
import { openMemory } from "../../../../../support/convergence/stores/memory.js";
import { toldTwice } from "../../../../../support/histories.js";

describeConvergence("memory", openMemory, { histories: 1_000 });

it("runs a history in the same way whenever it runs", async () => {
  const store = await openMemory();
  const run = (each: History, trace: string[]) => runOnce(store, each, trace);
  for await (const [first, second] of toldTwice(history, 100, run)) {
    expect(second).toBe(first);
    expect(first.length).toBeGreaterThan(0);
  }
});
