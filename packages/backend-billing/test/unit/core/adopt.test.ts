// Whether a customer that exists may become an entity's, as tables.
import { describe, expect, it } from "vitest";
import {
  type Found,
  judgeByStripe,
  judgeByTables,
  type Standing,
} from "../../../src/core/customers/adopt/judge.js";
import { freed, leased, linkedTo, opened } from "../../../src/core/customers/claim/claim.js";
import { TIMING } from "../../../src/core/runtime/config.js";

const NOW = 1_800_000_000_000;
const pair = { entityId: "user_1", customerId: "cus_1" };
const open = opened(undefined, {
  entityId: "user_1",
  account: null,
  livemode: false,
  counter: 1,
  key: "key-1",
  params: null,
});
const said = (verdict: ReturnType<typeof judgeByTables>): string =>
  verdict === undefined ? "ask" : verdict.act === "refuse" ? verdict.code : verdict.act;

describe("by the tables", () => {
  const none: Standing = { claim: undefined, isTaken: false, metadata: undefined };
  const linked = linkedTo(open, "cus_1");
  const cases: [string, Partial<Standing>, string][] = [
    ["nothing is known", {}, "ask"],
    ["the entity's claim is free", { claim: freed(linked) }, "ask"],
    ["another entity has the customer", { isTaken: true }, "already_linked"],
    [
      "another entity has it, and the claim is free",
      { claim: freed(linked), isTaken: true },
      "already_linked",
    ],
    ["the entity has another customer", { claim: linkedTo(open, "cus_2") }, "already_linked"],
    ["a customer is being made for it", { claim: leased(open, NOW, TIMING) }, "already_linked"],
    ["what was made is not clear", { claim: { ...open, state: "uncertain" } }, "already_linked"],
    ["it is linked, and not in the mirror", { claim: linked }, "ask"],
    ["it is linked, and not marked", { claim: linked, metadata: {} }, "ask"],
    ["it is linked and marked", { claim: linked, metadata: { entityId: "user_1" } }, "done"],
  ];
  it.each(cases)("%s", (_, standing, verdict) => {
    expect(said(judgeByTables(pair, { ...none, ...standing }, undefined))).toBe(verdict);
  });

  it("a mark without the application's name is not enough", () => {
    const standing = { ...none, claim: linked, metadata: { entityId: "user_1" } };
    expect(said(judgeByTables(pair, standing, "shop"))).toBe("ask");
  });
});

describe("by what Stripe has", () => {
  const live = (metadata: { [key: string]: string }): Found => ({ is: "live", metadata });
  const many = (keys: number) =>
    Object.fromEntries(Array.from({ length: keys }, (_, n) => [`key_${n}`, "x"]));
  const cases: [string, Found, string | undefined, string, string][] = [
    ["no such customer", { is: "missing" }, undefined, "customer_not_found", "customer_not_found"],
    ["a deleted one", { is: "deleted" }, undefined, "customer_not_found", "customer_not_found"],
    ["of the other mode", { is: "elsewhere" }, undefined, "livemode_mismatch", "livemode_mismatch"],
    ["nothing in its metadata", live({ plan: "pro" }), undefined, "link", "mark"],
    ["empty marks", live({ entityId: "", billingApp: "" }), "shop", "link", "mark"],
    ["this entity", live({ entityId: "user_1" }), undefined, "link", "done"],
    ["this entity, without the name", live({ entityId: "user_1" }), "shop", "link", "mark"],
    [
      "this entity, with the name",
      live({ entityId: "user_1", billingApp: "shop" }),
      "shop",
      "link",
      "done",
    ],
    ["another entity", live({ entityId: "user_2" }), undefined, "already_linked", "done"],
    [
      "another entity, without the name",
      live({ entityId: "user_2" }),
      "shop",
      "already_linked",
      "done",
    ],
    [
      "another application's",
      live({ entityId: "user_1", billingApp: "club" }),
      "shop",
      "already_linked",
      "done",
    ],
    [
      "an application's, where this has no name",
      live({ billingApp: "club" }),
      undefined,
      "already_linked",
      "done",
    ],
    ["room for two keys", live(many(48)), "shop", "link", "mark"],
    ["no room for marks", live(many(49)), undefined, "invalid_argument", "mark"],
  ];
  it.each(cases)("%s", (_, found, app, first, linked) => {
    expect(said(judgeByStripe(pair, found, app, false))).toBe(first);
    expect(said(judgeByStripe(pair, found, app, true))).toBe(linked);
  });
});
