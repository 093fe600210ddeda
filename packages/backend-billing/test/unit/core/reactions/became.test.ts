// What is stored as a change is told, and what is left of it: what follows is stored once.
import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../../src/core/reactions/delivery.js";
import { afterTelling, beforeTelling } from "../../../../src/core/reactions/telling/became.js";
import type { Tellings } from "../../../../src/core/reactions/telling/context.js";

const own = { kind: "access", id: "user_1", expect: 1, next: null } as const;
const write = { kind: "access", id: "user_1", expect: 0, next: null } as const;
const request = { kind: "notice", id: "sub_1", due: 1, data: {} } as const;
const [first, second] = ["subscription.started", "change subscriptions"].map((name) => ({
  name,
  to: name,
  payload: {},
  writes: [own],
}));
const tellings = { all: [first, second], writes: [write], requests: [request] } as Tellings;
const change = {
  resource: "subscriptions",
  id: "sub_1",
  key: "k",
  at: 1,
  before: null,
  after: null,
} as unknown as Delivery;

describe("what follows from a change", () => {
  it("is stored with the last telling", () => {
    const { left, ...one } = afterTelling(change, tellings, first);
    expect(one).toEqual({ writes: [own], requests: [] });
    const two = afterTelling(left as Delivery, tellings, second);
    expect(two).toEqual({ left: null, writes: [own, write], requests: [request] });
  });

  it("is stored before anything is told where that has failed once, and not again", () => {
    const tried = { ...change, attempts: 1, since: 5, last: 5 };
    expect(beforeTelling(tried, tellings)).toBeUndefined();
    const before = beforeTelling({ ...tried, attempts: 2 }, tellings);
    expect(before).toMatchObject({ writes: [write], requests: [request] });
    const followed = before?.left as Delivery;
    expect(followed).toEqual({ ...change, since: 5, last: 5, followed: true });
    expect(beforeTelling({ ...followed, attempts: 2 }, tellings)).toBeUndefined();
    const done = { ...followed, done: [first?.name ?? ""] };
    expect(afterTelling(done, tellings, second)).toEqual({
      left: null,
      writes: [own],
      requests: [],
    });
  });

  it("is stored at once where nothing is told, and nothing is where nothing follows", () => {
    const silent = { ...tellings, all: [] };
    expect(beforeTelling({ ...change, attempts: 2 }, silent)).toBeUndefined();
    expect(afterTelling(change, silent, undefined)).toMatchObject({ left: null, writes: [write] });
    const none = { ...tellings, writes: [], requests: [] };
    expect(beforeTelling({ ...change, attempts: 2 }, none)).toBeUndefined();
  });
});
