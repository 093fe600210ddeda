import fc from "fast-check";
import { expect, it } from "vitest";
import { history } from "../../../../../support/convergence/arbitrary.js";
import { runOnce } from "../../../../../support/convergence/check.js";
import { describeConvergence } from "../../../../../support/convergence/describe.js";
import { openMemory } from "../../../../../support/convergence/stores/memory.js";

describeConvergence("memory", openMemory, { histories: 10_000 });

it("runs a history in the same way whenever it runs", async () => {
  const store = await openMemory();
  for (const each of fc.sample(history, { seed: 7, numRuns: 100 })) {
    const [first, second]: [string[], string[]] = [[], []];
    await runOnce(store, each, first);
    await runOnce(store, each, second);
    const plain = (trace: string[]) => trace.join("\n").replaceAll(/run_\w+/g, "a run"); // a random id
    expect(plain(second)).toBe(plain(first));
    expect(first.length).toBeGreaterThan(0);
  }
});
