// What purchases with credits give and what refunds take back, on every platform, by what the mirror
// shows. A platform's own test file calls `describeCredits`.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { RecordWrite, Store } from "../../packages/backend-billing/src/core/mirror/store.js";
import type { CreditsOutcome } from "../../packages/backend-billing/src/core/runtime/records/credits.js";
import { batch, deleted, event, page as listing } from "../conformance/fixtures.js";
import { NOW, type UsageSubject } from "./cases.js";

export interface CreditsSubject extends UsageSubject {
  readonly store: Pick<Store, "commit" | "record">;
  settle(sessionId: string): Promise<CreditsOutcome>;
}

type Fields = { readonly [field: string]: unknown };

export function describeCredits(open: () => Promise<CreditsSubject>): void {
  let kit: CreditsSubject;
  beforeAll(async () => {
    kit = await open();
  });
  afterAll(() => kit.close?.());

  let count = 0;
  let second = 0;

  /** A page of 30 credits and 7 calls, for 10.00, of which nothing is stored yet. */
  function purchase({ app = "acme", final = true } = {}) {
    const at = ++count;
    const [page, intent, charge] = [`cs_test_${at}`, `pi_${at}`, `ch_${at}`];
    const entityId = `buyer_${at}`;
    const marks = {
      billing_credits: JSON.stringify([app, { price_1: { credits: 10 }, price_2: { calls: 7 } }]),
      billing_entity: entityId,
    };
    const shown = async (resource: ResourceName, id: string, fields: Fields) => {
      second += 1_000; // far enough apart that no clock could have mixed them up
      await kit.store.commit(batch(event(resource, id, second, { ...fields })));
    };
    const session = {
      customer: `cus_${at}`,
      mode: "payment",
      status: "complete",
      payment_status: "paid",
      payment_intent: intent,
      metadata: marks,
    };
    const payment = {
      payment_intent: intent,
      status: "succeeded",
      amount: 1_000,
      amount_refunded: 0,
      currency: "usd",
      metadata: { billing_credits: app },
    };
    const lines = [
      { priceId: "price_1", lookupKey: "acme:some", quantity: 3 },
      { priceId: "price_2", lookupKey: null, quantity: 1 },
    ];
    return {
      page,
      entityId,
      /** The record that has the credits set. */
      record: () => kit.store.record("credits", intent),
      lines: async (isFinal: boolean, expect = 0) => {
        const next = { ref: null, due: null, data: { lines, final: isFinal } };
        const own = { source: "record", now: NOW, units: [] } as const;
        const records: RecordWrite[] = [{ kind: "purchase", id: page, expect, next }];
        await kit.store.commit({ ...own, records });
      },
      async paid(fields: Fields = {}) {
        await this.lines(final);
        await this.charged();
        await this.shown(fields);
      },
      shown: (fields: Fields = {}) => shown("checkout_sessions", page, { ...session, ...fields }),
      /** It is found in a list, as it was. */
      async listed() {
        second += 1_000;
        const own = listing("checkout_sessions", page, second, second + 1, session);
        await kit.store.commit({ ...batch(own), source: "page" });
      },
      charged: (fields: Fields = {}) => shown("charges", charge, { ...payment, ...fields }),
      /** The page and then its charge, in one commit. */
      async shownTogether() {
        second += 1_000;
        const own = event("checkout_sessions", page, second, session);
        await kit.store.commit(batch(own, event("charges", charge, second, payment)));
      },
      disputed: (status: string, fields: Fields = {}) =>
        shown("disputes", `dp_${at}`, {
          charge,
          payment_intent: intent,
          status,
          amount: 1_000,
          currency: "usd",
          ...fields,
        }),
      settle: () => kit.settle(page),
      /** What the buyer has of credits, beside the ten of its plan, and of calls. */
      async has() {
        const { credits, calls } = await kit.usage.usageOf(entityId);
        return [(credits?.granted ?? 0) - 10, calls?.granted];
      },
      use: (amount: number) =>
        kit.usage.consume({ entityId, feature: "credits", key: `use ${amount}`, amount }),
    };
  }

  describe("credits that are bought", () => {
    it("are given once, however often and by however many at once", async () => {
      const one = purchase();
      await one.paid();
      expect(await Promise.all([1, 2, 3, 4].map(() => one.settle()))).toEqual(
        Array(4).fill("done"),
      );
      expect(await one.has()).toEqual([30, 7]);
      expect(await one.settle()).toBe("done");
      expect(await one.has()).toEqual([30, 7]);
      expect(await one.use(40)).toEqual({ allowed: true, balance: 0 });
      expect(await one.settle()).toBe("done");
      expect(await one.use(1)).toMatchObject({ allowed: false });
    });

    it("are not given before the bank has paid, nor on another application's page", async () => {
      const slow = purchase();
      await slow.paid({ payment_status: "unpaid" });
      expect(await slow.settle()).toBe("done");
      expect(await slow.has()).toEqual([0, 0]);
      await slow.shown();
      await slow.settle();
      expect(await slow.has()).toEqual([30, 7]);
      const other = purchase({ app: "other" });
      await other.paid();
      expect(await other.settle()).toBe("foreign");
      expect(await other.has()).toEqual([0, 0]);
      expect(await kit.settle("cs_test_none")).toBe("foreign");
    });

    it("wait until it is known what was bought", async () => {
      const one = purchase({ final: false });
      await one.paid();
      expect(await one.settle()).toBe("lines");
      expect(await one.has()).toEqual([0, 0]);
      await one.lines(true, 1);
      expect(await one.settle()).toBe("done");
      expect(await one.has()).toEqual([30, 7]);
    });

    it("stay with the entity that bought them when its customer is deleted", async () => {
      const one = purchase();
      await one.paid();
      await one.settle();
      second += 1_000;
      await kit.store.commit(batch(deleted("customers", `cus_${count}`, second)));
      await one.charged({ amount_refunded: 500 });
      await one.settle();
      expect(await one.has()).toEqual([15, 3]);
    });
  });

  describe("what goes back", () => {
    it("is taken in part, and given again if the refund fails", async () => {
      const one = purchase();
      await one.paid();
      await one.settle();
      const refunded = async (amount_refunded: number) => {
        await one.charged({ amount_refunded });
        await one.settle();
        return one.has();
      };
      expect(await refunded(1)).toEqual([29, 6]);
      expect(await refunded(500)).toEqual([15, 3]);
      expect(await refunded(1_000)).toEqual([0, 0]);
      expect(await refunded(0)).toEqual([30, 7]);
    });

    it("is taken of what is left: what is used or held stays", async () => {
      const one = purchase();
      await one.paid();
      await one.settle();
      const { entityId } = one;
      await one.use(10 + 8); // the plan's go first
      const held = await kit.usage.reserve({ entityId, feature: "credits", key: "h", amount: 5 });
      await one.charged({ amount_refunded: 1_000 });
      await one.settle();
      expect(await kit.usage.usageOf(entityId)).toMatchObject({
        credits: { granted: 10 + 13, used: 18, held: 5, remaining: 0 },
      });
      expect(await one.use(1)).toMatchObject({ allowed: false });
      if (!held.allowed) throw new Error("It was there");
      await kit.usage.finish({ reservationId: held.reservationId, amount: 5 });
      await one.charged();
      await one.settle();
      expect(await kit.usage.usageOf(entityId)).toMatchObject({
        credits: { granted: 10 + 30, used: 23, held: 0, remaining: 17 },
      });
    });

    it("is taken when a dispute is lost, and given again if it is won after all", async () => {
      const one = purchase();
      await one.paid();
      await one.settle();
      const decided = async (status: string) => {
        await one.disputed(status);
        await one.settle();
        return one.has();
      };
      expect(await decided("needs_response")).toEqual([30, 7]);
      expect(await decided("lost")).toEqual([0, 0]);
      expect(await decided("won")).toEqual([30, 7]);
    });

    it("is known when the purchase is learnt of late", async () => {
      const one = purchase();
      await one.lines(true);
      await one.disputed("lost", { amount: 100 });
      await one.charged({ amount_refunded: 250 });
      await one.shown();
      await one.settle();
      expect(await one.has()).toEqual([19, 4]);
    });
  });

  describe("the record that has them set", () => {
    it("is requested by each commit from which another amount may follow", async () => {
      const one = purchase();
      const revision = async () => (await one.record())?.revision ?? 0;
      await one.lines(true);
      await one.shown({ status: "open", payment_status: "unpaid" });
      expect(await revision()).toBe(0);
      await one.shown({ payment_status: "unpaid" });
      expect(await revision()).toBe(0);
      await one.shown();
      expect(await one.record()).toMatchObject({ revision: 1, ref: one.page });
      await one.listed();
      expect(await revision()).toBe(1);
      await one.charged();
      expect(await revision()).toBe(2);
      await one.charged({ amount_refunded: 10 });
      expect(await revision()).toBe(3);
      await one.disputed("lost");
      expect(await one.record()).toMatchObject({ revision: 4, ref: one.page });
    });

    it("knows its page, whichever comes first, also from one commit", async () => {
      const late = purchase();
      await late.charged();
      expect(await late.record()).toMatchObject({ ref: null });
      await late.shown();
      expect(await late.record()).toMatchObject({ ref: late.page, revision: 2 });
      const one = purchase();
      await one.shownTogether();
      expect(await one.record()).toMatchObject({ ref: one.page, revision: 1 });
    });

    it("is not requested for what sells no credits", async () => {
      const one = purchase();
      await one.shown({ metadata: {} });
      await one.charged({ metadata: {} });
      await one.disputed("lost");
      expect(await one.record()).toBeUndefined();
    });

    it("is requested by a dispute whose charge is not known yet", async () => {
      const one = purchase();
      await one.disputed("lost");
      expect(await one.record()).toMatchObject({ ref: null, revision: 1 });
    });
  });
}
