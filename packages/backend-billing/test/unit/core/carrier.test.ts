import { describe, expect, it } from "vitest";
import { entityInMetadata, isAppName, isEntityId } from "../../../src/core/catalogue/carrier.js";

describe("an entity's id", () => {
  it.each([
    ["a plain one", "user_1"],
    ["500 characters", "x".repeat(500)],
    ["characters outside the basic plane", "💥".repeat(250)],
    ["quotes, backslashes and spaces", " a'\\b "],
    ["a name of an object's own", "__proto__"],
  ])("may be %s", (_, value) => {
    expect(isEntityId(value)).toBe(true);
  });

  it.each([
    ["empty", ""],
    ["501 characters", "x".repeat(501)],
    ["a number", 42],
    ["an object", { a: 1 }],
    ["a list", ["a"]],
    ["null", null],
    ["undefined", undefined],
    ["with NUL", "a\u0000b"],
    ["with the separator of claims", "acct_1\u001fuser_1"],
    ["with a line break", "a\nb"],
    ["with the first half of a pair", "a\ud800"],
    ["with the first half of a pair before another character", "\ud800a"],
    ["with the second half of a pair", "\udc00a"],
    ["with the halves the wrong way round", "\udc00\ud800"],
  ])("is not %s", (_, value) => {
    expect(isEntityId(value)).toBe(false);
  });
});

describe("an application's name", () => {
  it.each(["a", "acme", "acme-shop", "Acme.Shop_2", "x".repeat(40)])("may be %s", (name) => {
    expect(isAppName(name)).toBe(true);
  });

  it.each(["", "-a", "a-", "a b", "a:b", "é", "x".repeat(41), "a\n", 5, null, undefined])(
    "is not %j",
    (name) => {
      expect(isAppName(name)).toBe(false);
    },
  );
});

describe("what a customer carries", () => {
  const entityId = "user_1";
  it.each([
    ["no metadata", undefined, "acme", { is: "none" }],
    ["metadata that is a text", "entityId", "acme", { is: "none" }],
    ["no entity", { billingApp: "acme" }, "acme", { is: "none" }],
    ["an entity that was taken out", { entityId: "" }, undefined, { is: "none" }],
    [
      "an entity of nobody's, where the application has no name",
      { entityId },
      undefined,
      { is: "ours", entityId },
    ],
    ["an entity of its own", { entityId, billingApp: "acme" }, "acme", { is: "ours", entityId }],
    [
      "another application's",
      { entityId, billingApp: "other" },
      "acme",
      { is: "foreign", entityId, app: "other" },
    ],
    [
      "another application's, where this one has no name",
      { entityId, billingApp: "other" },
      undefined,
      { is: "foreign", entityId, app: "other" },
    ],
    [
      "an entity without a name, where the application has one",
      { entityId },
      "acme",
      { is: "foreign", entityId, app: null },
    ],
    [
      "a name that is none",
      { entityId, billingApp: { a: 1 } },
      undefined,
      { is: "foreign", entityId, app: null },
    ],
    [
      "a name in another case",
      { entityId, billingApp: "Acme" },
      "acme",
      { is: "foreign", entityId, app: "Acme" },
    ],
    ["an entity that is an object", { entityId: { a: 1 } }, undefined, { is: "malformed" }],
    ["an entity with NUL", { entityId: "a\u0000" }, "acme", { is: "malformed" }],
    ["an inherited entity", Object.create({ entityId }), undefined, { is: "none" }],
  ] as const)("%s", (_, metadata, app, carried) => {
    expect(entityInMetadata(metadata, app)).toEqual(carried);
  });
});
