import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generateMethods } from "../../../../scripts/generate-double-methods.js";

it("the page of the double's methods is not stale (npm run generate)", () => {
  const page = new URL("../../../../docs/stripe-double-methods.md", import.meta.url);
  expect(readFileSync(page, "utf8")).toBe(generateMethods());
});
