// The convergence rule, case by case. Seconds are Stripe's; intervals are widened already.
import { describe, expect, it } from "vitest";
import {
  type Circumstances,
  judge,
  type SnapshotFacts,
  type Version,
} from "../../../src/core/mirror/rule.js";

const row = (over: Partial<Version> = {}): Version => ({
  revision: 4,
  state: "live",
  lo: 100,
  hi: 102,
  stale: false,
  first: false,
  ...over,
});
const event = (lo: number, hi: number, over: Partial<SnapshotFacts> = {}): SnapshotFacts => ({
  origin: "event",
  kind: "changed",
  usable: true,
  lo,
  hi,
  ...over,
});
const page = (lo: number, hi: number, over: Partial<SnapshotFacts> = {}) =>
  event(lo, hi, { origin: "page", ...over });
const answer = (askedAt: number, over: Partial<SnapshotFacts> = {}) =>
  event(200, 205, { origin: "answer", askedAt, ...over });
const at = (over: Partial<Circumstances> = {}): Circumstances => ({
  idsReturn: false,
  watermark: undefined,
  equal: false,
  ...over,
});

interface Case {
  readonly name: string;
  readonly known: Version | undefined;
  readonly snapshot: SnapshotFacts;
  readonly at?: Partial<Circumstances>;
  readonly act: string;
  readonly next?: Partial<Version>;
  readonly content?: "set" | "clear" | "keep";
}

const cases: readonly Case[] = [
  // Events of objects whose ids Stripe assigns.
  {
    name: "the first snapshot is written",
    known: undefined,
    snapshot: event(10, 12),
    act: "write",
    next: { revision: 1, state: "live", lo: 10, hi: 12, first: false },
    content: "set",
  },
  {
    name: "a creation is remembered as one",
    known: undefined,
    snapshot: event(10, 12, { kind: "created" }),
    act: "write",
    next: { first: true },
  },
  {
    name: "a first snapshot at the watermark is written and asked about",
    known: undefined,
    snapshot: event(10, 12, { kind: "created" }),
    at: { watermark: 10 },
    act: "ask",
    next: { stale: true, first: false, state: "live" },
    content: "set",
  },
  {
    name: "a first snapshot after the watermark is believed",
    known: undefined,
    snapshot: event(11, 13),
    at: { watermark: 10 },
    act: "write",
    next: { stale: false },
  },
  {
    name: "a first snapshot that cannot be read leaves a stub",
    known: undefined,
    snapshot: event(10, 12, { usable: false }),
    act: "ask",
    next: { state: "unknown", stale: true, lo: -1, hi: -1, revision: 1 },
    content: "keep",
  },
  { name: "older by a second is dropped", known: row(), snapshot: event(97, 99), act: "drop" },
  {
    name: "touching the interval is not older",
    known: row(),
    snapshot: event(98, 100),
    act: "ask",
  },
  {
    name: "newer by a second is written",
    known: row(),
    snapshot: event(103, 105),
    act: "write",
    next: { revision: 5, lo: 103, hi: 105 },
    content: "set",
  },
  {
    name: "touching the interval is not newer",
    known: row(),
    snapshot: event(102, 104),
    act: "ask",
    next: { revision: 5, stale: true, lo: 100, hi: 102 },
    content: "keep",
  },
  {
    name: "two changes in one second cannot be told apart",
    known: row(),
    snapshot: event(100, 102),
    act: "ask",
    next: { revision: 5, stale: true },
    content: "keep",
  },
  {
    name: "an event whose clock is behind by a second is not older",
    known: row({ lo: 100, hi: 102 }), // of 101
    snapshot: event(98, 100), // of 99, and skewed
    act: "ask",
  },
  {
    name: "an event whose clock is ahead by a second is not newer",
    known: row({ lo: 100, hi: 102 }), // of 101
    snapshot: event(102, 104), // of 103, and skewed
    act: "ask",
  },
  {
    name: "an event inside a fetch's interval is asked about",
    known: row({ lo: 200, hi: 205 }),
    snapshot: event(202, 204),
    act: "ask",
    content: "keep",
  },
  {
    name: "an event around a fetch's interval is asked about",
    known: row({ lo: 200, hi: 201 }),
    snapshot: event(199, 202),
    act: "ask",
  },
  {
    name: "an event inside a fetch's interval that agrees extends nothing",
    known: row({ lo: 200, hi: 205 }),
    snapshot: event(202, 204),
    at: { equal: true },
    act: "touch",
    next: { lo: 202, hi: 205, revision: 5 },
  },
  {
    name: "an ask leaves standing that the content was the first",
    known: row({ first: true }),
    snapshot: event(100, 102, { usable: false }),
    act: "ask",
    next: { first: true, stale: true },
  },
  {
    name: "a creation that comes after an update of its second is dropped",
    known: row({ first: false }),
    snapshot: event(100, 102, { kind: "created" }),
    act: "drop",
  },
  {
    name: "a creation fills a stub",
    known: row({ state: "unknown", lo: -1, hi: -1, stale: true }),
    snapshot: event(10, 12, { kind: "created" }),
    act: "write",
    next: { state: "live", stale: true, first: false },
  },
  {
    name: "a newer event leaves an ask standing",
    known: row({ stale: true }),
    snapshot: event(103, 105),
    act: "write",
    next: { stale: true },
  },
  {
    name: "a late creation of a live object is dropped",
    known: row(),
    snapshot: event(103, 105, { kind: "created" }),
    act: "drop",
  },
  {
    name: "a creation revives what a 404 called missing",
    known: row({ state: "missing" }),
    snapshot: event(103, 105, { kind: "created" }),
    act: "write",
    next: { state: "live" },
  },
  {
    name: "whatever follows a creation in its second is newer",
    known: row({ first: true }),
    snapshot: event(100, 102),
    act: "write",
    next: { first: false },
  },
  {
    name: "only the first change after a creation is known to be newer",
    known: row(),
    snapshot: event(100, 102),
    act: "ask",
  },
  {
    name: "equal content extends the interval and raises the revision",
    known: row({ first: false }),
    snapshot: event(101, 103),
    at: { equal: true },
    act: "touch",
    next: { revision: 5, lo: 101, hi: 103 },
    content: "keep",
  },
  {
    name: "equal content from before never lowers the interval",
    known: row(),
    snapshot: event(99, 101),
    at: { equal: true },
    act: "touch",
    next: { lo: 100, hi: 102 },
  },
  {
    name: "equality is asked for only when it matters",
    known: row(),
    snapshot: event(101, 103),
    at: { equal: undefined },
    act: "compare",
  },
  {
    name: "equality is not asked for when newer",
    known: row(),
    snapshot: event(103, 105),
    at: { equal: undefined },
    act: "write",
  },
  {
    name: "a thin event that may be newer is asked about",
    known: row(),
    snapshot: event(150, 152, { usable: false }),
    act: "ask",
    content: "keep",
  },
  {
    name: "a thin event that is older is dropped",
    known: row(),
    snapshot: event(90, 92, { usable: false }),
    act: "drop",
  },
  {
    name: "a stub is filled by any usable event",
    known: row({ state: "unknown", lo: -1, hi: -1, stale: true }),
    snapshot: event(10, 12),
    act: "write",
    next: { state: "live", stale: true },
  },

  // Deletions of objects whose ids Stripe assigns.
  {
    name: "a deletion is final, even in the same second",
    known: row(),
    snapshot: event(99, 101, { kind: "deleted" }),
    act: "write",
    next: { state: "deleted", stale: false },
    content: "clear",
  },
  {
    name: "a deletion is final, even if it seems older",
    known: row(),
    snapshot: event(10, 12, { kind: "deleted" }),
    act: "write",
    next: { state: "deleted" },
  },
  {
    name: "a deletion of the unknown is kept",
    known: undefined,
    snapshot: event(10, 12, { kind: "deleted" }),
    act: "write",
    next: { state: "deleted" },
    content: "clear",
  },
  {
    name: "nothing follows a deletion: an update",
    known: row({ state: "deleted" }),
    snapshot: event(500, 502),
    act: "drop",
  },
  {
    name: "nothing follows a deletion: a creation",
    known: row({ state: "deleted" }),
    snapshot: event(500, 502, { kind: "created" }),
    act: "drop",
  },
  {
    name: "nothing follows a deletion: a page",
    known: row({ state: "deleted" }),
    snapshot: page(500, 502),
    act: "drop",
  },
  {
    name: "nothing follows a deletion: another",
    known: row({ state: "deleted" }),
    snapshot: event(500, 502, { kind: "deleted" }),
    act: "drop",
  },
  {
    name: "a deletion settles an ask",
    known: row({ stale: true }),
    snapshot: event(99, 101, { kind: "deleted" }),
    act: "write",
    next: { stale: false },
  },

  {
    name: "a deletion that an answer to setup tells is as final as its event",
    known: row(),
    snapshot: page(90, 95, { kind: "deleted" }),
    act: "write",
    next: { state: "deleted", stale: false },
    content: "clear",
  },
  {
    name: "nothing follows a deletion: an answer, whatever it says",
    known: row({ state: "deleted" }),
    snapshot: answer(4),
    act: "drop",
  },
  {
    name: "nothing follows a deletion: a 404, which is less certain",
    known: row({ state: "deleted" }),
    snapshot: answer(4, { kind: "missing" }),
    act: "drop",
  },

  // Objects whose ids can come back.
  {
    name: "a first snapshot of a deletion before the watermark is asked about",
    known: undefined,
    snapshot: event(10, 12, { kind: "deleted" }),
    at: { idsReturn: true, watermark: 50 },
    act: "ask",
    next: { state: "deleted", stale: true },
  },
  {
    name: "an answer follows a deletion",
    known: row({ state: "deleted", stale: true }),
    snapshot: answer(4),
    at: { idsReturn: true },
    act: "write",
    next: { state: "live", stale: false },
    content: "set",
  },
  {
    name: "a late creation of a live object is asked about",
    known: row(),
    snapshot: event(101, 103, { kind: "created" }),
    at: { idsReturn: true },
    act: "ask",
  },
  {
    name: "what follows a creation in its second is asked about",
    known: row({ first: false }),
    snapshot: event(100, 102),
    at: { idsReturn: true },
    act: "ask",
  },
  {
    name: "a deletion is a state like others: newer",
    known: row(),
    snapshot: event(103, 105, { kind: "deleted" }),
    at: { idsReturn: true },
    act: "write",
    next: { state: "deleted" },
    content: "clear",
  },
  {
    name: "a deletion is a state like others: older",
    known: row(),
    snapshot: event(97, 99, { kind: "deleted" }),
    at: { idsReturn: true },
    act: "drop",
  },
  {
    name: "a deletion is a state like others: no telling",
    known: row(),
    snapshot: event(101, 103, { kind: "deleted" }),
    at: { idsReturn: true },
    act: "ask",
    content: "keep",
  },
  {
    name: "the same deletion again extends",
    known: row({ state: "deleted" }),
    snapshot: event(101, 103, { kind: "deleted" }),
    at: { idsReturn: true, equal: undefined },
    act: "touch",
    next: { lo: 101, hi: 103 },
  },
  {
    name: "a later creation brings it back",
    known: row({ state: "deleted" }),
    snapshot: event(103, 105, { kind: "created" }),
    at: { idsReturn: true },
    act: "write",
    next: { state: "live", first: false },
  },
  {
    name: "a creation in the second of the deletion is asked about",
    known: row({ state: "deleted" }),
    snapshot: event(101, 103, { kind: "created" }),
    at: { idsReturn: true },
    act: "ask",
  },
  {
    name: "a creation is never known to be the first",
    known: undefined,
    snapshot: event(10, 12, { kind: "created" }),
    at: { idsReturn: true },
    act: "write",
    next: { first: false },
  },

  // Pages.
  {
    name: "a page's first snapshot is believed, whatever the watermark",
    known: undefined,
    snapshot: page(10, 20),
    at: { watermark: 50 },
    act: "write",
    next: { stale: false },
  },
  { name: "an older page is dropped", known: row(), snapshot: page(80, 99), act: "drop" },
  {
    name: "a newer page is written",
    known: row(),
    snapshot: page(103, 110),
    act: "write",
    content: "set",
  },
  {
    name: "a newer page with the same content confirms it and writes no row",
    known: row(),
    snapshot: page(103, 110),
    at: { equal: true },
    act: "touch",
    next: { revision: 5, lo: 103, hi: 110 },
    content: "keep",
  },
  {
    name: "a newer page leaves an ask standing",
    known: row({ stale: true }),
    snapshot: page(103, 110),
    act: "write",
    next: { stale: true },
  },
  {
    name: "a page fills a stub and leaves its ask standing",
    known: row({ state: "unknown", lo: -1, hi: -1, stale: true }),
    snapshot: page(10, 20),
    act: "write",
    next: { state: "live", stale: true },
  },
  {
    name: "a page around a 404 is asked about",
    known: row({ state: "missing", lo: 200, hi: 205 }),
    snapshot: page(190, 201),
    act: "ask",
  },
  {
    name: "whether a newer page says the same is looked up",
    known: row(),
    snapshot: page(103, 110),
    at: { equal: undefined },
    act: "compare",
  },
  {
    name: "a page that overlaps is asked about",
    known: row(),
    snapshot: page(95, 110),
    act: "ask",
  },
  {
    name: "a page that overlaps and agrees extends",
    known: row(),
    snapshot: page(95, 110),
    at: { equal: true },
    act: "touch",
    next: { lo: 100, hi: 110 },
  },
  {
    name: "a page does not follow a creation in its second",
    known: row({ first: true }),
    snapshot: page(100, 102),
    act: "ask",
  },
  {
    name: "a page ends being the first",
    known: row({ first: true }),
    snapshot: page(95, 110),
    at: { equal: true },
    act: "touch",
    next: { first: false },
  },
  {
    name: "a page with a cut list is asked about",
    known: undefined,
    snapshot: page(10, 20, { usable: false }),
    act: "ask",
    next: { state: "unknown", stale: true },
  },

  // Answers.
  {
    name: "an answer is written and settles the ask",
    known: row({ stale: true }),
    snapshot: answer(4),
    act: "write",
    next: { revision: 5, lo: 200, hi: 205, stale: false, state: "live" },
    content: "set",
  },
  {
    name: "an overtaken answer is fetched again",
    known: row({ stale: true }),
    snapshot: answer(3),
    act: "retry",
  },
  {
    name: "an answer about the unknown is written",
    known: undefined,
    snapshot: answer(0),
    act: "write",
    next: { revision: 1 },
  },
  {
    name: "an answer about what has come meanwhile is fetched again",
    known: row(),
    snapshot: answer(0),
    act: "retry",
  },
  {
    name: "an answer that says deleted is final",
    known: row({ stale: true }),
    snapshot: answer(4, { kind: "deleted" }),
    act: "write",
    next: { state: "deleted", stale: false },
    content: "clear",
  },
  {
    name: "a 404 is not final",
    known: row({ stale: true }),
    snapshot: answer(4, { kind: "missing" }),
    act: "write",
    next: { state: "missing", stale: false },
    content: "clear",
  },
  {
    name: "an event after a 404 revives",
    known: row({ state: "missing", lo: 200, hi: 205 }),
    snapshot: event(206, 208),
    act: "write",
    next: { state: "live" },
  },
  {
    name: "an event around a 404 is asked about",
    known: row({ state: "missing", lo: 200, hi: 205 }),
    snapshot: event(204, 206),
    act: "ask",
  },
];

describe("judge", () => {
  it.each(cases)("$name", ({ known, snapshot, at: over, act, next, content }) => {
    const verdict = judge(known, snapshot, at(over));
    expect(verdict.act).toBe(act);
    if (next !== undefined) expect(verdict).toMatchObject({ next });
    if (content !== undefined) expect(verdict).toMatchObject({ content });
  });

  it("raises the revision by one for every outcome but a drop", () => {
    for (const { known, snapshot, at: over } of cases) {
      const verdict = judge(known, snapshot, at(over));
      if ("next" in verdict) expect(verdict.next.revision).toBe((known?.revision ?? 0) + 1);
    }
  });
});
