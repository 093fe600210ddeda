// What the command `hooks` does, over the `store` mutation of a deployment.
import { expect, it } from "vitest";
import { batch, created, NOW } from "../../../../support/conformance/fixtures.js";
import { deployStore } from "../../../../support/convex/store.js";
import type { StoredRecord } from "../../src/core/mirror/store.js";
import {
  changesOf,
  heldChanges,
  retryParked,
  skipChange,
} from "../../src/core/reactions/settle/settle.js";
import { createRuntime } from "../../src/core/runtime/runtime.js";

it("a parked change is told again, and another one given up", async () => {
  const { store } = deployStore({ resources: ["products"], listening: { products: "changes" } });
  const secrets = { secret_key: "sk_test_1", webhook_secret: "whsec_1" };
  const platform = { store, baseUrl: () => "", wake: () => {}, now: () => NOW };
  const runtime = createRuntime(secrets, platform);
  await store.commit(batch(created("products", "prod_1", 100, { metadata: { clé: "1815" } })));
  await store.commit(batch(created("products", "prod_2", 100)));
  const park = async ({ kind, id, ref, revision, data }: StoredRecord) => {
    const next = { ref, due: null, data: { ...data, attempts: 9, since: 5, parked: true } };
    const records = [{ kind, id, expect: revision, next }];
    await store.commit({ source: "record", now: NOW, units: [], records });
  };
  for (const record of await store.records("change", "", 10)) await park(record);
  expect(await heldChanges(store)).toMatchObject([
    { object: "products prod_1", standing: "parked", attempts: 9, since: 5 },
    { object: "products prod_2", standing: "parked" },
  ]);

  const [second] = await changesOf(store, "prod_2");
  expect(await skipChange(runtime, second!)).toMatchObject({ object: "products prod_2" });
  expect(await retryParked(runtime)).toMatchObject([{ object: "products prod_1" }]);
  const [left, ...others] = await store.records("change", "", 10);
  expect(others).toEqual([]);
  expect(left).toMatchObject({ due: NOW, data: { late: true } });
  expect(left?.data.after).toMatchObject({ metadata: { clé: "1815" } });
  expect(left?.data).not.toHaveProperty("parked");
});
