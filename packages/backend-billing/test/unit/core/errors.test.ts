// What an error says beside its code: a status, whether people may see it, and how it is read again.
import { describe, expect, it } from "vitest";
import { BillingError, type BillingErrorCode } from "../../../src/core/runtime/errors.js";
import { billingErrorOf } from "../../../src/index.js";

/** As Convex makes it, in a browser too: the data is what is left of the library's error. */
class Received extends Error {
  override readonly name: string;
  constructor(
    name: string,
    readonly data: unknown,
  ) {
    super(JSON.stringify(data));
    this.name = name;
  }
}

describe("an error", () => {
  it.each<[BillingErrorCode, number, boolean]>([
    ["customer_not_found", 404, true],
    ["invalid_argument", 400, true],
    ["not_subscribed", 404, true],
    ["payment_failed", 402, true],
    ["quote_expired", 409, true],
    ["schedule_not_ours", 409, false],
    ["provider_error", 502, false],
    ["invalid_config", 500, false],
    ["store_error", 500, false],
  ])("%s is answered with %i, and people see it: %s", (code, status, expose) => {
    expect(new BillingError(code, "what to do")).toMatchObject({ status, expose });
  });

  it("is read where it was thrown and where it arrives", () => {
    const said = { code: "payment_failed", message: "Another card." } as const;
    expect(billingErrorOf(new BillingError(said.code, said.message))).toEqual(said);
    expect(billingErrorOf(new Received("ConvexError", said))).toEqual(said);
  });

  it.each([
    ["of nobody's code", new Received("ConvexError", { code: "other", message: "" })],
    ["of an object's own field", new Received("ConvexError", { code: "toString", message: "" })],
    ["of another class", Object.assign(new Error("no"), { code: "payment_failed" })],
    ["with text for its data", new Received("ConvexError", "payment_failed")],
    ["that is none", { name: "BillingError", code: "payment_failed", message: "" }],
    ["that is nothing", undefined],
  ])("%s is not the library's", (_, error) => {
    expect(billingErrorOf(error)).toBeUndefined();
  });
});
