// The reference is generated from every entry point of both packages, and from no other file.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const root = new URL("../../../../", import.meta.url);
const json = (path: string) => JSON.parse(readFileSync(new URL(path, root), "utf8"));

it("every entry point of the package is in the reference", () => {
  const exported: { types?: string }[] = Object.values(
    json("packages/backend-billing/package.json").exports,
  );
  const entries = exported
    .flatMap(
      ({ types }) =>
        types?.replace("./dist/", "packages/backend-billing/src/").replace(/\.d\.ts$/, ".ts") ?? [],
    )
    .concat("packages/stripe-double/src/index.ts");
  expect(json("typedoc.json").entryPoints.toSorted()).toEqual(entries.sort());
});
