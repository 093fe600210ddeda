// The counterexamples that once broke a simpler rule, each by its name, on the real core.
import { describe, expect, it } from "vitest";
import { runOnce } from "../../../../../support/convergence/check.js";
import { openMemory } from "../../../../../support/convergence/stores/memory.js";
import { type StoryName, stories } from "../../../../../support/convergence/stories.js";

describe("ends as Stripe has it", () => {
  it.each(Object.keys(stories) as StoryName[])("%s", async (name) => {
    const trace: string[] = [];
    const { differences } = await runOnce(await openMemory(), stories[name], trace);
    expect(differences, trace.join("\n")).toEqual([]);
  });
});
