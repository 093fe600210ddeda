// There is one path to the mirrored tables: a snapshot, judged by the rule, in a store's commit. That
// the sources have no other, the linter says (scripts/lint); that the port has none, this test.
import { describe, expect, it } from "vitest";
import { batch, event, NOW, receipt } from "../../../../../support/conformance/fixtures.js";
import type { Store } from "../../../src/core/mirror/store.js";
import { createMemoryStore } from "../../../src/memory/store.js";

describe("the port", () => {
  type Method = Exclude<keyof Store, "limits" | "commit">;
  const lease = { now: NOW + 10_000, lease: 1, limit: 10 };
  /** Every way into a store but the one that writes; the compiler asks for each that is added. */
  const calls: { readonly [M in Method]: (store: Store) => unknown } = {
    kept: (store) => store.kept?.({ id: "prod_1" }),
    takeAsks: (store) => store.takeAsks(lease),
    postponeAsk: (store) =>
      store.postponeAsk({ resource: "products", id: "prod_1", revision: 2 }, 1),
    takeRecords: (store) => store.takeRecords("refresh", lease),
    pruneReceipts: (store) => store.pruneReceipts(NOW + 1, 10),
    record: (store) => store.record("refresh", "cus_1"),
    claimed: (store) => store.claimed("user_1", [{ kind: "setting", id: "mode" }], []),
    recordsOf: (store) => store.recordsOf("refresh", "", "", 10),
    records: (store) => store.records("refresh", "", 10),
    version: (store) => store.version("products", "prod_1"),
    unconfirmed: (store) => store.unconfirmed("products", 1_000, "", 10),
    owned: (store) => store.owned("products", "prod_1", "", 10),
    related: (store) => store.related("prices", "stripe.product", "prod_1", "", 10),
    row: (store) => store.row("products", "prod_1"),
    rows: (store) => store.rows("products", "", 10),
    plans: (store) => store.plans(),
    offers: (store) => store.offers(["price_1"]),
    customerOf: (store) => store.customerOf("user_1"),
    subscribed: (store) => store.subscribed("user_1"),
    activeSubscriptionsOf: (store) => store.activeSubscriptionsOf("user_1"),
  };

  it("changes rows and versions by a commit and by nothing else", async () => {
    const store = createMemoryStore();
    const next = { ref: null, due: NOW, data: {} };
    await store.commit({
      ...batch(event("products", "prod_1", 100), event("products", "prod_1", 101, { name: "B" })),
      records: [{ kind: "refresh", id: "cus_1", expect: 0, next }],
    });
    await store.commit({ source: "event", now: NOW, units: [{ receipt: receipt("evt_1") }] });
    const held = async () => ({
      rows: await store.rows("products", "", 10),
      version: await store.version("products", "prod_1"),
    });
    const before = await held();
    for (const [name, call] of Object.entries(calls)) {
      await call(store);
      expect(await held(), name).toEqual(before);
    }
  });
});
