import { expect, it } from "vitest";
import { live } from "./random-script.js";

it("a life with every fault is the same again with the same seed, byte for byte", {
  tags: ["slow"],
}, async () => {
  const first = await live(11);
  const again = await live(11);
  expect(again.steps).toEqual(first.steps);
  expect(again.dump === first.dump).toBe(true);
  // It was a life, not a row of refusals.
  expect(first.steps.filter((step) => step.endsWith("ok")).length).toBeGreaterThan(120);
  expect(first.events).toBeGreaterThan(300);
  expect(first.steps.some((step) => step.includes(" 429"))).toBe(true);
  expect(first.steps.some((step) => step.includes(" 500"))).toBe(true);
  const other = await live(12);
  expect(other.dump === first.dump).toBe(false);
});

it.each(["a", "b", "c"])("no random life finds a defect of the double (seed %s)", async (seed) => {
  const { defects } = await live(seed, 200);
  expect(defects).toEqual([]);
});
