import { expect, it } from "vitest";
import { BillingError } from "../../../src/core/runtime/errors.js";
import { AGAIN, inRounds, MOST_ROUNDS } from "../../../src/core/runtime/rounds.js";

it("an attempt that is overtaken is made again", async () => {
  let left = 3;
  expect(await inRounds("It", async () => (left-- > 0 ? AGAIN : "done"))).toBe("done");
});

it("an attempt that is always overtaken ends with an error that says what to do", async () => {
  let attempts = 0;
  const ended = await inRounds("The claim", async () => {
    attempts++;
    return AGAIN;
  }).catch((error: unknown) => error);
  expect(attempts).toBe(MOST_ROUNDS);
  expect(ended).toBeInstanceOf(BillingError);
  expect(ended).toMatchObject({ code: "store_error" });
  expect((ended as BillingError).message).toMatch(/^The claim was changed 100 times.*Try again/);
});
