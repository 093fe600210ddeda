import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { history, historyOf } from "../../../../../support/convergence/arbitrary.js";
import { runOnce } from "../../../../../support/convergence/check.js";
import { describeConvergence } from "../../../../../support/convergence/describe.js";
import type { History } from "../../../../../support/convergence/history.js";
import { createModel } from "../../../../../support/convergence/model.js";
import { countPlayed, nothingPlayed, TRAITS } from "../../../../../support/convergence/played.js";
import { openMemory } from "../../../../../support/convergence/stores/memory.js";
import { toldTwice } from "../../../../../support/histories.js";
import { resourceNames } from "../../../src/core/catalogue/catalogue.js";

describeConvergence("memory", openMemory, { histories: 1_000 });
describeConvergence("memory, every resource", openMemory, {
  histories: 1_000,
  few: 200,
  resources: resourceNames,
});

it("runs a history in the same way whenever it runs", async () => {
  const store = await openMemory();
  const run = (each: History, trace: string[]) => runOnce(store, each, trace);
  for (const made of [history, historyOf(resourceNames)]) {
    for await (const [first, second] of toldTwice(made, 50, run)) {
      expect(second).toBe(first);
    }
  }
});

describe("histories of every resource", () => {
  const played = nothingPlayed();
  for (const each of fc.sample(historyOf(resourceNames), { seed: 1, numRuns: 2_000 })) {
    countPlayed(played, createModel(each));
  }

  it("have each of them about as often as the others", () => {
    const times = resourceNames.map((name) => played.resources[name] ?? 0);
    expect(Math.min(...times)).toBeGreaterThan(2_000 / resourceNames.length);
  });

  it.each(TRAITS)("come to what only some of them know: %s", (trait) => {
    expect(played.traits[trait] ?? 0).toBeGreaterThan(5);
  });
});
