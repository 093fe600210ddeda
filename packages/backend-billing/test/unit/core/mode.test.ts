import { expect, it } from "vitest";
import { BillingError } from "../../../src/core/runtime/errors.js";
import { type Belonging, judgeBelonging } from "../../../src/core/runtime/mode.js";

const of = (livemode: boolean, app?: string): Belonging => ({ livemode, app });

const CASES: readonly (readonly [string, Belonging | undefined, Belonging, string])[] = [
  ["the first use", undefined, of(false), "store"],
  ["the first use, with a name", undefined, of(true, "acme"), "store"],
  ["the same", of(false), of(false), "fits"],
  ["the same, with a name", of(false, "acme"), of(false, "acme"), "fits"],
  ["a name that is given later", of(false), of(false, "acme"), "store"],
  ["no name any more", of(false, "acme"), of(false), "invalid_config"],
  ["another name", of(false, "acme"), of(false, "other"), "invalid_config"],
  ["a name in other letters", of(false, "acme"), of(false, "Acme"), "invalid_config"],
  ["the other mode", of(true), of(false), "livemode_mismatch"],
  ["the other mode with a new name", of(false), of(true, "acme"), "livemode_mismatch"],
  ["the other mode and another name", of(false, "acme"), of(true, "other"), "livemode_mismatch"],
];

it.each(CASES)("judges %s", (_, stored, own, expected) => {
  const answer = () => {
    try {
      return judgeBelonging(stored, own);
    } catch (error) {
      if (error instanceof BillingError) return error.code;
      throw error;
    }
  };
  expect(answer()).toBe(expected);
});
