// Arguments that types rule out, and that a browser may send all the same.
import { describe, expect, it } from "vitest";
import { isStripeId } from "../../../src/core/catalogue/stripe-id.js";
import { checkSetup } from "../../../src/core/customers/setup.js";
import { readEvent } from "../../../src/core/mirror/snapshot.js";
import type { LocalReads } from "../../../src/core/mirror/store.js";
import { purchaseReads } from "../../../src/core/purchases/reads.js";
import {
  argsOf,
  checkText,
  checkTime,
  optionsOf,
  shown,
} from "../../../src/core/runtime/arguments.js";
import type { Runtime } from "../../../src/core/runtime/runtime.js";
import { checkedReads } from "../../../src/core/subscriptions/checked-reads.js";
import { reconcile, sync, verify } from "../../../src/core/sync/sync.js";
import { tick } from "../../../src/core/tick.js";
import { addCronJobs, type BossLike } from "../../../src/pg-boss/crons.js";

/** Nothing of it is used by what is refused. */
const nothing = {} as Runtime & BossLike & LocalReads;
const refused = expect.objectContaining({ code: "invalid_argument" });
const caught = (call: () => unknown): unknown => {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe("arguments", () => {
  it.each([undefined, null, "text", 7, [], true])("%j are none", (given) => {
    expect(caught(() => argsOf("setup", given as never))).toEqual(refused);
  });

  it("may leave options out, and may not give null for them", () => {
    expect(optionsOf("options", undefined)).toBeUndefined();
    expect(caught(() => optionsOf("options", null as never))).toEqual(refused);
  });

  it.each(["", "a\u0000b", "\ud800", 7, { toString: 1 }])("%j is no text to store", (given) => {
    expect(caught(() => checkText("key", given))).toEqual(refused);
  });

  it("have an email that is a text, or none", () => {
    expect(caught(() => checkSetup({ entityId: "user_1", email: 10n as never }))).toEqual(refused);
    expect(caught(() => checkSetup({ entityId: "user_1", email: undefined }))).toBeUndefined();
  });

  it("are read by their names: nothing else that a purchase is named with is asked for", async () => {
    const asked: unknown[] = [];
    const { purchaseBy } = purchaseReads({
      purchased: async (by) => {
        asked.push(by);
        return [];
      },
    });
    await purchaseBy({ referenceId: "order_7", entityId: "user_2" } as never);
    await purchaseBy({ sessionId: "cs_1", limit: "many" } as never);
    expect(asked).toEqual([{ referenceId: "order_7" }, { sessionId: "cs_1" }]);
  });

  it.each([1.5, "1", {}, Number.NaN])("%j is no time", (given) => {
    expect(caught(() => checkTime("expiresAt", given))).toEqual(refused);
  });

  it.each([
    null,
    { portal: null },
    { portal: "yes" },
    { portal: { name: 10n } },
    { portal: { features: new Date(Number.NaN) } },
  ])("%o are none of `sync`", async (given) => {
    await expect(sync(nothing, given as never)).rejects.toEqual(refused);
  });

  it.each([null, 7, "all"])("%j is none of `verify` and `reconcile`", async (given) => {
    await expect(verify(nothing, given as never)).rejects.toEqual(refused);
    await expect(reconcile(nothing, given as never)).rejects.toEqual(refused);
  });

  it.each([null, 7, { budget: null }, { budget: Number.NaN }, { budget: -1 }, { budget: 10n }])(
    "%o are none of `tick`, which would never be done",
    async (given) => {
      await expect(tick(nothing, given as never)).rejects.toEqual(refused);
    },
  );

  it.each([null, "daily"])("%j are no options of `addCronJobs`", async (given) => {
    const adding = addCronJobs(nothing, nothing, "billing", given as never);
    await expect(adding).rejects.toEqual(refused);
  });

  it.each(["today", Number.NaN, 1e308, {}])("%j is no time of `revenue`", async (given) => {
    await expect(checkedReads(nothing).revenue(given as never)).rejects.toEqual(refused);
  });

  it("are shown in a message whatever they are", () => {
    expect(["a", 1.5, { toString: 1 }, null].map(shown)).toEqual(["a", "1.5", "object", "object"]);
  });
});

describe("an id of Stripe's", () => {
  it.each(["cus_NffrFeUfNV2Hib", "gold plan", "price:1", "a.b", "gold-50%", "a?b", "#1"])(
    "may be %j",
    (id) => {
      expect(isStripeId(id)).toBe(true);
    },
  );

  it.each(["", ".", "..", "../x", "a/b", "a\\b", "search", "a\u0000", "x".repeat(256), 7])(
    "may not be %j, which would lead elsewhere",
    (id) => {
      expect(isStripeId(id)).toBe(false);
    },
  );
});

describe("what is no event", () => {
  const event = {
    id: "evt_1",
    object: "event",
    type: "customer.updated",
    created: 1,
    livemode: false,
  };
  it.each([
    [
      "a time that is no whole second",
      { ...event, created: 1.5, data: { object: { id: "cus_1" } } },
    ],
    ["an object whose id is no text", { ...event, data: { object: { id: { a: 1 } } } }],
    ["an object whose id is a number", { ...event, data: { object: { id: 17 } } }],
    ["an object whose id is another path", { ...event, data: { object: { id: "search" } } }],
    ["an object without the id that it has", { ...event, data: { object: { id: "" } } }],
    ["an id with NUL", { ...event, id: "evt\u0000", data: { object: {} } }],
    ["an id with half a pair", { ...event, id: "evt\udfff", data: { object: {} } }],
    [
      "a time that no text can be made of",
      { ...event, object: "v2.core.event", created: { toString: 1, valueOf: 1 } },
    ],
  ])("has %s", (_, body) => {
    expect(readEvent(body)).toBeUndefined();
  });
});
