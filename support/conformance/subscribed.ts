// What every store answers when it is asked for an entity's subscriptions.
import { expect } from "vitest";
import type { StripeObject } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import {
  ENDED_READ,
  INVOICES_READ,
} from "../../packages/backend-billing/src/core/mirror/reads/subscribed.js";
import type {
  Batch,
  RecordWrite,
  Snapshot,
  Store,
  StoredRecord,
} from "../../packages/backend-billing/src/core/mirror/store.js";
import { batch, event, NOW } from "./fixtures.js";

type Behaves = (behaviour: string, check: (store: Store) => Promise<void>) => void;

const record = (kind: RecordWrite["kind"], id: string, ref: string | null, data = {}) => ({
  kind,
  id,
  expect: 0,
  next: { ref, due: null, data },
});

/** A subscription as far as stores look at it. */
const subscription = (id: string, created: number, status: string, more: object = {}): Snapshot =>
  event("subscriptions", id, 100, {
    customer: "cus_1",
    created,
    status,
    schedule: null,
    items: { data: [{ id: `si_${id}`, price: { id: "price_1", product: "prod_1" } }] },
    ...more,
  });

const invoice = (id: string, created: number, of: string | null, status = "open"): Snapshot =>
  event("invoices", id, 100, {
    customer: "cus_1",
    created,
    status,
    parent: of === null ? null : { subscription_details: { subscription: of } },
  });

/** A customer that belongs to an entity. */
const owned = (...snapshots: readonly Snapshot[]): Batch => ({
  ...batch(event("customers", "cus_1", 100), ...snapshots),
  records: [record("claim", "user_1", "cus_1")],
});

const ids = (objects: readonly { readonly id: string }[]): string[] => objects.map(({ id }) => id);
const sorted = (objects: readonly { readonly id: string }[]): string[] => ids(objects).sort();

export function subscribedBehaviours(behaves: Behaves): void {
  behaves("knows nothing of an entity without a customer or subscriptions", async (store) => {
    const nothing = {
      subscriptions: [],
      products: [],
      invoices: [],
      schedules: [],
      prices: [],
      lapses: [],
    };
    expect(await store.subscribed("user_1")).toEqual(nothing);
    await store.commit(owned());
    expect(await store.subscribed("user_1")).toEqual(nothing);
  });

  behaves("answers an entity's subscriptions with all that says how they stand", async (store) => {
    const late = subscription("sub_late", 30, "past_due", { schedule: "sub_sched_1" });
    await store.commit(
      owned(
        late,
        subscription("sub_old", 10, "canceled", { schedule: "sub_sched_0" }),
        subscription("sub_paid", 20, "active"),
        subscription("sub_other", 40, "active", { customer: "cus_2" }),
        event("products", "prod_1", 100, { metadata: { billing_group: "seats" } }),
        event("products", "prod_2", 100),
        event("prices", "price_2", 100, { lookup_key: "yearly" }),
        event("prices", "price_3", 100),
        event("subscription_schedules", "sub_sched_0", 100, { customer: "cus_1", phases: [] }),
        event("subscription_schedules", "sub_sched_1", 100, {
          customer: "cus_1",
          phases: [{ items: [{ price: "price_2" }, { price: "price_unknown" }] }],
        }),
        invoice("in_2", 25, "sub_late"),
        invoice("in_1", 24, "sub_late"),
        invoice("in_paid", 23, "sub_late", "paid"),
        invoice("in_other", 22, "sub_other"),
        invoice("in_none", 21, null),
        invoice("in_active", 20, "sub_paid"),
      ),
    );
    await store.commit({
      source: "record",
      now: NOW,
      units: [],
      records: [
        record("lapse", "sub_late", null, { since: 24_000, over: true }),
        record("lapse", "sub_paid", null, { since: 1, over: true }),
        record("setting", "sub_late", null),
      ],
    });
    const found = await store.subscribed("user_1");
    expect(ids(found.subscriptions)).toEqual(["sub_late", "sub_paid", "sub_old"]);
    expect(found.subscriptions[0]).toEqual(late.content);
    expect(found.products).toMatchObject([{ id: "prod_1", metadata: { billing_group: "seats" } }]);
    expect(ids(found.invoices)).toEqual(["in_1", "in_2"]);
    expect(ids(found.schedules)).toEqual(["sub_sched_1"]);
    expect(found.prices).toMatchObject([{ id: "price_2", lookup_key: "yearly" }]);
    expect(found.lapses).toEqual([
      {
        kind: "lapse",
        id: "sub_late",
        revision: 1,
        ref: null,
        due: null,
        data: { since: 24_000, over: true },
      } satisfies StoredRecord,
    ]);
  });

  behaves("answers every live subscription and the newest ended ones", async (store) => {
    const ended = Array.from({ length: ENDED_READ + 20 }, (_, index) =>
      subscription(`sub_${index}`, 1_000 + index, index % 2 ? "canceled" : "incomplete_expired"),
    );
    const live = subscription("sub_live", 1, "active");
    await store.commit(owned(live, ...ended.slice(0, 60)));
    await store.commit(batch(...ended.slice(60)));
    const { subscriptions } = await store.subscribed("user_1");
    const newest = ended.slice(20).map(({ id }) => id);
    expect(ids(subscriptions)).toEqual([...newest.reverse(), "sub_live"]);
  });

  behaves("answers the oldest of many open invoices", async (store) => {
    const open = Array.from({ length: INVOICES_READ + 5 }, (_, index) =>
      invoice(`in_${index}`, 1_000 + index, "sub_1"),
    );
    await store.commit(owned(subscription("sub_1", 1, "unpaid")));
    await store.commit(batch(...open.slice(0, 60)));
    await store.commit(batch(...open.slice(60)));
    const { invoices } = await store.subscribed("user_1");
    const created = invoices.map((one: StripeObject<"invoices">) => one.created);
    expect(created).toEqual(Array.from({ length: INVOICES_READ }, (_, index) => 1_000 + index));
    expect(sorted(invoices)).toContain("in_0");
  });
}
