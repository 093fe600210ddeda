// What every store tells of rows that change: nothing unless the application listens, and then each
// change, in the transaction that writes the row.
import { expect } from "vitest";
import {
  AHEAD,
  type StoredChange,
} from "../../packages/backend-billing/src/core/mirror/changes.js";
import { formerKey } from "../../packages/backend-billing/src/core/mirror/former.js";
import {
  LISTENING,
  type Listening,
} from "../../packages/backend-billing/src/core/mirror/listening.js";
import type {
  Batch,
  RecordWrite,
  Snapshot,
  Store,
} from "../../packages/backend-billing/src/core/mirror/store.js";
import { answer, batch, content, created, deleted, event, NOW, page } from "./fixtures.js";

/** A behaviour of a store whose application listens to something. */
export type BehavesListening = (
  behaviour: string,
  listening: Listening,
  check: (store: Store) => Promise<void>,
) => void;

/** What makes an application listen, where that is stored. */
export const listeningTo = (resources: Listening): RecordWrite => ({
  ...LISTENING,
  expect: 0,
  next: { ref: null, due: null, data: { resources } },
});

/** The resource was listed to its end before. */
const listed = (resource: string): RecordWrite => ({
  kind: "watermark",
  id: resource,
  expect: 0,
  next: { ref: null, due: null, data: { at: 10 } },
});

const records = (...all: RecordWrite[]): Batch => ({
  source: "record",
  now: NOW,
  units: [],
  records: all,
});

let draws = 0;
const telling = (...snapshots: readonly Snapshot[]): Batch => ({
  ...batch(...snapshots),
  draw: `draw_${++draws}`,
});

const paging = (...snapshots: readonly Snapshot[]): Batch => ({
  ...telling(...snapshots),
  source: "page",
});

const told = async (store: Store): Promise<StoredChange[]> =>
  (await store.records("change", "", 100)).map(({ data }) => data as unknown as StoredChange);

/** Each change as the names before and after it. */
const names = async (store: Store) =>
  (await told(store)).map(({ before, after }) =>
    [before, after].map((each) => (each as { name?: string } | null)?.name ?? null),
  );

export function changesBehaviours(behaves: BehavesListening): void {
  const products: Listening = { products: "changes" };

  behaves("tells nothing where the application does not listen", {}, async (store) => {
    await store.commit(telling(created("products", "prod_1", 100, { name: "A" })));
    await store.commit(telling(event("products", "prod_1", 200, { name: "B" })));
    expect(await told(store)).toEqual([]);
  });

  behaves("tells how a row came, changed and went, in this order", products, async (store) => {
    await store.commit(telling(created("products", "prod_1", 100, { name: "A" })));
    await store.commit(telling(event("products", "prod_1", 200, { name: "B" })));
    await store.commit(telling(deleted("products", "prod_1", 300)));
    await store.commit(telling(created("customers", "cus_1", 100))); // nothing listens to these
    const found = await store.records("change", "", 100);
    expect(found.map(({ ref, due, data: { before, after, at } }) => [ref, due, before, after, at]))
      // Each with the whole contents.
      .toEqual([
        ["products prod_1", NOW - AHEAD, null, content("products", "prod_1", { name: "A" }), NOW],
        [
          "products prod_1",
          NOW - AHEAD,
          content("products", "prod_1", { name: "A" }),
          content("products", "prod_1", { name: "B" }),
          NOW,
        ],
        ["products prod_1", NOW - AHEAD, content("products", "prod_1", { name: "B" }), null, NOW],
      ]);
    expect(new Set(found.map(({ data }) => data.key)).size).toBe(3);
    expect(await store.recordsOf("change", "products prod_1", "", 2)).toEqual(found.slice(0, 2));
  });

  behaves("orders the changes of a row by number, not by text", products, async (store) => {
    for (let at = 1; at <= 12; at++) {
      await store.commit(telling(created("products", "prod_1", 1, { name: "0" })));
      await store.commit(telling(event("products", "prod_1", at * 100, { name: String(at) })));
    }
    const last = (await names(store)).map(([, after]) => Number(after));
    expect(last).toEqual([...last].sort((a, b) => a - b));
    expect(last.at(-1)).toBe(12);
  });

  behaves(
    "tells no event that is older than the row, and no content again",
    products,
    async (store) => {
      await store.commit(telling(created("products", "prod_1", 100, { name: "A" })));
      await store.commit(telling(event("products", "prod_1", 300, { name: "C" })));
      await store.commit(telling(event("products", "prod_1", 200, { name: "B" })));
      await store.commit(telling(event("products", "prod_1", 400, { name: "C" })));
      await store.commit(paging(page("products", "prod_1", 500, 501, { name: "C" })));
      await store.commit(telling(deleted("products", "prod_2", 300)));
      expect(await names(store)).toEqual([
        [null, "A"],
        ["A", "C"],
      ]);
    },
  );

  behaves("tells what an answer says, and what a page finds later", products, async (store) => {
    await store.commit(records(listed("products")));
    await store.commit(
      telling(event("products", "prod_1", 100, {}, { usable: false, content: null })),
    );
    await store.commit(telling(answer("products", "prod_1", 1, 150, 151, { name: "A" })));
    await store.commit(paging(page("products", "prod_1", 200, 201, { name: "B" })));
    await store.commit(paging(page("products", "prod_2", 200, 201, { name: "Z" })));
    const missing = { kind: "missing", content: null } as const;
    await store.commit(telling(answer("products", "prod_1", 3, 300, 301, {}, missing)));
    expect(await names(store)).toEqual([
      [null, "A"],
      ["A", "B"],
      ["B", null],
      [null, "Z"],
    ]);
  });

  behaves(
    "is silent about what the first listing finds, not about what changes in it",
    products,
    async (store) => {
      await store.commit(paging(page("products", "prod_1", 100, 101, { name: "A" })));
      await store.commit(telling(event("products", "prod_2", 100, { name: "A" }))); // of unknown age
      await store.commit(telling(created("products", "prod_3", 100, { name: "New" })));
      await store.commit(paging(page("products", "prod_1", 200, 201, { name: "B" })));
      expect(await names(store)).toEqual([
        ["A", "B"],
        [null, "New"],
      ]);
    },
  );

  behaves(
    "tells what the first listing finds, if that is wanted",
    { products: "everything" },
    async (store) => {
      await store.commit(paging(page("products", "prod_1", 100, 101, { name: "A" })));
      expect(await names(store)).toEqual([[null, "A"]]);
    },
  );

  behaves(
    "tells once what several sources showed of a row in one commit",
    products,
    async (store) => {
      await store.commit(
        telling(
          created("products", "prod_1", 100, { name: "A" }),
          event("products", "prod_1", 200, { name: "B" }),
          event("products", "prod_2", 200, { name: "C" }),
        ),
      );
      expect(await names(store)).toEqual([[null, "B"]]);
    },
  );

  const claimed = (entityId: string, customerId: string): RecordWrite => ({
    kind: "claim",
    id: entityId,
    expect: 0,
    next: { ref: customerId, due: null, data: {} },
  });
  const formerOf = async (store: Store, customerId: string) => {
    const { kind, id } = formerKey(customerId);
    return store.record(kind, id);
  };
  const deleteTwo = async (store: Store) => {
    await store.commit(records(claimed("user_1", "cus_1")));
    for (const id of ["cus_1", "cus_2"]) await store.commit(telling(created("customers", id, 100)));
    for (const id of ["cus_1", "cus_2"]) await store.commit(telling(deleted("customers", id, 200)));
  };

  behaves("remembers whose a customer was that is gone", { invoices: "changes" }, async (store) => {
    await deleteTwo(store);
    const days = 30 * 24 * 60 * 60_000;
    expect(await formerOf(store, "cus_1")).toMatchObject({
      revision: 1,
      due: NOW + days,
      data: { entityId: "user_1" },
    });
    expect(await formerOf(store, "cus_2")).toBeUndefined(); // it was of no entity
    expect(await told(store)).toEqual([]);
  });

  behaves("does not where the application does not listen", {}, async (store) => {
    await deleteTwo(store);
    expect(await formerOf(store, "cus_1")).toBeUndefined();
  });
}
