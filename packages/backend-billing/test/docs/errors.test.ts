// docs/errors.md has a line for each code of BillingError, with what to do about it, and no others.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const root = new URL("../../../../", import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, root), "utf8");

it("every error code is documented, with what to do", () => {
  const union = /export type BillingErrorCode =([\s\S]*?);\n/.exec(
    text("packages/backend-billing/src/core/runtime/errors.ts"),
  );
  const codes = [...(union?.[1] ?? "").matchAll(/\| "(\w+)"/g)].map((match) => match[1]);
  expect(codes.length).toBeGreaterThan(5);
  const lines = [...text("docs/errors.md").matchAll(/^\| `([a-z_]+)` \|([^|]+)\|([^|]+)\|$/gm)];
  expect(lines.map((line) => line[1]).sort()).toEqual(codes.sort());
  for (const [, , happened = "", advice = ""] of lines) {
    expect(happened.trim().length).toBeGreaterThan(20);
    expect(advice.trim().length).toBeGreaterThan(20);
  }
});
