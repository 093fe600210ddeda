// Two servers take from one balance, and the clock of one of them is behind.
import { expect, it } from "vitest";
import { catalogue } from "../../../../../../support/usage/world.js";
import { allowanceOf } from "../../../../src/core/usage/allowance.js";
import { settle } from "../../../../src/core/usage/settle.js";
import { take } from "../../../../src/core/usage/take.js";
import { EMPTY, type Wallet } from "../../../../src/core/usage/wallet.js";

const END = Date.UTC(2026, 1, 1);
/** As it is read again: without what is closed. */
const settled = (wallet: Wallet, now: number): Wallet =>
  settle(
    { ...wallet, grants: wallet.grants.filter(({ closed }) => !closed) },
    allowanceOf(catalogue, "credits", [], now),
    { now, basis: "" },
  );

it("a share that was taken is not given again by a clock that is behind", () => {
  const before = take(settled(EMPTY, END - 1_000), 10, true)?.wallet ?? EMPTY;
  const after = settled(before, END + 5);
  expect(after.balance).toMatchObject({ granted: 10, used: 0 });
  expect(settled(after, END - 5).balance).toMatchObject({ granted: 10, used: 10 });
  expect(settled(settled(after, END - 5), END + 6).balance).toMatchObject({ granted: 10, used: 0 });
});

it("a grant is closed when it has been over for a day", () => {
  const before = settled(EMPTY, END - 1_000);
  const grantsAt = (now: number) => settled(before, now).grants.map(({ closed }) => closed);
  expect(grantsAt(END + 86_400_000 - 1)).toEqual([false, false]);
  expect(grantsAt(END + 86_400_000)).toEqual([true, false]);
});
