// Guards the runs on another Node: `npx` falling back to the installed one would go unnoticed.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const { engines } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { engines: { node: string } };
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

describe("this Node", () => {
  it("is one that the package supports", () => {
    const [oldestMajor = 0, oldestMinor = 0] = engines.node
      .replace(">=", "")
      .split(".")
      .map(Number);
    expect(major * 1000 + minor).toBeGreaterThanOrEqual(oldestMajor * 1000 + oldestMinor);
  });

  const asked = process.env.EXPECT_NODE;
  if (asked) {
    it(`is Node ${asked}, as the run asked`, () => {
      expect(String(major)).toBe(asked);
    });
  }
});
