import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generateResources } from "../../../../scripts/generate-resources.js";

it("the page of the resources is not stale (npm run generate)", () => {
  const page = new URL("../../../../docs/resources.md", import.meta.url);
  expect(readFileSync(page, "utf8")).toBe(generateResources());
});
