import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generateResources } from "../../../../scripts/generate-resources.js";
import { peers } from "../../../../scripts/resources/peers.js";

const root = new URL("../../../../", import.meta.url);

it("the page of the resources is not stale (npm run generate)", () => {
  expect(readFileSync(new URL("docs/resources.md", root), "utf8")).toBe(generateResources());
});

it("what peers mirror was read at the versions of the torture suite", () => {
  const folder = new URL("proof/torture/peers/", root);
  const read = peers.map(({ folder, name, version }) => ({ folder, name, version }));
  const played = read.map(({ folder: of, name }) => {
    const manifest = JSON.parse(readFileSync(new URL(`${of}/package.json`, folder), "utf8"));
    return { folder: of, name, version: manifest.dependencies[name] };
  });
  expect(read).toEqual(played);
  expect(read.map((peer) => peer.folder).sort()).toEqual(readdirSync(folder).sort());
});
