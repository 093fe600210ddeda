// The text of the migration steps. test/postgres/steps.sql remembers it, so that a change to the
// tables cannot change what has already run in somebody's database.
import { expect, it } from "vitest";
import { printStep, recordedSteps } from "../../../../scripts/record-steps.js";
import { allSteps } from "../../src/postgres/schema/steps.js";

const stepIds = allSteps.map((step) => step.id);

it.each([...recordedSteps()])(
  "%s is as recorded: a released step must not change: add a step",
  (id, text) => {
    const step = allSteps.find((candidate) => candidate.id === id);
    expect(step && printStep(step)).toBe(text);
  },
);

it("every step is recorded, under an id of its own (`npm run generate` adds new ones)", () => {
  expect([...recordedSteps().keys()]).toEqual(stepIds);
  expect(new Set(stepIds).size).toBe(stepIds.length);
});

it("a step holds one statement at a time, because some clients take no more", () => {
  const statements = allSteps.flatMap((step) => step.statements("public"));
  expect(statements.filter((statement) => statement.includes(";"))).toEqual([]);
});
