// The quick start of the README is the one of docs/start/postgres.md, which `npm run quickstart` follows.
import { expect, it } from "vitest";
import { checkReadme } from "../../../../scripts/quickstart/postgres.js";

it("the README has the blocks of the start page, in their order", () => {
  expect(checkReadme).not.toThrow();
});
