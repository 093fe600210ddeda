// What a Convex document cannot hold: stored in part, or set aside, and reported either way.
import { expect, it } from "vitest";
import { event, NOW } from "../../../../support/conformance/fixtures.js";
import { deployStore } from "../../../../support/convex/store.js";
import { OMITTED } from "../../src/convex/calls/fit.js";
import { same } from "../../src/core/mirror/content/same.js";
import type { Snapshot } from "../../src/core/mirror/store.js";
import { setAsideNow } from "../../src/core/runtime/commit/asides.js";
import { behindGateway, commit } from "../../src/core/runtime/commit/commit.js";

const open = () => behindGateway(deployStore().store, () => {});

async function see(store: ReturnType<typeof open>, ...snapshots: readonly Snapshot[]) {
  const context = { store, now: () => NOW, wake: () => {} };
  const { units } = await commit(context, { source: "event", units: [{ snapshots }] });
  const [unit] = units;
  return unit?.duplicate === false ? unit.outcomes.map(({ act }) => act) : [];
}

it("an object larger than a document is stored in part, reported, and no drift", async () => {
  const store = open();
  const large = event("products", "prod_1", 100, { name: "Large", description: "x".repeat(1.5e6) });
  expect(await see(store, large, event("products", "prod_2", 100, { name: "Good" }))).toEqual([
    "write",
    "write",
  ]);
  const { count, examples } = await setAsideNow(store);
  expect([count, examples[0]?.id, examples[0]?.kept]).toEqual([1, "prod_1", "part"]);
  const stored = (await store.row("products", "prod_1"))?.stripe;
  expect(stored).toHaveProperty(OMITTED, ["description"]);
  expect(same(stored, large.content)).toBe(false);
  expect(same(stored, store.kept?.(large.content ?? {}))).toBe(true);
  // The same again is no news, and the object still does not fit.
  await see(store, { ...large, origin: "page", lo: 200, hi: 210 });
  expect((await setAsideNow(store)).count).toBe(1);
  await see(store, event("products", "prod_1", 300, { name: "Small" }));
  expect((await setAsideNow(store)).count).toBe(0);
});

it("an object that Convex refuses is set aside among good ones", async () => {
  const store = open();
  const bad = event("products", "prod_bad", 100, { metadata: { ["k".repeat(1100)]: "v" } });
  const good = Array.from({ length: 9 }, (_, n) => event("products", `prod_${n}`, 100));
  expect(await see(store, ...good.slice(0, 4), bad, ...good.slice(4))).toEqual(
    Array.from({ length: 10 }, (_, n) => (n === 4 ? "aside" : "write")),
  );
  const { examples } = await setAsideNow(store);
  expect(examples).toMatchObject([{ id: "prod_bad", kept: "none" }]);
  expect(examples[0]?.reason).not.toContain("kkk");
  expect(await store.row("products", "prod_bad")).toBeUndefined();
  await see(store, event("products", "prod_bad", 200, { name: "mended" }));
  expect((await setAsideNow(store)).count).toBe(0);
});
