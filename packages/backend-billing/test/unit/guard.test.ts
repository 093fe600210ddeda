import { expect, it } from "vitest";
import { history } from "../../../../support/guard/arbitrary.js";
import { runOnce } from "../../../../support/guard/check.js";
import { describeGuard } from "../../../../support/guard/describe.js";
import type { History } from "../../../../support/guard/history.js";
import { openMemory } from "../../../../support/guard/stores/memory.js";
import { toldTwice } from "../../../../support/histories.js";

describeGuard("memory", openMemory, { few: 30, many: 60 });

it("runs a history of the guard in the same way whenever it runs", async () => {
  const store = await openMemory();
  const run = (each: History, trace: string[]) => runOnce(store, each, trace);
  for await (const [first, second] of toldTwice(history, 10, run)) {
    expect(second).toBe(first);
    expect(first.length).toBeGreaterThan(0);
  }
});
