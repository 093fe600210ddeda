// What a batch does, as writes, and which facts it asks for. Pure: the facts are given.
import { describe, expect, it } from "vitest";
import { answer, batch, content, event, NOW } from "../../../../../support/conformance/fixtures.js";
import { defaultResources } from "../../../src/core/catalogue/catalogue.js";
import { createAnswers, type Facts, type Known } from "../../../src/core/mirror/facts.js";
import { planCommit } from "../../../src/core/mirror/plan.js";
import { ASK_DELAY, type Version } from "../../../src/core/mirror/rule.js";
import type { Batch, RecordWrite } from "../../../src/core/mirror/store.js";

const live: Version = {
  revision: 4,
  state: "live",
  lo: 99,
  hi: 101,
  stale: false,
  first: false,
};

/** Nothing is there but what is given. */
const world = (given: Partial<Facts>): Known => ({
  version: () => null,
  content: () => null,
  watermark: () => null,
  received: () => false,
  record: () => null,
  recordOn: () => null,
  rowsWhere: () => [],
  listened: () => null,
  ...given,
});

const claim = (id: string, expect: number, ref: string | null): RecordWrite => ({
  kind: "claim",
  id,
  expect,
  next: { ref, due: null, data: {} },
});

const plan = (asked: Batch, known: Known) => planCommit(asked, defaultResources, known);

function writesOf(asked: Batch, given: Partial<Facts> = {}) {
  const decided = plan(asked, world(given));
  if (!("writes" in decided)) throw new Error(`Not decided: ${JSON.stringify(decided)}`);
  return decided.writes.map((write) => ({ ...write }) as { [field: string]: unknown });
}

const records = (...all: RecordWrite[]): Batch => ({
  source: "record",
  now: NOW,
  units: [],
  records: all,
});

describe("the facts that are asked for", () => {
  const missing = (asked: Batch, known: Known) => {
    const undecided = plan(asked, known);
    return "missing" in undecided ? undecided.missing.map(({ fact }) => fact) : [];
  };

  it("are versions first, then only what the rule needs", () => {
    const asked = batch(event("products", "prod_1", 100));
    expect(missing(asked, createAnswers().known)).toEqual(["version"]);
    const unread = createAnswers().known;
    expect(missing(asked, { ...unread, version: () => live })).toEqual(["listened"]);
    const none = { ...unread, version: () => live, listened: () => null };
    expect(missing(asked, none)).toEqual(["content"]);
    const newer = batch(event("products", "prod_1", 500));
    const unheard = { ...unread, version: () => live, listened: () => null };
    expect(missing(newer, unheard)).toEqual([]);
    expect(missing(newer, { ...unheard, listened: () => "changes" as const })).toEqual(["content"]);
  });

  it("are an owner's only where something appears", () => {
    const unread = { ...createAnswers().known, listened: () => null };
    const newer = batch(event("customers", "cus_1", 500));
    expect(missing(newer, { ...unread, version: () => live })).toEqual([]);
    const known = { ...unread, version: () => null, watermark: () => null };
    expect(missing(newer, known).sort()).toEqual(["recordOn", "rowsWhere"]);
  });
});

describe("the writes", () => {
  it("say when Stripe is asked, and keep the time of an ask that stands", () => {
    const asked = batch(event("products", "prod_1", 100, { name: "B" }));
    const stored = { content: () => content("products", "prod_1", { name: "A" }) };
    const [first] = writesOf(asked, { ...stored, version: () => live });
    expect(first).toMatchObject({ write: "putVersion", askAt: NOW + ASK_DELAY });
    const [again] = writesOf(asked, { ...stored, version: () => ({ ...live, stale: true }) });
    expect(again).toMatchObject({ write: "putVersion", askAt: "keep" });
  });

  it("put the entity into a new row and leave that of an old one", () => {
    const asked = batch(event("customers", "cus_1", 500));
    const isRow = ({ write, id }: { [field: string]: unknown }) =>
      write === "putRow" && id === "cus_1";
    const made = writesOf(asked, { recordOn: () => "user_1" }).find(isRow);
    expect(made).toMatchObject({ isNew: true, fields: { entityId: "user_1" } });
    const stored = { version: () => live, content: () => ({}), recordOn: () => "user_1" };
    const changed = writesOf(asked, stored).find(isRow);
    expect(changed).toMatchObject({ isNew: false, ifAbsent: { entityId: null } });
    expect(changed?.fields).not.toHaveProperty("entityId");
  });

  it("put the entity into a row that is gone, where Stripe was asked", () => {
    const asked = { ...batch(event("customers", "cus_1", 500)), source: "page" } as const;
    const gone = { version: () => live, content: () => null, recordOn: () => "user_1" };
    const again = writesOf(asked, gone).find(({ write }) => write === "putRow");
    expect(again).toMatchObject({ isNew: true, fields: { entityId: "user_1" } });
  });

  it("put a row of nulls when the last subscription goes, and not before", () => {
    const gone = { kind: "missing", content: null } as const;
    const asked = batch(answer("subscriptions", "sub_1", 4, 200, 201, {}, gone));
    const given = {
      version: () => live,
      content: () => content("subscriptions", "sub_1", { customer: "cus_1" }),
    };
    const emptied = writesOf(asked, { ...given, rowsWhere: () => ["sub_1"] });
    expect(emptied.map(({ write, id }) => [write, id])).toEqual([
      ["putVersion", "sub_1"],
      ["deleteRow", "sub_1"],
      ["putRow", null],
    ]);
    const left = writesOf(asked, { ...given, rowsWhere: () => ["sub_1", "sub_2"] });
    expect(left.map(({ write }) => write)).toEqual(["putVersion", "deleteRow"]);
  });

  it("merge requests for a record, and never put it off", () => {
    const request = (due: number) =>
      ({ kind: "refresh", id: "cus_1", due, data: { due } }) as const;
    const asked: Batch = {
      source: "event",
      now: NOW,
      units: [{ requests: [request(NOW + 9)] }, { requests: [request(NOW + 20)] }],
    };
    const before = { revision: 3, ref: null, due: NOW + 5 };
    expect(writesOf(asked, { record: () => before })).toEqual([
      {
        write: "putRecord",
        kind: "refresh",
        id: "cus_1",
        from: 3,
        rescheduled: false,
        record: { revision: 4, ref: null, due: NOW + 5, data: { due: NOW + 20 } },
      },
    ]);
  });

  it("move a link with its claim", () => {
    const before = { revision: 1, ref: "cus_1", due: null };
    const links = writesOf(records(claim("user_1", 1, "cus_2")), {
      record: () => before,
      recordOn: (_kind, ref) => (ref === "cus_1" ? "user_1" : null),
    }).filter(({ write }) => write === "linkRow");
    expect(links.map(({ id, value }) => [id, value])).toEqual([
      ["cus_1", null],
      ["cus_2", "user_1"],
    ]);
  });
});

describe("conflicts", () => {
  const conflictOf = (asked: Batch, given: Partial<Facts>) => {
    const refused = plan(asked, world(given));
    return "conflict" in refused ? refused.conflict.id : undefined;
  };

  it("are a revision that is not the expected one, and a customer that is claimed", () => {
    const held = (revision: number) => ({ record: () => ({ revision, ref: null, due: null }) });
    expect(conflictOf(records(claim("user_1", 1, null)), held(2))).toBe("user_1");
    expect(conflictOf(records(claim("user_1", 2, null)), held(2))).toBeUndefined();
    const taken = { ...held(1), recordOn: () => "user_2" };
    expect(conflictOf(records(claim("user_1", 1, "cus_1")), taken)).toBe("user_1");
    const both = records(claim("user_1", 0, "cus_1"), claim("user_2", 0, "cus_1"));
    expect(conflictOf(both, {})).toBe("user_2");
  });

  it("are found before anything else is read", () => {
    const moved = {
      ...createAnswers().known,
      record: () => ({ revision: 2, ref: "cus_2", due: null }),
    };
    expect(plan(records(claim("user_1", 1, "cus_1")), moved)).toEqual({
      committed: false,
      conflict: { kind: "claim", id: "user_1" },
    });
  });
});
