// By which key an entity's access is told: the same until it is told, whatever else becomes of the entity.
import { expect, it } from "vitest";
import {
  accessRequest,
  changeRecord,
  type StoredChange,
} from "../../../../src/core/mirror/changes.js";
import type { RecordData, StoredRecord } from "../../../../src/core/mirror/store.js";
import { type Delivery, deliveryIn } from "../../../../src/core/reactions/delivery.js";
import type { Telling } from "../../../../src/core/reactions/telling/context.js";
import { tellingsOf } from "../../../../src/core/reactions/telling/tellings.js";
import { facts, item, lapse, product, START, subscription } from "../subscriptions/kit.js";

const products = [product("prod_1"), product("prod_2", "support")];
const none = facts({ subscriptions: [], products });
const main = facts({ products });
const ended = facts({ subscriptions: [subscription({ status: "canceled" })], products });
const both = facts({
  subscriptions: [
    subscription({ items: [item("price_1"), item("price_2", { product: "prod_2" })] }),
  ],
  products,
});

const keyOf = ({ payload }: Telling) => (payload as { key: string }).key;

/** An entity that has had nothing, as the first change of it has it stored; or of which nothing is stored. */
function entity(data: RecordData | null = { key: "first", groups: {} }) {
  let has = none;
  let row = subscription();
  let change: Delivery | undefined;
  let record: StoredRecord | undefined =
    data === null
      ? undefined
      : { kind: "access", id: "user_1", revision: 1, ref: null, due: null, data };
  const put = ({ writes = [] }: Pick<Telling, "writes">) => {
    for (const { next, expect: revision } of writes) {
      if (next !== null) record = { kind: "access", id: "user_1", revision: revision + 1, ...next };
    }
  };
  const context = {
    names: new Set(["access.granted", "access.lost"]),
    resources: [],
    reads: {
      subscribed: async () => has,
      purchased: async () => [],
      processing: async () => [],
      row: async () => ({ stripe: row }) as never,
      record: async (kind: string) => (kind === "access" ? record : undefined),
      recordsOf: async () => [],
    },
  };
  return {
    /** A change asks for a look, in place of one that waits. */
    looks(key: string, now = has) {
      has = now;
      row = now.subscriptions[0] ?? row;
      change = deliveryIn(accessRequest("user_1", key, 0));
    },
    /** The handlers are told what there is; or the first of them fails. */
    async told(isTaken: boolean): Promise<readonly string[]> {
      const keys: string[] = [];
      while (change !== undefined) {
        const { all, writes, requests } = await tellingsOf(context, change);
        const [next] = all;
        if (next !== undefined) {
          keys.push(keyOf(next));
          if (!isTaken) break;
          put(next);
        } else {
          put({ writes });
          change = requests[0] && deliveryIn(requests[0]);
        }
      }
      return keys;
    },
  };
}

it.each([
  ["of which a change stored what it had", undefined],
  ["of which a version without keys stored what it had", { groups: {} }],
])("an entity %s is given access under one key, whatever asks for it", async (_, data) => {
  const user = entity(data);
  user.looks("A", main);
  const tried = await user.told(false);
  user.looks("B");
  expect(await user.told(false)).toEqual(tried);
  user.looks("C");
  expect(await user.told(true)).toEqual(tried);
});

it("an entity of which nothing is stored loses access under one key, whatever asks for it", async () => {
  const user = entity(null);
  const subscriptions = [subscription({ status: "past_due" })];
  user.looks("A", facts({ subscriptions, products, lapses: [lapse(START * 1000)] }));
  const tried = await user.told(false);
  expect(tried).toHaveLength(1);
  user.looks("B");
  expect(await user.told(true)).toEqual(tried);
});

it("what comes and goes has another key each time, also where nothing is left of its group", async () => {
  const user = entity();
  const keys: string[] = [];
  for (const [index, now] of [
    both,
    none,
    main,
    none,
    both,
    main,
    both,
    ended,
    main,
    none,
  ].entries()) {
    user.looks(String(index), now);
    const told = await user.told(true);
    expect(told).not.toEqual([]);
    keys.push(...told);
  }
  expect(new Set(keys).size).toBe(keys.length);
});

/** An entity of whose access nothing is stored yet, which has a subscription. */
function unknown(
  now: ReturnType<typeof subscription>,
  { over, waiting }: { over: boolean; waiting: readonly StoredChange[] },
) {
  let record: StoredRecord | undefined;
  const has = facts({
    subscriptions: [now],
    products,
    lapses: now.status === "past_due" ? [lapse(START * 1000, over)] : [],
  });
  const rows: Readonly<Record<string, object>> = {
    customers: { entityId: "user_1" },
    subscriptions: { stripe: now },
  };
  const context = {
    names: new Set(["access.granted", "access.lost"]),
    resources: ["customers", "subscriptions"] as const,
    reads: {
      subscribed: async () => has,
      purchased: async () => [],
      processing: async () => [],
      row: async (resource: string) => rows[resource] as never,
      record: async (kind: string) =>
        kind === "access" ? record : kind === "lapse" ? lapse(START * 1000, over) : undefined,
      recordsOf: async (_: string, ref: string) =>
        waiting.map((each) => changeRecord(each)).filter((each) => each.ref === ref) as never,
    },
  };
  return async (change: StoredChange) => {
    const { all, writes, requests } = await tellingsOf(context, change);
    const [write] = writes;
    if (write)
      record = { kind: "access", id: "user_1", revision: 1, ...write.next } as StoredRecord;
    return { names: all.map(({ to }) => to), requests };
  };
}

const changed = (key: string, before: object, after: object): StoredChange => ({
  ...{ resource: "subscriptions", id: "sub_1", key, at: 2 },
  ...{ before, after },
});

it.each([
  ["is over", true, [["access.granted"]]],
  ["is not over", false, [[]]],
])(
  "an entity that pays whose grace %s when the first handler is added is known as it was",
  async (_, over, told) => {
    const paid = changed("paid", subscription({ status: "past_due" }), subscription());
    const tell = unknown(subscription(), { over, waiting: [paid] });
    const { requests } = await tell(paid);
    const looks = requests.map(async (request) => (await tell(deliveryIn(request))).names);
    expect(await Promise.all(looks)).toEqual(told);
  },
);

it("an entity loses access as its grace ends, though another change of it is told first", async () => {
  const late = subscription({ status: "past_due" });
  const edited = changed("edited", late, { ...late, metadata: { name: "x" } });
  const end = deliveryIn(accessRequest("user_1", "end", 2));
  const tell = unknown(late, { over: true, waiting: [edited, end] });
  expect((await tell(edited)).names).toEqual([]);
  expect((await tell(end)).names).toEqual(["access.lost"]);
});
