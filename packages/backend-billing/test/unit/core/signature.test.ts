// The signature's header, judged before the body is read.
import { describe, expect, it } from "vitest";
import { judgeHeader } from "../../../src/core/events/signature.js";

const NOW = 1_800_000_000_000;
const T = NOW / 1000;
const v1 = `v1=${"0a".repeat(32)}`;

describe("a header", () => {
  it.each([
    ["of this second", `t=${T},${v1}`, 0],
    ["with other schemes", `t=${T},v0=x,${v1},v1=${"1".repeat(64)}`, 0],
    ["as old as it may be", `t=${T - 300},${v1}`, 300],
    ["from the future, which only this machine's clock explains", `t=${T + 86_400},${v1}`, -86_400],
  ])("%s may be Stripe's", (_, text, age) => {
    expect(judgeHeader(text, NOW)).toEqual({ text, age });
  });

  it.each([
    ["that is missing", null, /missing/],
    ["that is empty", "", /missing/],
    ["without a time", v1, /`t`/],
    ["with a time that is no number", `t=now,${v1}`, /`t`/],
    ["with a new time before the signed one", `t=${T},t=${T - 3600},${v1}`, /`t`/],
    ["with a new time after the signed one", `t=${T - 3600},${v1}, t=${T}`, /`t`/],
    ["without a signature", `t=${T}`, /`v1`/],
    ["with a signature of another scheme", `t=${T},v0=${"0".repeat(64)}`, /`v1`/],
    ["with half a signature", `t=${T},v1=00`, /`v1`/],
  ])("%s is refused", (_, text, message) => {
    const judged = judgeHeader(text, NOW);
    expect(judged).toEqual({ problem: { message: expect.stringMatching(message) } });
  });

  it("of an hour ago is refused by its time, and the clock is named with how far it is off", () => {
    const judged = judgeHeader(`t=${T - 3600},${v1}`, NOW);
    expect(judged).toEqual({
      problem: { age: 3600, message: expect.stringMatching(/3600 seconds .*clock .*ahead/) },
    });
  });
});
