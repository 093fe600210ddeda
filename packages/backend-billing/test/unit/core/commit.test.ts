// The gateway: what every commit of the core has in common.
import { describe, expect, expectTypeOf, it } from "vitest";
import { event, NOW, receipt } from "../../../../../support/conformance/fixtures.js";
import { ASK_DELAY } from "../../../src/core/mirror/rule.js";
import type { Batch, Committed, Store } from "../../../src/core/mirror/store.js";
import { behindGateway, commit, type Stored } from "../../../src/core/runtime/commit/commit.js";
import type { Runtime } from "../../../src/core/runtime/runtime.js";
import { createMemoryStore } from "../../../src/memory/store.js";

function open(over: Partial<Store> = {}) {
  const woken: number[] = [];
  const batches: Batch[] = [];
  const memory = { ...createMemoryStore(), ...over };
  const spied: Store["commit"] = (batch) => {
    batches.push(batch);
    return memory.commit(batch);
  };
  const context = {
    store: behindGateway({ ...memory, commit: spied }, () => {}),
    now: () => NOW,
    wake: (delay: number) => void woken.push(delay),
  };
  return { context, woken, batches };
}

const told = (id: string, ...more: Parameters<typeof event>) => ({
  receipt: receipt(id),
  snapshots: [event(...more)],
});
const request = (id: string, due: number) => ({ kind: "refresh", id, due, data: {} }) as const;
const write = { kind: "setting", id: "x", next: { ref: null, due: null, data: {} } } as const;

describe("a commit", () => {
  it("has its source, the time of the caller's clock, and no records where none were given", async () => {
    const { context, batches } = open();
    await commit(context, { source: "event", units: [told("evt_1", "products", "prod_1", 100)] });
    expect(batches).toMatchObject([{ source: "event", now: NOW }]);
    expect(batches[0]).not.toHaveProperty("records");
  });

  it("wakes the background for an object that Stripe must be asked about", async () => {
    const { context, woken } = open();
    const units = ["A", "B"].map((name) => told(name, "products", "prod_1", 100, { name }));
    await commit(context, { source: "event", units });
    expect(woken).toEqual([ASK_DELAY]);
  });

  it("wakes it for one that stays in doubt, because a look may have passed over it meanwhile", async () => {
    const { context, woken } = open();
    const units = ["A", "B"].map((name) => told(name, "products", "prod_1", 100, { name }));
    await commit(context, { source: "event", units });
    const later = told("C", "products", "prod_1", 900, { name: "C" });
    await commit(context, { source: "event", units: [later] });
    expect(woken).toEqual([ASK_DELAY, ASK_DELAY]);
  });

  it("wakes it for the last of what is wished for within a minute, when that falls due", async () => {
    const { context, woken } = open();
    const requests = [50, 70, 30 * 86_400_000].map((after) => request(`cus_${after}`, NOW + after));
    await commit(context, { source: "event", units: [{ receipt: receipt("evt_1"), requests }] });
    expect(woken).toEqual([70]);
  });

  it("wakes it at once for a page with credits that is paid, and not for one without", async () => {
    const { context, woken } = open();
    const paid = { mode: "payment", status: "complete", payment_status: "paid" };
    const page = (id: string, at: number, fields: object) => ({
      ...told(`evt_${id}_${at}`, "checkout_sessions", id, at, { ...paid, ...fields }),
      requests: [request(id, NOW + 5_000)],
    });
    await commit(context, { source: "event", units: [page("cs_1", 100, {})] });
    const metadata = { billing_credits: "[]" };
    const waiting = page("cs_2", 100, { metadata, payment_status: "unpaid" });
    await commit(context, { source: "event", units: [waiting] });
    expect(woken).toEqual([5_000, 5_000]);
    await commit(context, { source: "event", units: [page("cs_2", 900, { metadata })] });
    expect(woken).toEqual([5_000, 5_000, 0, 5_000]);
    expect(await context.store.record("credits", "cs_2")).toMatchObject({ ref: "cs_2", due: NOW });
  });

  it("wakes nobody for what is settled, known already, or was not committed", async () => {
    const { context, woken } = open();
    const quiet = [told("evt_1", "products", "prod_1", 100)];
    await commit(context, { source: "event", units: quiet });
    const unit = { receipt: receipt("evt_2"), requests: [request("cus_1", NOW + 50)] };
    await commit(context, { source: "event", units: [unit] });
    woken.length = 0;
    await commit(context, { source: "event", units: [unit] });
    const late = { ...unit, receipt: receipt("evt_3") };
    const records = [{ ...write, expect: 7 }];
    const result = await commit(context, { source: "page", units: [late], records });
    expect(result).toEqual({ committed: false, conflict: { kind: "setting", id: "x" } });
    expect(woken).toEqual([]);
  });

  it("cannot conflict without records, by its type, and a store that says so is wrong", async () => {
    const { context } = open();
    const units = [told("evt_1", "products", "prod_1", 100)];
    expectTypeOf(commit(context, { source: "event", units })).resolves.toEqualTypeOf<Stored>();
    const records = [{ ...write, expect: 0 }];
    const changed = commit(context, { source: "record", records });
    expectTypeOf(changed).resolves.toEqualTypeOf<Committed>();
    expect(await changed).toMatchObject({ committed: true });
    const conflict = { kind: "setting", id: "x" } as const;
    const wrong = open({ commit: async () => ({ committed: false, conflict }) });
    await expect(commit(wrong.context, { source: "event", units })).rejects.toThrow(
      "A commit without records cannot conflict",
    );
  });

  it("has no other way: the core's store has no `commit`", () => {
    expectTypeOf<Runtime["store"]>().not.toHaveProperty("commit");
    expect(open().context.store).not.toHaveProperty("commit");
  });
});
