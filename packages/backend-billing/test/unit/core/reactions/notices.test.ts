// When the end of a trial is announced: by the row as it is when the notice is due, and once.
import { describe, expect, it } from "vitest";
import { AHEAD } from "../../../../src/core/mirror/changes.js";
import type { StoredRecord } from "../../../../src/core/mirror/store.js";
import { noticeWrites } from "../../../../src/core/reactions/telling/notices.js";

const DAY = 86_400_000;
const START = 1_768_471_200;
const END = START + 14 * 86_400;
const dueAt = END * 1000 - 3 * DAY;

const trialing = (end = END) => ({ status: "trialing", trial_start: START, trial_end: end });
const notice = (data: object): StoredRecord => ({
  kind: "notice",
  id: "sub_1",
  revision: 4,
  ref: null,
  due: dueAt,
  data: { ...data },
});

const outcome = (record: StoredRecord, row: object | null, now: number) =>
  noticeWrites(record, row, now, "draw").map(({ kind, next }) =>
    next === null ? `${kind} removed` : `${kind} due ${next.due}`,
  );

describe("a notice that is due", () => {
  it("is raised, and stays until the trial is over", () => {
    expect(outcome(notice({ dueAt }), trialing(), dueAt)).toEqual([
      `notice due ${END * 1000}`,
      `change due ${dueAt - AHEAD}`,
    ]);
  });

  it("is not raised twice in the same window", () => {
    const raised = notice({ dueAt, raisedAt: dueAt });
    expect(outcome(raised, trialing(), dueAt + DAY)).toEqual([`notice due ${END * 1000}`]);
  });

  it("is not raised again where the trial is made shorter, or longer by less than it has left", () => {
    const raised = notice({ dueAt, raisedAt: dueAt + DAY });
    for (const moved of [-86_400, 86_400]) {
      const end = END + moved;
      expect(outcome(raised, trialing(end), dueAt + DAY)).toEqual([`notice due ${end * 1000}`]);
    }
  });

  it("moves with the trial, and is raised again for a later end", () => {
    const longer = trialing(END + 7 * 86_400);
    const raised = notice({ dueAt, raisedAt: dueAt });
    expect(outcome(raised, longer, dueAt + DAY)).toEqual([`notice due ${dueAt + 7 * DAY}`]);
    expect(outcome(raised, longer, dueAt + 7 * DAY)).toEqual([
      `notice due ${END * 1000 + 7 * DAY}`,
      `change due ${dueAt + 7 * DAY - AHEAD}`,
    ]);
  });

  it("goes with the trial", () => {
    expect(outcome(notice({ dueAt }), { status: "active" }, dueAt)).toEqual(["notice removed"]);
    expect(outcome(notice({ dueAt }), null, dueAt)).toEqual(["notice removed"]);
    expect(outcome(notice({ dueAt }), trialing(), END * 1000)).toEqual(["notice removed"]);
  });
});
