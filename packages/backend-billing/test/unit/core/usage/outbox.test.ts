// Usage on its way to a meter: which records make a batch, its minute, and what answers mean.
import { describe, expect, it } from "vitest";
import type { MeterBatch, Outbox } from "../../../../src/core/runtime/records/batches.js";
import { gathered, type OutboxFound } from "../../../../src/core/usage/outbox/batch.js";
import { freeMinute, withMinute } from "../../../../src/core/usage/outbox/minutes.js";
import { billedSpan, type Subscription } from "../../../../src/core/usage/outbox/period.js";
import {
  askedAt,
  isLate,
  problemBySum,
  stepOf,
  verdictOf,
} from "../../../../src/core/usage/outbox/verdict.js";

const at = (text: string): number => Date.parse(`2026-${text}Z`);
const minute = (text: string): number => at(text) / 60_000;
const HOUR = 3_600_000;

interface Terms {
  readonly from: string;
  readonly until: string;
  readonly start?: string;
  readonly ended?: string;
  readonly metered?: boolean;
}

const subscription = ({ from, until, start = from, ended, metered = true }: Terms) =>
  ({
    id: "sub_1",
    start_date: at(start) / 1000,
    ended_at: ended === undefined ? null : at(ended) / 1000,
    billing_cycle_anchor: at(start) / 1000,
    items: {
      data: [
        {
          current_period_start: at(from) / 1000,
          current_period_end: at(until) / 1000,
          price: {
            recurring: {
              interval: "month",
              interval_count: 1,
              usage_type: metered ? "metered" : "licensed",
            },
          },
        },
      ],
    },
  }) as unknown as Subscription;

const MONTH = { from: "03-10T08:00:30", until: "04-10T08:00:30", start: "02-10T08:00:30" };

describe("the period that usage is billed with", () => {
  const spanAt = (text: string, ...all: readonly Terms[]) => {
    const { from, until, closesAt } = billedSpan(all.map(subscription), at(text));
    return [from, until, closesAt].map((each) =>
      each === null || !Number.isSafeInteger(each) || Math.abs(each) > 8.64e15
        ? null
        : new Date(each).toISOString().slice(5, 19),
    );
  };

  it.each([
    [
      "within it",
      "03-20T00:00:00",
      [MONTH],
      ["03-10T08:00:30", "04-10T08:00:30", "04-10T08:00:30"],
    ],
    [
      "before the renewal",
      "03-10T08:00:29",
      [MONTH],
      ["02-10T08:00:30", "03-10T08:00:30", "03-10T08:00:30"],
    ],
    [
      "after its end",
      "04-10T08:00:30",
      [MONTH],
      ["04-10T08:00:30", "05-10T08:00:30", "05-10T08:00:30"],
    ],
    ["before it began", "02-01T00:00:00", [MONTH], [null, "02-10T08:00:30", null]],
    [
      "of one that has ended",
      "03-11T00:00:00",
      [{ ...MONTH, ended: "03-12T01:00:00" }],
      ["03-10T08:00:30", "03-12T01:00:00", "03-12T01:00:00"],
    ],
    [
      "after one has ended",
      "03-13T00:00:00",
      [{ ...MONTH, ended: "03-12T01:00:00" }],
      ["03-12T01:00:00", null, null],
    ],
    ["without any", "03-13T00:00:00", [], [null, null, null]],
    [
      "beside one that is not billed by usage",
      "03-20T00:00:00",
      [MONTH, { from: "03-15T00:00:00", until: "04-01T00:00:00", metered: false }],
      ["03-10T08:00:30", "04-10T08:00:30", "04-10T08:00:30"],
    ],
  ])("%s", (_, text, all, expected) => {
    expect(spanAt(text, ...all)).toEqual(expected);
  });
});

describe("a minute of its own", () => {
  const period = { from: at("03-10T08:00:30"), until: at("03-20T00:00:30") };
  const free = (used: readonly string[], text: string, now: string) => {
    const taken = used.reduce((all, each) => withMinute(all, minute(each), at(now)), {});
    const found = freeMinute(taken, period, at(text), at(now));
    return found && new Date(found * 60_000).toISOString().slice(5, 16);
  };

  it.each([
    ["is that of the usage", [], "03-12T10:05:20", "03-12T10:05:25", "03-12T10:05"],
    [
      "is the next one, if that is used",
      ["03-12T10:05:00"],
      "03-12T10:05:50",
      "03-12T10:07:00",
      "03-12T10:06",
    ],
    [
      "is one before, if the next is to come",
      ["03-12T10:05:00"],
      "03-12T10:05:50",
      "03-12T10:05:55",
      "03-12T10:04",
    ],
    ["is whole within the period", [], "03-10T08:00:40", "03-10T08:05:00", "03-10T08:01"],
    ["stays in its day", ["03-12T23:59:00"], "03-12T23:59:50", "03-13T00:10:00", "03-12T23:58"],
    [
      "is of the day before, if its own has no whole one",
      [],
      "03-20T00:00:10",
      "03-20T00:10:00",
      "03-19T23:59",
    ],
    [
      "is the next one to come, if there is no other",
      [],
      "03-10T08:00:40",
      "03-10T08:00:45",
      "03-10T08:01",
    ],
    ["waits, if there is none", ["03-10T08:01:00"], "03-10T08:00:40", "03-10T08:00:45", undefined],
  ])("%s", (_, used, text, now, expected) => {
    expect(free(used, text, now)).toBe(expected);
  });

  it("is given once, and a day is told in few ranges", () => {
    const now = at("03-15T00:00:00");
    let used = {};
    const given = new Set<number>();
    for (let count = 0; count < 1_440; count++) {
      const moment = at("03-12T00:00:00") + ((count * 7_919) % 1_440) * 60_000;
      const found = freeMinute(used, period, moment, now);
      if (found === undefined) throw new Error("There is none");
      expect(given.has(found)).toBe(false);
      given.add(found);
      used = withMinute(used, found, now);
      for (const ranges of Object.values(used)) expect((ranges as []).length).toBeLessThan(5);
    }
  });
});

describe("a batch", () => {
  const now = at("03-12T10:06:00");
  const unsent = (text: string, over = 1) => ({ key: text, over, at: at(text) });
  const found: OutboxFound = {
    customerId: "cus_1",
    subscriptions: [subscription(MONTH)],
    isOpen: false,
    outbox: undefined,
    unsent: [unsent("03-12T10:05:01", 3), unsent("03-12T10:05:02", 4)],
    hasMore: false,
  };
  const gather = (other: Partial<OutboxFound>, time = now) =>
    gathered(
      { ...found, ...other },
      { entityId: "org_1", feature: "calls", meter: "api", now: time },
    );

  it("is all that is unsent", () => {
    expect(gather({})).toEqual({
      outbox: {
        nextAt: now + 60_000,
        used: {
          [Math.floor(now / 86_400_000)]: [[minute("03-12T10:05:00"), minute("03-12T10:05:00")]],
        },
      },
      batch: {
        entityId: "org_1",
        feature: "calls",
        customerId: "cus_1",
        meter: "api",
        value: 7,
        timestamp: at("03-12T10:05:01") / 1000, // what bills it may have begun within the minute
        closesAt: at("04-10T08:00:30"),
        firstAt: now,
        tries: 0,
      },
      keys: ["03-12T10:05:01", "03-12T10:05:02"],
    });
  });

  it.each([
    ["one day", [unsent("03-11T23:59:59"), unsent("03-12T00:00:00")], 1],
    ["one period", [unsent("03-10T08:00:29"), unsent("03-10T08:00:30")], 1],
    ["15 digits", [unsent("03-12T10:05:01", 9e14), unsent("03-12T10:05:02", 1e14)], 1],
    ["at least one", [unsent("03-12T10:05:01", 5e15)], 1],
  ])("is of %s; the rest follows at once", (_, all, count) => {
    const next = gather({ unsent: all });
    expect(next?.keys).toEqual(all.slice(0, count).map(({ key }) => key));
    expect(next?.outbox.nextAt).toBe(count < all.length ? now : now + 60_000);
  });

  it.each([
    ["there is nothing", { unsent: [] }],
    ["there is no customer", { customerId: undefined }],
    ["another one is under way", { isOpen: true }],
    ["another one was made just now", { outbox: { nextAt: now + 1, used: {} } }],
  ])("is not made while %s", (_, other) => {
    expect(gather(other)).toBeUndefined();
  });

  it("is stamped with its minute where that is another than that of its usage", () => {
    const used = withMinute({}, minute("03-12T10:05:00"), now);
    const next = gather({ outbox: { used, nextAt: 0 } });
    expect(next?.batch?.timestamp).toBe(at("03-12T10:06:00") / 1000);
  });

  it("is made at once where it is urgent, and shares a minute where none is free", () => {
    const time = at("03-10T08:00:50");
    const used = withMinute({}, minute("03-10T08:01:00"), time);
    const next = gathered(
      {
        ...found,
        unsent: [unsent("03-10T08:00:40")],
        subscriptions: [subscription({ ...MONTH, start: MONTH.from })],
        outbox: { used, nextAt: time + 1 },
      },
      { entityId: "org_1", feature: "calls", meter: "api", now: time, isUrgent: true },
    );
    expect(next?.batch).toMatchObject({
      timestamp: at("03-10T08:00:40") / 1000,
      isShared: true,
    });
  });

  it("waits where no minute is free", () => {
    const time = at("03-10T08:00:50");
    const all = [unsent("03-10T08:00:40")];
    const subscriptions = [subscription({ ...MONTH, start: MONTH.from })];
    const used = withMinute({}, minute("03-10T08:01:00"), time);
    const next = gather({ unsent: all, subscriptions, outbox: { used, nextAt: 0 } }, time);
    expect(next).toEqual({
      outbox: { used, nextAt: time + 60_000 },
      batch: undefined,
      keys: [],
    });
  });
});

describe("a period that is over and has no minute for a batch", () => {
  const SHORT = { ...MONTH, from: "03-10T08:00:30", start: "03-10T08:00:30" };
  const usedBy = (minutes: readonly string[]) =>
    minutes.reduce<Outbox["used"]>((all, each) => withMinute(all, minute(each), at(each)), {});
  const next = (ended: string, used: readonly string[], now: string) =>
    gathered(
      {
        customerId: "cus_1",
        subscriptions: [subscription({ ...SHORT, ended })],
        isOpen: false,
        outbox: {
          used: usedBy(used),
          nextAt: 0,
        },
        unsent: [{ key: "a", over: 3, at: at("03-10T08:00:45") + 500 }],
        hasMore: false,
      },
      { entityId: "org_1", feature: "calls", meter: "api", now: at(now) },
    );

  it.each([
    ["is shorter than a minute", "03-10T08:00:50", []],
    ["had more batches than minutes", "03-10T08:02:10", ["03-10T08:01:00"]],
  ])("which %s sends it at its own time, and lets no sum decide", (_, ended, used) => {
    const { batch, keys, outbox } = next(ended, used, "03-10T08:05:00") ?? {};
    expect(outbox?.used).toEqual(usedBy([...used, "03-10T08:00:00"])); // it is no other's own
    expect(keys).toEqual(["a"]);
    expect(batch).toMatchObject({
      value: 3,
      timestamp: at("03-10T08:00:45") / 1000,
      isShared: true,
    });
  });

  it("shares none while one is free", () => {
    const { batch } = next("03-10T08:02:10", [], "03-10T08:05:00") ?? {};
    expect(batch).toMatchObject({ timestamp: at("03-10T08:01:00") / 1000 });
    expect(batch).not.toHaveProperty("isShared");
  });
});

describe("an answer", () => {
  it.each([
    ["500", { statusCode: 500 }, "unknown"],
    ["a lost one", {}, "unknown"],
    ["429", { statusCode: 429 }, "unknown"],
    ["a lock", { statusCode: 409 }, "unknown"],
    ["a key that was revoked", { statusCode: 401 }, "unknown"],
    ["a key without the permission", { statusCode: 403 }, "unknown"],
    ["a clock that is ahead", { statusCode: 400, code: "timestamp_in_future" }, "unknown"],
    [
      "a known identifier",
      { statusCode: 400, message: "An event already exists with identifier b1." },
      "sent",
    ],
    ["a missing meter", { statusCode: 400, code: "no_meter" }, "refused"],
    ["a missing route", { statusCode: 404 }, "refused"],
  ])("%s", (_, answer, is) => {
    expect(verdictOf(answer).is).toBe(is);
  });

  const batch = { firstAt: 0, value: 5, closesAt: 30 * HOUR } as MeterBatch;

  it.each([
    [0, "send"],
    [20 * HOUR - 1, "send"],
    [20 * HOUR, "wait"],
    [21 * HOUR, "ask"],
  ])("that is missing for %i milliseconds", (age, step) => {
    expect(stepOf(batch, age)).toBe(step);
    expect(askedAt(batch)).toBe(21 * HOUR);
  });

  it.each([
    [5, undefined],
    [0, "missing"],
    [4, "unclear"],
    [10, "unclear"],
  ])("by the sum %i", (sum, problem) => {
    expect(problemBySum(batch, sum)).toBe(problem);
  });

  it.each([
    ["in time", 30 * HOUR, 31 * HOUR, false],
    ["after the invoice", 30 * HOUR, 31 * HOUR + 1, true],
    ["at the latest 20 hours after the first", 5 * HOUR, 60 * HOUR, false],
    ["without a period", null, 60 * HOUR, false],
  ])("that comes %s", (_, closesAt, now, late) => {
    const firstAt = closesAt === 5 * HOUR ? -15 * HOUR : 12 * HOUR;
    expect(isLate({ ...batch, closesAt, firstAt }, now)).toBe(late);
  });
});
