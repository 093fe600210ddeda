// Typed records: how they are changed, and that what is stored keeps its form.
import { describe, expect, it } from "vitest";
import { NOW } from "../../../../../support/conformance/fixtures.js";
import type { StoredRecord } from "../../../src/core/mirror/store.js";
import { behindGateway } from "../../../src/core/runtime/commit/commit.js";
import {
  defineLock,
  defineRecord,
  type TypedRecord,
} from "../../../src/core/runtime/records/record.js";
import { records } from "../../../src/core/runtime/records/records.js";
import { createMemoryStore } from "../../../src/memory/store.js";

function open() {
  let now = NOW;
  const memory = createMemoryStore();
  const store = behindGateway(memory, () => {});
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { context: { store, now: () => now, wake: () => {} }, memory, pass };
}

const counter = defineRecord<{ readonly count: number }>("counter");
const more = (stored?: { readonly count: number }) => ({ count: (stored?.count ?? 0) + 1 });

describe("a record", () => {
  it("is absent at revision 0, and is changed by what is stored", async () => {
    const { context } = open();
    expect(await counter.read(context)).toEqual({ revision: 0, data: undefined });
    expect(await counter.update(context, more)).toEqual({ count: 1 });
    await counter.update(context, more);
    expect(await counter.read(context)).toEqual({ revision: 2, data: { count: 2 } });
  });

  it("loses no change, whoever else changes it at the same time", async () => {
    const { context } = open();
    await Promise.all(Array.from({ length: 20 }, () => counter.update(context, more)));
    expect((await counter.read(context)).data).toEqual({ count: 20 });
  });

  it("is left alone where a change answers nothing", async () => {
    const { context } = open();
    await counter.update(context, more);
    expect(await counter.update(context, () => undefined)).toBeUndefined();
    expect((await counter.read(context)).revision).toBe(1);
  });

  it("is neither put nor removed over something newer", async () => {
    const { context } = open();
    const before = await counter.read(context);
    await counter.update(context, more);
    expect(await counter.put(context, before, { count: 7 })).toBe(false);
    expect(await counter.remove(context, before)).toBe(false);
    expect(await counter.remove(context, await counter.read(context))).toBe(true);
    expect((await counter.read(context)).data).toBeUndefined();
  });

  it("that is always changed by others first ends with an error", async () => {
    const { context, memory } = open();
    let tries = 0;
    const commit: typeof memory.commit = async () => {
      tries++;
      return { committed: false, conflict: { kind: "setting", id: "counter" } };
    };
    const losing = { ...context, store: behindGateway({ ...memory, commit }, () => {}) };
    await expect(counter.update(losing, more)).rejects.toMatchObject({ code: "store_error" });
    expect(tries).toBe(100);
  });
});

describe("a lock", () => {
  const lock = defineLock("lock x");

  it("is held by one caller until it is given back or its lease is over", async () => {
    const { context, pass } = open();
    const held = await lock.take(context, 1_000);
    expect(await lock.take(context, 1_000)).toBeUndefined();
    expect(await lock.remove(context, held!)).toBe(true);
    const late = await lock.take(context, 1_000);
    pass(1_000);
    expect(await lock.take(context, 1_000)).toBeDefined();
    // It is another caller's by now.
    expect(await lock.remove(context, late!)).toBe(false);
    expect(await lock.take(context, 1_000)).toBeUndefined();
  });
});

describe("what is stored keeps its form:", () => {
  type Form = Omit<StoredRecord, "revision">;
  const form = <T extends object>(record: TypedRecord<T>, data: T): Form => {
    const { kind, id, next } = record.write({ revision: 0, data: undefined }, data);
    return { kind, id, ...next! };
  };
  const setting = { kind: "setting", ref: null, due: null } as const;
  const line = { rate: 1, at: 2, next: 3, cutAt: 4 };
  const pace = { total: line, endpoints: { "GET customers": line } };
  const stranger = { kind: "app", app: "acme", customer: "cus_1" } as const;
  const drift = { missing: 1, different: 0, ghost: 0, examples: [] };
  const { mode, account, strangers, portal, runs, swept, watchdog } = records;

  it.each<[string, Form, Partial<Form>]>([
    [
      "mode",
      form(mode, { livemode: true, app: "acme" }),
      { data: { livemode: true, app: "acme" } },
    ],
    ["account", form(account, { id: "acct_1" }), { data: { id: "acct_1" } }],
    ["strangers", form(strangers, { seen: [stranger] }), { data: { seen: [stranger] } }],
    ["portal", form(portal, { configurationId: "bpc_1" }), { data: { configurationId: "bpc_1" } }],
    ["pace", form(records.pace, pace), { data: pace }],
    ["runs", form(runs, { backfill: "run_1" }), { data: { backfill: "run_1" } }],
    [
      "claims swept",
      form(swept, { after: "a", done: false }),
      { data: { after: "a", done: false } },
    ],
    ["watchdog", form(watchdog, { at: 1 }), { data: { at: 1 } }],
    ["lock portal", form(records.lock("portal"), { until: 1 }), { data: { until: 1 } }],
    ["return cus_1", form(records.returns("cus_1"), { until: 1 }), { due: 1, data: { until: 1 } }],
    ["endpoint we_1", form(records.endpoint("we_1"), { digest: "d" }), { data: { digest: "d" } }],
    [
      "drift run_1 prices",
      form(records.drift("run_1", "prices"), drift),
      { ref: "run_1", data: drift },
    ],
    [
      "events",
      form(records.watermark("events"), { at: 1 }),
      { kind: "watermark", data: { at: 1 } },
    ],
    [
      "seats org_1",
      form(records.seats("org_1"), { until: 1, isOpen: true }),
      { data: { until: 1, isOpen: true } },
    ],
    ["cus_1", form(records.refresh("cus_1"), {}), { kind: "refresh", data: {} }],
  ])("%s", (id, stored, expected) => {
    expect(stored).toEqual({ ...setting, id, ...expected });
  });
});
