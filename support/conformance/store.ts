// What every store does, by topic. A store's own test file calls `describeStore`; a behaviour that
// a store cannot show is skipped there by name, with the reason.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { erasedKey } from "../../packages/backend-billing/src/core/mirror/erased.js";
import {
  afterErasure,
  LISTENING,
  type Listening,
} from "../../packages/backend-billing/src/core/mirror/listening.js";
import { ASK_DELAY } from "../../packages/backend-billing/src/core/mirror/rule.js";
import type {
  Committed,
  Outcome,
  RecordWrite,
  Snapshot,
  Store,
} from "../../packages/backend-billing/src/core/mirror/store.js";
import { changesBehaviours, listeningTo } from "./changes.js";
import {
  answer,
  batch,
  content,
  created,
  deleted,
  event,
  NOW,
  page,
  receipt,
  units,
} from "./fixtures.js";
import { subscribedBehaviours } from "./subscribed.js";

export interface StoreUnderTest {
  /** A store over empty tables. Called for each behaviour. */
  create(): Promise<Store>;
  /** The same for an application that listens, where that is not stored. */
  listening?(listening: Listening): Promise<Store>;
  close?(): Promise<void>;
}

export interface Skip {
  readonly behaviour: string;
  readonly reason: string;
}

const acts = (result: Committed): string[] => outcomes(result).map(({ act }) => act);

function outcomes(result: Committed): Outcome[] {
  if (!result.committed) throw new Error(`Not committed: ${JSON.stringify(result.conflict)}`);
  return result.units.flatMap((unit) => (unit.duplicate ? [] : unit.outcomes));
}

const put = (
  kind: RecordWrite["kind"],
  id: string,
  expect: number,
  next: Partial<NonNullable<RecordWrite["next"]>> = {},
): RecordWrite => ({ kind, id, expect, next: { ref: null, due: null, data: {}, ...next } });

export function describeStore(
  name: string,
  open: () => Promise<StoreUnderTest>,
  skips: readonly Skip[] = [],
): void {
  describe(`store: ${name}`, () => {
    let subject: StoreUnderTest;
    beforeAll(async () => {
      subject = await open();
    }, 60_000);
    afterAll(() => subject.close?.());

    const behaves = (behaviour: string, check: (store: Store) => Promise<void>) => {
      const skip = skips.find((each) => each.behaviour === behaviour);
      const title = skip === undefined ? behaviour : `${behaviour} (skipped: ${skip.reason})`;
      it.skipIf(skip !== undefined)(title, async () => check(await subject.create()));
    };

    describe("changes", () =>
      changesBehaviours((behaviour, listening, check) =>
        behaves(behaviour, async (store) => {
          if (subject.listening !== undefined) return check(await subject.listening(listening));
          const records = [listeningTo(listening)];
          await store.commit({ source: "record", now: NOW, units: [], records });
          await check(store);
        }),
      ));

    describe("commits", () => {
      behaves("writes what it saw first, with the specification's fields", async (store) => {
        expect(
          acts(await store.commit(batch(event("products", "prod_1", 100, { name: "Pro" })))),
        ).toEqual(["write"]);
        const row = await store.row("products", "prod_1");
        expect(row).toEqual({
          _id: expect.any(String),
          productId: "prod_1",
          stripe: content("products", "prod_1", { name: "Pro" }),
          last_synced_at: NOW,
        });
        expect(await store.version("products", "prod_1")).toEqual({
          revision: 1,
          state: "live",
          lo: 99,
          hi: 101,
          stale: false,
          first: false,
        });
      });
      behaves("keeps the document id when a row changes", async (store) => {
        await store.commit(batch(event("products", "prod_1", 100, { name: "A" })));
        const before = await store.row("products", "prod_1");
        await store.commit({
          ...batch(event("products", "prod_1", 200, { name: "B" })),
          now: NOW + 5,
        });
        const after = await store.row("products", "prod_1");
        expect(after?._id).toBe(before?._id);
        expect(after?.stripe.name).toBe("B");
        expect(after?.last_synced_at).toBe(NOW + 5);
      });
      behaves("writes many objects of many resources at once", async (store) => {
        const names: ResourceName[] = [
          "products",
          "prices",
          "coupons",
          "promotion_codes",
          "payouts",
          "refunds",
        ];
        const snapshots = names.flatMap((resource) =>
          Array.from({ length: 20 }, (_, index) => event(resource, `${resource}_${index}`, 100)),
        );
        expect(new Set(acts(await store.commit(batch(...snapshots))))).toEqual(new Set(["write"]));
        for (const resource of names) expect(await store.rows(resource, "", 100)).toHaveLength(20);
      });
      behaves("judges snapshots of one object in the order of the batch", async (store) => {
        const result = await store.commit(
          batch(
            event("products", "prod_1", 100, { name: "A" }),
            event("products", "prod_1", 200, { name: "B" }),
            event("products", "prod_1", 150, { name: "late" }),
            event("products", "prod_1", 201, { name: "C" }),
          ),
        );
        expect(outcomes(result)).toEqual([
          { act: "write", revision: 1 },
          { act: "write", revision: 2 },
          { act: "drop", revision: 2 },
          { act: "ask", revision: 3 },
        ]);
        expect((await store.row("products", "prod_1"))?.stripe.name).toBe("B");
      });
      behaves("writes all of a batch or nothing", async (store) => {
        await store.commit({
          source: "record",
          now: NOW,
          units: [],
          records: [put("setting", "a", 0)],
        });
        const result = await store.commit({
          source: "event",
          now: NOW,
          units: [{ receipt: receipt("evt_1"), snapshots: [event("products", "prod_1", 100)] }],
          records: [put("setting", "b", 0), put("setting", "a", 7)],
        });
        expect(result).toEqual({ committed: false, conflict: { kind: "setting", id: "a" } });
        expect(await store.row("products", "prod_1")).toBeUndefined();
        expect(await store.record("setting", "b")).toBeUndefined();
        const again = await store.commit({
          source: "event",
          now: NOW,
          units: [{ receipt: receipt("evt_1"), snapshots: [event("products", "prod_1", 100)] }],
        });
        expect(acts(again)).toEqual(["write"]);
      });
      behaves("takes an empty batch", async (store) => {
        expect(await store.commit({ source: "record", now: NOW, units: [] })).toEqual({
          committed: true,
          units: [],
        });
      });
      behaves("does not keep a hold on what it was given", async (store) => {
        const fields = { metadata: { plan: "a" } };
        await store.commit(batch(event("products", "prod_1", 100, fields)));
        fields.metadata.plan = "b";
        expect((await store.row("products", "prod_1"))?.stripe.metadata).toEqual({ plan: "a" });
      });
    });

    describe("guards", () => {
      behaves("drops what is older and says at which revision", async (store) => {
        await store.commit(batch(event("products", "prod_1", 200, { name: "new" })));
        const late = await store.commit(batch(event("products", "prod_1", 100, { name: "old" })));
        expect(outcomes(late)).toEqual([{ act: "drop", revision: 1 }]);
        expect((await store.row("products", "prod_1"))?.stripe.name).toBe("new");
      });
      behaves(
        "extends the interval of equal content, whatever the order of its keys",
        async (store) => {
          await store.commit(batch(event("products", "prod_1", 100, { name: "A", active: true })));
          const before = await store.row("products", "prod_1");
          const result = await store.commit({
            ...batch(event("products", "prod_1", 101, { active: true, name: "A" })),
            now: NOW + 9,
          });
          expect(outcomes(result)).toEqual([{ act: "touch", revision: 2 }]);
          expect(await store.version("products", "prod_1")).toMatchObject({ lo: 100, hi: 102 });
          expect(await store.row("products", "prod_1")).toEqual(before);
        },
      );
      behaves("asks when it cannot tell, and keeps what it has", async (store) => {
        await store.commit(batch(event("products", "prod_1", 100, { name: "A" })));
        expect(
          acts(await store.commit(batch(event("products", "prod_1", 101, { name: "B" })))),
        ).toEqual(["ask"]);
        expect((await store.row("products", "prod_1"))?.stripe.name).toBe("A");
        expect(await store.version("products", "prod_1")).toMatchObject({
          stale: true,
          revision: 2,
        });
      });
      behaves("an older page does not overwrite a newer event", async (store) => {
        await store.commit(batch(event("products", "prod_1", 500, { name: "new" })));
        expect(
          acts(await store.commit(batch(page("products", "prod_1", 100, 120, { name: "old" })))),
        ).toEqual(["drop"]);
      });
      behaves("an update in the second of the creation is kept", async (store) => {
        await store.commit(batch(created("products", "prod_1", 100, { name: "A" })));
        await store.commit(batch(created("customers", "cus_1", 100, { name: "A" })));
        expect(
          acts(await store.commit(batch(event("customers", "cus_1", 100, { name: "B" })))),
        ).toEqual(["write"]);
        expect((await store.row("customers", "cus_1"))?.stripe.name).toBe("B");
      });
      behaves("a first sight before the watermark is written and asked about", async (store) => {
        await store.commit({
          source: "record",
          now: NOW,
          units: [],
          records: [put("watermark", "products", 0, { data: { at: 500 } })],
        });
        const result = await store.commit(
          batch(event("products", "prod_1", 400), event("products", "prod_2", 600)),
        );
        expect(acts(result)).toEqual(["ask", "write"]);
        expect(await store.row("products", "prod_1")).toBeDefined();
        expect(await store.version("products", "prod_1")).toMatchObject({ stale: true });
      });
      behaves("hears of an object that it cannot read yet", async (store) => {
        const thin = event("products", "prod_1", 100, {}, { usable: false, content: null });
        expect(acts(await store.commit(batch(thin)))).toEqual(["ask"]);
        expect(await store.row("products", "prod_1")).toBeUndefined();
        expect(await store.version("products", "prod_1")).toMatchObject({
          state: "unknown",
          stale: true,
        });
      });
    });

    describe("asks", () => {
      const ask = async (store: Store, id = "prod_1") => {
        await store.commit(batch(event("products", id, 100, { name: "A" })));
        await store.commit(batch(event("products", id, 101, { name: "B" })));
      };
      const due = { now: NOW + ASK_DELAY, lease: 30_000, limit: 10 };

      behaves("hands an ask out after a moment, to one worker", async (store) => {
        await ask(store);
        expect(await store.takeAsks({ ...due, now: NOW + ASK_DELAY - 1 })).toEqual([]);
        expect(await store.takeAsks(due)).toEqual([
          { resource: "products", id: "prod_1", revision: 2 },
        ]);
        expect(await store.takeAsks(due)).toEqual([]);
      });
      behaves("hands it out again when the worker was lost", async (store) => {
        await ask(store);
        await store.takeAsks(due);
        expect(await store.takeAsks({ ...due, now: due.now + 29_999 })).toEqual([]);
        expect(await store.takeAsks({ ...due, now: due.now + 30_000 })).toHaveLength(1);
      });
      behaves("an answer settles it if nothing happened since", async (store) => {
        await ask(store);
        const result = await store.commit(
          batch(answer("products", "prod_1", 2, 99, 105, { name: "B" })),
        );
        expect(outcomes(result)).toEqual([{ act: "write", revision: 3 }]);
        expect(await store.version("products", "prod_1")).toMatchObject({
          stale: false,
          lo: 99,
          hi: 105,
        });
        expect((await store.row("products", "prod_1"))?.stripe.name).toBe("B");
        expect(await store.takeAsks(due)).toEqual([]);
      });
      behaves("an answer that was overtaken is not written", async (store) => {
        await ask(store);
        await store.commit(batch(event("products", "prod_1", 300, { name: "C" })));
        const result = await store.commit(
          batch(answer("products", "prod_1", 2, 99, 105, { name: "B" })),
        );
        expect(outcomes(result)).toEqual([{ act: "retry", revision: 3 }]);
        expect((await store.row("products", "prod_1"))?.stripe.name).toBe("C");
        expect(await store.version("products", "prod_1")).toMatchObject({ stale: true });
      });
      behaves("equal content seen meanwhile overtakes an answer too", async (store) => {
        await ask(store);
        await store.commit(batch(event("products", "prod_1", 101, { name: "A" })));
        expect(acts(await store.commit(batch(answer("products", "prod_1", 2, 99, 105))))).toEqual([
          "retry",
        ]);
      });
      behaves("a newer event is written and leaves the ask standing", async (store) => {
        await ask(store);
        await store.commit(batch(event("products", "prod_1", 300, { name: "C" })));
        expect(await store.takeAsks(due)).toEqual([
          { resource: "products", id: "prod_1", revision: 3 },
        ]);
      });
      behaves("is put off only while it is the same ask", async (store) => {
        await ask(store);
        const [first] = await store.takeAsks(due);
        if (first === undefined) throw new Error("no ask");
        await store.postponeAsk(first, NOW + 90_000);
        expect(await store.takeAsks({ ...due, now: NOW + 89_999 })).toEqual([]);
        await store.commit(batch(event("products", "prod_1", 101, { name: "D" })));
        await store.postponeAsk(first, NOW + 900_000);
        expect(await store.takeAsks({ ...due, now: NOW + 90_000 })).toHaveLength(1);
      });
      behaves("hands out what a clock that is a day ahead put off", async (store) => {
        for (const id of ["prod_1", "prod_2"]) await ask(store, id);
        const tomorrow = due.now + 86_400_000;
        expect(await store.takeAsks({ ...due, now: tomorrow, limit: 1 })).toHaveLength(1);
        expect(await store.takeAsks({ ...due, limit: 10 })).toHaveLength(2);
        expect(await store.takeAsks(due)).toEqual([]); // with a lease by the right clock
      });
      behaves("takes the oldest first, and no more than the limit", async (store) => {
        for (const id of ["prod_1", "prod_2", "prod_3"]) await ask(store, id);
        const two = await store.takeAsks({ ...due, limit: 2 });
        expect(two).toHaveLength(2);
        expect(await store.takeAsks({ ...due, limit: 2 })).toHaveLength(1);
      });
    });

    describe("receipts", () => {
      const unit = (eventId: string, ...snapshots: Snapshot[]) => ({
        receipt: receipt(eventId),
        snapshots,
      });

      behaves("skips the whole unit of an event that was handled", async (store) => {
        await store.commit({
          source: "event",
          now: NOW,
          units: [unit("evt_1", event("products", "prod_1", 100))],
        });
        const again = await store.commit({
          source: "event",
          now: NOW,
          units: [
            unit("evt_1", event("products", "prod_2", 100)),
            unit("evt_2", event("products", "prod_3", 100)),
          ],
        });
        expect(again).toEqual({
          committed: true,
          units: [
            { duplicate: true },
            { duplicate: false, outcomes: [{ act: "write", revision: 1 }] },
          ],
        });
        expect(await store.row("products", "prod_2")).toBeUndefined();
      });
      behaves("skips the second of two within one batch", async (store) => {
        const result = await store.commit({
          source: "event",
          now: NOW,
          units: [
            unit("evt_1", event("products", "prod_1", 100)),
            unit("evt_1", event("products", "prod_1", 100)),
          ],
        });
        expect(result.committed && result.units[1]).toEqual({ duplicate: true });
      });
      behaves("forgets old ones, so many at a time", async (store) => {
        for (let i = 0; i < 5; i++)
          await store.commit({ source: "event", now: NOW + i, units: [unit(`evt_${i}`)] });
        expect(await store.pruneReceipts(NOW + 3, 2)).toBe(2);
        expect(await store.pruneReceipts(NOW + 3, 10)).toBe(1);
        expect(await store.pruneReceipts(NOW + 3, 10)).toBe(0);
        const result = await store.commit({
          source: "event",
          now: NOW,
          units: [unit("evt_0"), unit("evt_4")],
        });
        expect(result.committed && result.units.map(({ duplicate }) => duplicate)).toEqual([
          false,
          true,
        ]);
      });
    });

    describe("tombstones", () => {
      behaves("a deleted customer is gone and stays gone", async (store) => {
        await store.commit(batch(event("customers", "cus_1", 100)));
        expect(acts(await store.commit(batch(deleted("customers", "cus_1", 100))))).toEqual([
          "write",
        ]);
        expect(await store.row("customers", "cus_1")).toBeUndefined();
        const late = batch(
          event("customers", "cus_1", 100),
          event("customers", "cus_1", 900),
          created("customers", "cus_1", 900),
          page("customers", "cus_1", 800, 950),
        );
        expect(acts(await store.commit(late))).toEqual(["drop", "drop", "drop", "drop"]);
        expect(await store.row("customers", "cus_1")).toBeUndefined();
      });
      behaves("a deletion that comes first keeps the object from coming back", async (store) => {
        await store.commit(batch(deleted("customers", "cus_1", 100)));
        expect(acts(await store.commit(batch(created("customers", "cus_1", 99))))).toEqual([
          "drop",
        ]);
      });
      behaves("a coupon can come back under its id", async (store) => {
        await store.commit(batch(event("coupons", "SPRING", 100)));
        await store.commit(batch(deleted("coupons", "SPRING", 200)));
        expect(await store.row("coupons", "SPRING")).toBeUndefined();
        expect(acts(await store.commit(batch(created("coupons", "SPRING", 300))))).toEqual([
          "write",
        ]);
        expect(await store.row("coupons", "SPRING")).toBeDefined();
      });
      behaves("a 404 is not final", async (store) => {
        await store.commit(batch(event("customers", "cus_1", 100)));
        const missing = answer(
          "customers",
          "cus_1",
          1,
          105,
          110,
          {},
          { kind: "missing", content: null },
        );
        await store.commit(batch(missing));
        expect(await store.row("customers", "cus_1")).toBeUndefined();
        expect(await store.version("customers", "cus_1")).toMatchObject({ state: "missing" });
        expect(acts(await store.commit(batch(event("customers", "cus_1", 200))))).toEqual([
          "write",
        ]);
        expect(await store.row("customers", "cus_1")).toBeDefined();
      });
    });

    describe("empty subscriptions", () => {
      const rows = async (store: Store) =>
        (await store.rows("subscriptions", "", 100)).map(({ customerId, subscriptionId }) => [
          customerId,
          subscriptionId,
        ]);
      const subscription = (id: string, customer: string, at = 100) =>
        event("subscriptions", id, at, { customer, status: "active" });

      behaves("a customer without subscriptions has one row of nulls", async (store) => {
        await store.commit(batch(event("customers", "cus_1", 100)));
        expect(await store.rows("subscriptions", "", 10)).toEqual([
          {
            _id: expect.any(String),
            customerId: "cus_1",
            subscriptionId: null,
            stripe: null,
            last_synced_at: NOW,
          },
        ]);
        await store.commit(batch(event("customers", "cus_1", 200)));
        expect(await rows(store)).toEqual([["cus_1", null]]);
      });
      behaves(
        "the first subscription takes its place, a second stands beside it",
        async (store) => {
          await store.commit(batch(event("customers", "cus_1", 100)));
          await store.commit(batch(subscription("sub_1", "cus_1")));
          expect(await rows(store)).toEqual([["cus_1", "sub_1"]]);
          await store.commit(batch(subscription("sub_2", "cus_1")));
          expect((await rows(store)).sort()).toEqual([
            ["cus_1", "sub_1"],
            ["cus_1", "sub_2"],
          ]);
        },
      );
      behaves(
        "is not written when the subscription is known first, or in the same batch",
        async (store) => {
          await store.commit(batch(subscription("sub_1", "cus_1")));
          await store.commit(batch(event("customers", "cus_1", 100)));
          await store.commit(
            batch(event("customers", "cus_2", 100), subscription("sub_2", "cus_2")),
          );
          expect((await rows(store)).sort()).toEqual([
            ["cus_1", "sub_1"],
            ["cus_2", "sub_2"],
          ]);
        },
      );
      behaves(
        "goes with its customer, and comes when the last subscription is gone",
        async (store) => {
          await store.commit(
            batch(event("customers", "cus_1", 100), event("customers", "cus_2", 100)),
          );
          await store.commit(
            batch(deleted("customers", "cus_1", 200), subscription("sub_2", "cus_2")),
          );
          expect(await rows(store)).toEqual([["cus_2", "sub_2"]]);
          const missing = answer(
            "subscriptions",
            "sub_2",
            1,
            300,
            301,
            {},
            { kind: "missing", content: null },
          );
          await store.commit(batch(missing));
          expect(await rows(store)).toEqual([["cus_2", null]]);
        },
      );
    });

    describe("records and claims", () => {
      behaves("writes, replaces and removes by revision", async (store) => {
        const at = (expect: number, data: object | null) =>
          store.commit({
            source: "record",
            now: NOW,
            units: [],
            records: [
              data === null
                ? { kind: "run", id: "r", expect, next: null }
                : put("run", "r", expect, { data: { ...data } }),
            ],
          });
        expect((await at(0, { step: 1 })).committed).toBe(true);
        expect((await at(0, { step: 9 })).committed).toBe(false);
        expect((await at(1, { step: 2 })).committed).toBe(true);
        expect(await store.record("run", "r")).toEqual({
          kind: "run",
          id: "r",
          revision: 2,
          ref: null,
          due: null,
          data: { step: 2 },
        });
        expect((await at(1, null)).committed).toBe(false);
        expect((await at(2, null)).committed).toBe(true);
        expect(await store.record("run", "r")).toBeUndefined();
      });
      behaves("links a customer to its entity, whichever is written first", async (store) => {
        await store.commit({
          source: "record",
          now: NOW,
          units: [],
          records: [put("claim", "user_1", 0, { ref: "cus_1" })],
        });
        await store.commit(
          batch(event("customers", "cus_1", 100), event("customers", "cus_2", 100)),
        );
        expect((await store.row("customers", "cus_1"))?.entityId).toBe("user_1");
        expect((await store.row("customers", "cus_2"))?.entityId).toBeNull();
        await store.commit({
          source: "record",
          now: NOW,
          units: [],
          records: [put("claim", "user_2", 0, { ref: "cus_2" })],
        });
        expect((await store.row("customers", "cus_2"))?.entityId).toBe("user_2");
        await store.commit(batch(event("customers", "cus_2", 300, { name: "changed" })));
        expect(await store.customerOf("user_2")).toMatchObject({
          customerId: "cus_2",
          entityId: "user_2",
        });
      });
      behaves("links in the commit that stores the customer", async (store) => {
        await store.commit({
          source: "event",
          now: NOW,
          units: units(page("customers", "cus_1", 100, 101)),
          records: [put("claim", "user_1", 0, { ref: "cus_1" })],
        });
        expect((await store.customerOf("user_1"))?.customerId).toBe("cus_1");
      });
      behaves("moves and removes a link", async (store) => {
        await store.commit(
          batch(event("customers", "cus_1", 100), event("customers", "cus_2", 100)),
        );
        await store.commit({
          source: "record",
          now: NOW,
          units: [],
          records: [put("claim", "user_1", 0, { ref: "cus_1" })],
        });
        await store.commit({
          source: "record",
          now: NOW,
          units: [],
          records: [put("claim", "user_1", 1, { ref: "cus_2" })],
        });
        expect((await store.row("customers", "cus_1"))?.entityId).toBeNull();
        expect((await store.customerOf("user_1"))?.customerId).toBe("cus_2");
        await store.commit({
          source: "record",
          now: NOW,
          units: [],
          records: [put("claim", "user_1", 2)],
        });
        expect(await store.customerOf("user_1")).toBeUndefined();
        expect((await store.row("customers", "cus_2"))?.entityId).toBeNull();
      });
      behaves("never links one customer to two entities", async (store) => {
        await store.commit({
          source: "record",
          now: NOW,
          units: [],
          records: [put("claim", "user_1", 0, { ref: "cus_1" })],
        });
        const second = await store.commit({
          source: "record",
          now: NOW,
          units: [],
          records: [put("claim", "user_2", 0, { ref: "cus_1" })],
        });
        expect(second).toEqual({ committed: false, conflict: { kind: "claim", id: "user_2" } });
        expect(await store.record("claim", "user_2")).toBeUndefined();
      });
      behaves("reads a claim with its customer as it reads them apart", async (store) => {
        const apart = async (id: string) => {
          const record = await store.record("claim", id);
          if (record === undefined) return undefined;
          const state = (await store.version("customers", record.ref ?? ""))?.state;
          return { record, state, row: await store.row("customers", record.ref ?? "") };
        };
        const together = async (id: string) => {
          const { record, version, row } = await store.claimed(id, [], []);
          return record && { record, state: version?.state, row };
        };
        await store.commit({
          ...batch(event("customers", "cus_1", 100, { email: "a@example.com" })),
          records: [
            put("claim", "user_1", 0, { ref: "cus_1", data: { any: ["thing"] }, due: 7 }),
            put("claim", "user_2", 0, { ref: "cus_unknown" }),
            put("claim", "user_3", 0),
          ],
        });
        expect((await together("user_1"))?.row?.stripe.email).toBe("a@example.com");
        for (const id of ["user_1", "user_2", "user_3", "nobody"]) {
          expect(await together(id)).toEqual(await apart(id));
        }
        await store.commit(batch(deleted("customers", "cus_1", 200)));
        expect((await together("user_1"))?.state).toBe("deleted");
        expect(await together("user_1")).toEqual(await apart("user_1"));
      });
      behaves("reads records beside a claim, also where there is no claim", async (store) => {
        const data = { any: ["thing", null, 1.5, "Ω"] };
        const others = [
          put("setting", "mode", 0, { data }),
          put("watermark", "mode", 0, { ref: "run_1", due: 7 }),
        ];
        const records = [put("claim", "user_1", 0, { data }), ...others];
        await store.commit({ source: "record", now: NOW, units: [], records });
        const stored = await Promise.all(others.map(({ kind, id }) => store.record(kind, id)));
        const keys = [...others, { kind: "setting" as const, id: "absent" }];
        for (const id of ["user_1", "nobody"]) {
          const { record, beside } = await store.claimed(id, keys, []);
          expect(record?.data).toEqual(id === "user_1" ? data : undefined);
          expect([...beside].sort((a, b) => (a.kind < b.kind ? -1 : 1))).toEqual(stored);
        }
        expect((await store.claimed("user_1", [], [])).beside).toEqual([]);
      });
      behaves("reads some records beside a claim only if it has no customer", async (store) => {
        const always = put("setting", "mode", 0);
        const mark = put("watermark", "events", 0, { due: 7 });
        const claims = [put("claim", "user_1", 0, { ref: "cus_1" }), put("claim", "user_2", 0)];
        const records = [...claims, always, mark];
        await store.commit({ source: "record", now: NOW, units: [], records });
        const kinds = async (id: string, beside: readonly RecordWrite[]) =>
          (await store.claimed(id, beside, [mark])).beside.map(({ kind }) => kind).sort();
        expect(await kinds("user_1", [])).toEqual([]);
        expect(await kinds("user_1", [always])).toEqual(["setting"]);
        for (const id of ["user_2", "nobody"]) {
          expect(await kinds(id, [])).toEqual(["watermark"]);
          expect(await kinds(id, [always])).toEqual(["setting", "watermark"]);
        }
      });
      behaves("goes by what the writer of a claim has read, if it is still so", async (store) => {
        const write = (expect: number, was: string | null, ref: string | null) =>
          store.commit({
            source: "record",
            now: NOW,
            units: [],
            records: [{ ...put("claim", "user_1", expect, { ref }), was: { ref: was, due: null } }],
          });
        await store.commit(batch(event("customers", "cus_1", 100)));
        expect(await write(0, null, null)).toMatchObject({ committed: true });
        expect(await write(1, null, "cus_1")).toMatchObject({ committed: true });
        expect((await store.row("customers", "cus_1"))?.entityId).toBe("user_1");
        expect(await write(1, null, null)).toMatchObject({ committed: false });
        expect((await store.row("customers", "cus_1"))?.entityId).toBe("user_1");
        expect(await write(2, "cus_1", null)).toMatchObject({ committed: true });
        expect((await store.row("customers", "cus_1"))?.entityId).toBeNull();
      });
      behaves("hands due records to one worker at a time", async (store) => {
        const records = ["a", "b", "c"].map((id, index) =>
          put("partition", id, 0, { ref: "run_1", due: NOW + index }),
        );
        await store.commit({ source: "record", now: NOW, units: [], records });
        const taken = await store.takeRecords("partition", {
          now: NOW + 1,
          lease: 1000,
          limit: 10,
        });
        expect(taken.map(({ id, revision, due }) => [id, revision, due]).sort()).toEqual([
          ["a", 2, NOW + 1001],
          ["b", 2, NOW + 1001],
        ]);
        expect(
          await store.takeRecords("partition", { now: NOW + 1, lease: 1000, limit: 10 }),
        ).toEqual([]);
        expect(await store.takeRecords("run", { now: NOW + 9000, lease: 1000, limit: 10 })).toEqual(
          [],
        );
        expect(
          await store.takeRecords("partition", { now: NOW + 1001, lease: 1, limit: 10 }),
        ).toHaveLength(3);
      });
      behaves(
        "hands out what a clock that is a day ahead took, but ends no setting",
        async (store) => {
          const kinds = ["claim", "partition", "refresh", "setting"] as const;
          const tomorrow = NOW + 86_400_000;
          const soon = NOW + 1_800_000;
          const records = kinds.flatMap((kind) => [
            put(kind, "far", 0, { due: tomorrow }),
            put(kind, "near", 0, { due: soon }),
          ]);
          await store.commit({ source: "record", now: NOW, units: [], records });
          const taken: string[] = [];
          for (const kind of kinds) {
            const due = await store.takeRecords(kind, { now: NOW, lease: 1000, limit: 10 });
            taken.push(...due.map((record) => `${kind} ${record.id}`));
          }
          expect(taken).toEqual(["claim far", "partition far", "refresh far"]);
        },
      );
      behaves("a worker that lost its lease cannot write", async (store) => {
        await store.commit({
          source: "record",
          now: NOW,
          units: [],
          records: [put("partition", "a", 0, { due: NOW })],
        });
        const [mine] = await store.takeRecords("partition", { now: NOW, lease: 10, limit: 1 });
        const [theirs] = await store.takeRecords("partition", {
          now: NOW + 10,
          lease: 10,
          limit: 1,
        });
        const late = await store.commit({
          source: "record",
          now: NOW,
          units: [],
          records: [put("partition", "a", mine?.revision ?? 0)],
        });
        expect(late.committed).toBe(false);
        const good = await store.commit({
          source: "record",
          now: NOW,
          units: [],
          records: [put("partition", "a", theirs?.revision ?? 0)],
        });
        expect(good.committed).toBe(true);
      });
      behaves(
        "a request makes a record once; every further one marks it and renews its data",
        async (store) => {
          const request = (due: number) =>
            store.commit({
              source: "event",
              now: NOW,
              units: [{ requests: [{ kind: "refresh", id: "cus_1", due, data: { due } }] }],
            });
          await request(NOW + 100);
          await request(NOW + 50);
          await request(NOW + 200);
          expect(await store.record("refresh", "cus_1")).toEqual({
            kind: "refresh",
            id: "cus_1",
            revision: 3,
            ref: null,
            due: NOW + 50,
            data: { due: NOW + 200 },
          });
        },
      );
    });

    describe("an entity's subscriptions", () => subscribedBehaviours(behaves));

    describe("cursors", () => {
      behaves("a page and its cursor are one commit", async (store) => {
        const save = (expect: number, cursor: string, ...ids: string[]) =>
          store.commit({
            source: "event",
            now: NOW,
            units: units(...ids.map((id) => page("products", id, 100, 101))),
            records: [put("partition", "products:0", expect, { ref: "run_1", data: { cursor } })],
          });
        expect((await save(0, "prod_2", "prod_1", "prod_2")).committed).toBe(true);
        expect((await save(0, "prod_9", "prod_9")).committed).toBe(false);
        expect(await store.row("products", "prod_9")).toBeUndefined();
        expect((await save(1, "prod_3", "prod_3")).committed).toBe(true);
        expect((await store.record("partition", "products:0"))?.data).toEqual({ cursor: "prod_3" });
      });
      behaves("lists records by what they point at, in pages", async (store) => {
        const records = ["p3", "p1", "p2"].map((id) => put("partition", id, 0, { ref: "run_1" }));
        await store.commit({
          source: "record",
          now: NOW,
          units: [],
          records: [...records, put("partition", "p4", 0, { ref: "run_2" })],
        });
        const ids = async (after: string) =>
          (await store.recordsOf("partition", "run_1", after, 2)).map(({ id }) => id);
        expect(await ids("")).toEqual(["p1", "p2"]);
        expect(await ids("p2")).toEqual(["p3"]);
        expect((await store.records("partition", "p2", 10)).map(({ id }) => id)).toEqual([
          "p3",
          "p4",
        ]);
      });
      behaves("finds what nothing has confirmed since a second", async (store) => {
        await store.commit(
          batch(
            event("products", "prod_a", 100),
            event("products", "prod_b", 100),
            event("products", "prod_c", 100),
          ),
        );
        await store.commit(batch(page("products", "prod_b", 90, 500)));
        await store.commit(
          batch(
            event("customers", "cus_1", 100),
            event("customers", "cus_2", 100),
            deleted("customers", "cus_1", 100),
          ),
        );
        expect(await store.unconfirmed("products", 400, "", 10)).toEqual([
          { id: "prod_a", revision: 1 },
          { id: "prod_c", revision: 1 },
        ]);
        expect(await store.unconfirmed("products", 400, "prod_a", 1)).toEqual([
          { id: "prod_c", revision: 1 },
        ]);
        expect(await store.unconfirmed("customers", 400, "", 10)).toEqual([
          { id: "cus_2", revision: 1 },
        ]);
      });
    });

    describe("what names something", () => {
      behaves("is found by its index, all of it in the end", async (store) => {
        const named = ["re_a", "re_b", "re_c"].map((id) =>
          page("refunds", id, 100, 101, { charge: "ch_1" }),
        );
        const other = page("refunds", "re_x", 100, 101, { charge: "ch_2" });
        await store.commit({ ...batch(...named, other), source: "page" });
        const all: string[] = [];
        for (let after: string | null = ""; after !== null; ) {
          const found = await store.related("refunds", "stripe.charge", "ch_1", after, 2);
          all.push(...found.ids);
          after = found.next;
        }
        expect(all.sort()).toEqual(["re_a", "re_b", "re_c"]);
        expect(await store.related("refunds", "stripe.charge", "ch_3", "", 2)).toEqual({
          ids: [],
          next: null,
        });
      });
    });

    describe("customers that were erased", () => {
      const erasure = (customer: string) => [
        { ...erasedKey(customer), expect: 0, next: { ref: null, due: null, data: { at: 1 } } },
        {
          ...LISTENING,
          expect: 0,
          next: { ref: null, due: null, data: { ...afterErasure(undefined) } },
        },
      ];
      behaves("are stored without what is personal, with all that is theirs", async (store) => {
        const known = { email: "ada@example.com" };
        await store.commit(batch(page("customers", "cus_1", 100, 101, known)));
        await store.commit({ ...batch(), source: "record", records: erasure("cus_1") });
        const later = { ...known, balance: 7 };
        await store.commit(batch(page("customers", "cus_1", 200, 201, later)));
        await store.commit(batch(page("customers", "cus_2", 200, 201, later)));
        const charge = { customer: "cus_1", description: "Ada" };
        await store.commit(batch(page("charges", "ch_1", 200, 201, charge)));
        const refund = { charge: "ch_1", metadata: { to: "Ada" } };
        await store.commit(batch(page("refunds", "re_1", 200, 201, refund)));
        const stored = async (resource: "customers" | "charges" | "refunds", id: string) =>
          (await store.row(resource, id))?.stripe;
        expect(await stored("customers", "cus_1")).toMatchObject({ email: null, balance: 7 });
        expect(await stored("customers", "cus_2")).toMatchObject(later);
        expect(await stored("charges", "ch_1")).toMatchObject({ description: null, erased: true });
        expect(await stored("refunds", "re_1")).toMatchObject({ metadata: {}, erased: true });
        // The same again is nothing new.
        const again = await store.commit({
          ...batch(page("customers", "cus_1", 300, 301, later)),
          source: "page",
        });
        expect(acts(again)).toEqual(["touch"]);
      });
    });

    describe("owners of what does not name them", () => {
      const held = (id: string, lo: number, owner: string, fields = {}): Snapshot => ({
        ...page("active_entitlements", id, lo, lo + 1, { feature: "feat_1", ...fields }),
        owner,
      });
      behaves("are kept beside the content, and what belongs to one is found", async (store) => {
        const all = ["ent_b", "ent_a", "ent_c"].map((id) => held(id, 100, "cus_1"));
        await store.commit({ ...batch(...all, held("ent_x", 100, "cus_2")), source: "page" });
        expect(await store.row("active_entitlements", "ent_a")).toMatchObject({
          activeEntitlementId: "ent_a",
          customerId: "cus_1",
          stripe: content("active_entitlements", "ent_a", { feature: "feat_1" }),
        });
        const owned = (after: string, limit: number, owner = "cus_1") =>
          store.owned("active_entitlements", owner, after, limit);
        expect(await owned("", 2)).toEqual(["ent_a", "ent_b"]);
        expect(await owned("ent_b", 2)).toEqual(["ent_c"]);
        expect(await owned("", 10, "cus_2")).toEqual(["ent_x"]);
        expect(await owned("", 10, "cus_3")).toEqual([]);
      });
      behaves("stay when the content changes, and go with the row", async (store) => {
        await store.commit({ ...batch(held("ent_a", 100, "cus_1")), source: "page" });
        const changed = held("ent_a", 200, "cus_1", { lookup_key: "steam" });
        await store.commit({ ...batch(changed), source: "page" });
        expect(await store.row("active_entitlements", "ent_a")).toMatchObject({
          customerId: "cus_1",
          stripe: { lookup_key: "steam" },
        });
        const gone: Snapshot = { ...held("ent_a", 300, "cus_1"), kind: "missing", content: null };
        expect(acts(await store.commit({ ...batch(gone), source: "page" }))).toEqual(["write"]);
        expect(await store.row("active_entitlements", "ent_a")).toBeUndefined();
        expect(await store.owned("active_entitlements", "cus_1", "", 10)).toEqual([]);
        expect(await store.version("active_entitlements", "ent_a")).toMatchObject({
          state: "missing",
        });
      });
    });

    describe("reads", () => {
      behaves("plans are the active products with their active prices", async (store) => {
        await store.commit(
          batch(
            event("products", "prod_b", 100, { name: "Basic", active: true }),
            event("products", "prod_a", 100, { name: "Pro", active: true }),
            event("products", "prod_x", 100, { name: "Old", active: false }),
            event("prices", "price_2", 100, { product: "prod_a", active: true, unit_amount: 2000 }),
            event("prices", "price_1", 100, { product: "prod_a", active: true, unit_amount: 200 }),
            event("prices", "price_3", 100, { product: "prod_a", active: false, unit_amount: 1 }),
          ),
        );
        const plans = await store.plans();
        expect(
          plans.map(({ product, prices }) => [product.id, prices.map(({ id }) => id)]),
        ).toEqual([
          ["prod_b", []],
          ["prod_a", ["price_1", "price_2"]],
        ]);
      });
      behaves(
        "offers are the prices that are known, with their products where known",
        async (store) => {
          await store.commit(
            batch(
              event("products", "prod_a", 100, { name: "Pro", active: false }),
              event("prices", "price_1", 100, { product: "prod_a", active: true }),
              event("prices", "price_2", 100, { product: "prod_a", active: false }),
              event("prices", "price_3", 100, { product: "prod_none", active: true }),
            ),
          );
          const found = await store.offers(["price_3", "price_1", "price_none"]);
          const seen = found.map(({ price, product }) => [price.id, price.active, product?.name]);
          expect(seen.sort()).toEqual([
            ["price_1", true, "Pro"],
            ["price_3", true, undefined],
          ]);
          expect(await store.offers([])).toEqual([]);
        },
      );
      behaves("active subscriptions are the entity's own, trials included", async (store) => {
        await store.commit({
          source: "event",
          now: NOW,
          units: units(
            event("customers", "cus_1", 100),
            event("customers", "cus_2", 100),
            ...["active", "trialing", "past_due", "canceled"].map((status) =>
              event("subscriptions", `sub_${status}`, 100, { customer: "cus_1", status }),
            ),
            event("subscriptions", "sub_other", 100, { customer: "cus_2", status: "active" }),
          ),
          records: [put("claim", "user_1", 0, { ref: "cus_1" })],
        });
        const found = await store.activeSubscriptionsOf("user_1");
        expect(found.map(({ subscriptionId }) => subscriptionId).sort()).toEqual([
          "sub_active",
          "sub_trialing",
        ]);
        expect(await store.activeSubscriptionsOf("nobody")).toEqual([]);
        expect(await store.customerOf("nobody")).toBeUndefined();
      });
      behaves("pages through all rows once", async (store) => {
        await store.commit(
          batch(...Array.from({ length: 25 }, (_, i) => event("payouts", `po_${i}`, 100))),
        );
        const seen: string[] = [];
        for (let after = ""; ; ) {
          const rows = await store.rows("payouts", after, 10);
          if (rows.length === 0) break;
          seen.push(...rows.map(({ payoutId }) => payoutId));
          after = rows.at(-1)?._id ?? "";
        }
        expect(seen).toHaveLength(25);
        expect(new Set(seen).size).toBe(25);
      });
    });

    describe("concurrency", () => {
      behaves("loses no change when many commit to the same objects", async (store) => {
        const writers = 8;
        const rounds = 6;
        const ids = Array.from({ length: 10 }, (_, i) => `prod_${i}`);
        await Promise.all(
          Array.from({ length: writers }, async (_, writer) => {
            for (let round = 0; round < rounds; round++) {
              const order = writer % 2 === 0 ? ids : [...ids].reverse();
              await store.commit(
                batch(
                  ...order.map((id) => event("products", id, 100, { name: `${writer}.${round}` })),
                ),
              );
            }
          }),
        );
        for (const id of ids) {
          expect((await store.version("products", id))?.revision).toBe(writers * rounds);
        }
      });
      behaves("one of many racing claims wins", async (store) => {
        const results = await Promise.all(
          Array.from({ length: 12 }, (_, i) =>
            store.commit({
              source: "record",
              now: NOW,
              units: [],
              records: [put("claim", "user_1", 0, { data: { caller: i } })],
            }),
          ),
        );
        expect(results.filter(({ committed }) => committed)).toHaveLength(1);
      });
      behaves("a customer and its first subscription may come at once", async (store) => {
        const ids = Array.from({ length: 15 }, (_, i) => `cus_${i}`);
        await Promise.all(
          ids.flatMap((customer) => [
            store.commit(batch(event("customers", customer, 100))),
            store.commit(
              batch(event("subscriptions", `sub_${customer}`, 100, { customer, status: "active" })),
            ),
            store.commit({
              source: "record",
              now: NOW,
              units: [],
              records: [put("claim", `user of ${customer}`, 0, { ref: customer })],
            }),
          ]),
        );
        const rows = await store.rows("subscriptions", "", 100);
        expect(rows.map(({ subscriptionId }) => subscriptionId).sort()).toEqual(
          ids.map((id) => `sub_${id}`).sort(),
        );
        for (const customer of ids) {
          expect((await store.row("customers", customer))?.entityId).toBe(`user of ${customer}`);
        }
      });
      behaves("the same event delivered many times at once is handled once", async (store) => {
        const unit = { receipt: receipt("evt_1"), snapshots: [event("products", "prod_1", 100)] };
        const results = await Promise.all(
          Array.from({ length: 10 }, () =>
            store.commit({ source: "event", now: NOW, units: [unit] }),
          ),
        );
        const fresh = results.filter((result) => result.committed && !result.units[0]?.duplicate);
        expect(fresh).toHaveLength(1);
        expect((await store.version("products", "prod_1"))?.revision).toBe(1);
      });
    });

    describe("limits", () => {
      behaves("takes as many snapshots as it says", async (store) => {
        const many = Array.from({ length: store.limits.snapshots }, (_, i) =>
          event("payouts", `po_${i}`, 100),
        );
        expect(acts(await store.commit(batch(...many)))).toHaveLength(store.limits.snapshots);
        expect(await store.row("payouts", `po_${store.limits.snapshots - 1}`)).toBeDefined();
      });
      behaves("keeps odd keys and values as Stripe sent them", async (store) => {
        const metadata = {
          clé: "é",
          $x: "1",
          _y: "2",
          "a.b": "3",
          "": "empty",
          "🙂": "emoji",
          __proto__x: "4",
          'quote"': "'",
        };
        await store.commit(
          batch(event("products", "prod_1", 100, { metadata, name: "a\\b\n\t“”" })),
        );
        const row = await store.row("products", "prod_1");
        expect(row?.stripe.metadata).toEqual(metadata);
        expect(row?.stripe.name).toBe("a\\b\n\t“”");
      });
      const nested = (depth: number): object => (depth === 0 ? {} : { in: nested(depth - 1) });
      const oversized: { [what: string]: object } = {
        "of 2 MiB": { description: "x".repeat(2 * 1024 * 1024) },
        "nested 20 deep": { extra: nested(20) },
        "with 9,000 array elements": { images: Array.from({ length: 9_000 }, (_, i) => `${i}`) },
      };
      for (const [what, fields] of Object.entries(oversized)) {
        behaves(`stores an object ${what}, whole or marked as cut`, async (store) => {
          const sent = content("products", "prod_1", { name: "Large", active: true, ...fields });
          const write = (at: number) => store.commit(batch(event("products", "prod_1", at, sent)));
          expect(acts(await write(100))).toEqual(["write"]);
          const { backend_billing_omitted: omitted, ...stripe } = (
            (await store.row("products", "prod_1")) as unknown as {
              stripe: { backend_billing_omitted?: string[] };
            }
          ).stripe;
          if (omitted === undefined) expect(stripe).toEqual(sent);
          else {
            const [field = ""] = Object.keys(fields);
            expect(omitted.every((path) => path.startsWith(field))).toBe(true);
            const { [field]: _, ...rest } = sent;
            expect(stripe).toMatchObject(rest);
          }
          // What was cut does not make an equal object differ: nobody has to be asked.
          expect(acts(await write(101))).toEqual(["touch"]);
        });
      }
    });
  });
}
