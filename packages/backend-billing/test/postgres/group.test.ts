// Commits of single events go together. Fakes stand for the database where its timing or its
// failures are the point; the last tests run on PostgreSQL.
import { setImmediate as turn } from "node:timers/promises";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { batch, event, NOW, receipt } from "../../../../support/conformance/fixtures.js";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../support/postgres/database.js";
import { eventRequest } from "../../src/core/mirror/changes.js";
import type { Batch, Committed, Store } from "../../src/core/mirror/store.js";
import { inGroups } from "../../src/postgres/commit/group.js";
import { migrate } from "../../src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../src/postgres/store/store.js";

const OPTIONS = { lanes: 1, most: 3, units: 100, bytes: 1_000_000, heldBytes: 10_000_000 };

/** The commit of one event about one product. */
const about = (id: string, eventId: string, now = NOW): Batch => ({
  source: "event",
  now,
  units: [{ receipt: receipt(eventId), snapshots: [event("products", id, 100)] }],
});

/** The events of a batch. */
const eventsOf = ({ units }: Batch): string[] =>
  units.map((unit) => unit.receipt?.eventId ?? "none");

/** A database whose commits end when the test says so. */
function slowDatabase() {
  const started: { batch: Batch; end: () => void; fail: (error: unknown) => void }[] = [];
  const commit: Store["commit"] = (given) =>
    new Promise((resolve, reject) => {
      started.push({ batch: given, end: () => resolve(committed(given)), fail: reject });
    });
  return { commit, started };
}

/** Every unit is answered with a revision of its own, to tell them apart. */
const committed = ({ units }: Batch): Committed => ({
  committed: true,
  units: units.map((unit) => ({
    duplicate: false,
    outcomes: [{ act: "write", revision: Number(unit.receipt?.eventId.slice(4)) }],
  })),
});

const revisionOf = (result: Committed): number | undefined =>
  result.committed && result.units[0]?.duplicate === false
    ? result.units[0].outcomes[0]?.revision
    : undefined;

/** Long enough for everything that does not wait for the database. */
const turns = async () => {
  for (let n = 0; n < 3; n++) await turn();
};

const sqlError = (code: string) => Object.assign(new Error(`SQL error ${code}`), { code });

describe("commits of single events", () => {
  it("go alone and at once when nobody else is there", async () => {
    const { commit, started } = slowDatabase();
    const result = inGroups(commit, OPTIONS)(about("prod_1", "evt_1"));
    await turn();
    expect(started.map((each) => eventsOf(each.batch))).toEqual([["evt_1"]]);
    started[0]?.end();
    expect(revisionOf(await result)).toBe(1);
  });

  it("that come while another is under way go together, and each gets its own answer", async () => {
    const { commit, started } = slowDatabase();
    const grouped = inGroups(commit, OPTIONS);
    const first = grouped(about("prod_1", "evt_1"));
    await turn();
    const rest = [2, 3, 4].map((n) => grouped(about(`prod_${n}`, `evt_${n}`, NOW + n)));
    await turn();
    expect(started).toHaveLength(1);
    let answered = false;
    void rest[0]?.then(() => {
      answered = true;
    });
    started[0]?.end();
    await first;
    await turns();
    expect(started.map((each) => eventsOf(each.batch))).toEqual([
      ["evt_1"],
      ["evt_2", "evt_3", "evt_4"],
    ]);
    expect(started[1]?.batch.now).toBe(NOW + 4);
    expect(answered).toBe(false); // its own commit is not in the database yet
    started[1]?.end();
    expect((await Promise.all(rest)).map(revisionOf)).toEqual([2, 3, 4]);
  });

  it("are shared out among the lanes, and never wait for more", async () => {
    const { commit, started } = slowDatabase();
    const grouped = inGroups(commit, { ...OPTIONS, lanes: 2 });
    for (let n = 1; n <= 5; n++) void grouped(about(`prod_${n}`, `evt_${n}`));
    await turn();
    expect(started.map((each) => eventsOf(each.batch))).toEqual([
      ["evt_1", "evt_2", "evt_3"],
      ["evt_4", "evt_5"],
    ]);
  });

  it("that take one statement do not wait for those that take several, nor these for them", async () => {
    const { commit, started } = slowDatabase();
    const isQuick = ({ units }: Batch) =>
      units[0]?.snapshots?.[0]?.id.startsWith("prod_q") ?? false;
    const grouped = inGroups(commit, { ...OPTIONS, lanes: 2, most: 9, isQuick });
    const startedBy = () => started.map((each) => eventsOf(each.batch));
    const send = (...names: string[]) => {
      for (const name of names) void grouped(about(`prod_${name}`, `evt_${name}`));
    };
    send("s1", "s2");
    await turn();
    expect(startedBy()).toEqual([["evt_s1"], ["evt_s2"]]);
    send("q3", "s4", "q5");
    await turn();
    expect(startedBy().slice(2)).toEqual([["evt_q3", "evt_q5"]]); // past the lanes, which the others have
    send("q6");
    started[0]?.end();
    await turns();
    expect(startedBy().slice(3)).toEqual([]); // both kinds have one, and the lanes are taken
    started[2]?.end();
    await turns();
    expect(startedBy().slice(3)).toEqual([["evt_q6"]]);
    started[1]?.end();
    await turns();
    expect(startedBy().slice(4)).toEqual([["evt_s4"]]);
  });

  it("that take several find a place though some of them are locked out, and others come all the time", async () => {
    const { commit, started } = slowDatabase();
    const isQuick = ({ units }: Batch) => units[0]?.receipt?.eventId.startsWith("evt_q") ?? false;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const grouped = inGroups(commit, { ...OPTIONS, lanes: 2, most: 4, isQuick });
    const send = (name: string) => void grouped(about(`prod_${name}`, `evt_${name}`));
    for (const name of ["s1", "s2"]) {
      send(name);
      await turns();
    }
    vi.advanceTimersByTime(1_000); // both leave their lanes
    for (const name of ["q1", "q2"]) {
      send(name);
      await turns();
    }
    send("s3");
    for (let n = 3; n < 6; n++) {
      send(`q${n}`);
      started[n - 1]?.end(); // of the quick ones
      await turns();
    }
    expect(started.map(({ batch: given }) => eventsOf(given))).toContainEqual(["evt_s3"]);
  });

  it("of one object keep their order, whether they take one statement or several", async () => {
    const { commit, started } = slowDatabase();
    const isQuick = ({ units }: Batch) => units[0]?.receipt?.eventId === "evt_2";
    const grouped = inGroups(commit, { ...OPTIONS, lanes: 2, isQuick });
    void grouped(about("prod_1", "evt_1"));
    void grouped(about("prod_1", "evt_2"));
    await turns();
    expect(started.map((each) => eventsOf(each.batch))).toEqual([["evt_1"]]);
    started[0]?.end();
    await turns();
    expect(started.map((each) => eventsOf(each.batch))).toEqual([["evt_1"], ["evt_2"]]);
  });

  it("fill a group no further than its limit", async () => {
    const { commit, started } = slowDatabase();
    const grouped = inGroups(commit, { ...OPTIONS, units: 2 });
    for (let n = 1; n <= 3; n++) void grouped(about(`prod_${n}`, `evt_${n}`));
    await turn();
    started[0]?.end();
    await turns();
    expect(started.map((each) => eventsOf(each.batch))).toEqual([["evt_1", "evt_2"], ["evt_3"]]);
  });

  it("are not put together beyond what the database should be sent at once", async () => {
    const { commit, started } = slowDatabase();
    const grouped = inGroups(commit, { ...OPTIONS, bytes: 5000 });
    const large = (n: number): Batch => ({
      source: "event",
      now: NOW,
      units: [{ snapshots: [event("products", `prod_${n}`, 100, { text: "x".repeat(800 * n) })] }],
    });
    for (const n of [3, 1, 2]) void grouped(large(n));
    await turn();
    started[0]?.end();
    await turns();
    expect(started.map((each) => each.batch.units.length)).toEqual([1, 2]);
  });

  it("nor where they are told as they came", async () => {
    const { commit, started } = slowDatabase();
    const grouped = inGroups(commit, { ...OPTIONS, bytes: 5000 });
    for (const n of [3, 1, 2]) {
      const request = eventRequest(`evt_${n}`, { text: "x".repeat(800 * n) }, NOW);
      void grouped({ source: "event", now: NOW, units: [{ requests: [request] }] });
    }
    await turn();
    started[0]?.end();
    await turns();
    expect(started.map((each) => each.batch.units.length)).toEqual([1, 2]);
  });

  it("about one object stay in order, and two lanes never hold it at once", async () => {
    const { commit, started } = slowDatabase();
    const grouped = inGroups(commit, { ...OPTIONS, lanes: 2 });
    void grouped(about("prod_1", "evt_1"));
    await turn();
    void grouped(about("prod_1", "evt_2"));
    void grouped(about("prod_2", "evt_3"));
    void grouped(about("prod_1", "evt_4"));
    await turn();
    expect(started.map((each) => eventsOf(each.batch))).toEqual([["evt_1"], ["evt_3"]]);
    started[1]?.end();
    await turns();
    expect(started).toHaveLength(2);
    started[0]?.end();
    await turns();
    expect(started.slice(2).map((each) => eventsOf(each.batch))).toEqual([["evt_2"]]);
    started[2]?.end();
    await turns();
    expect(started.slice(3).map((each) => eventsOf(each.batch))).toEqual([["evt_4"]]);
  });

  it("that were delivered twice are not under way twice", async () => {
    const { commit, started } = slowDatabase();
    const grouped = inGroups(commit, { ...OPTIONS, lanes: 2 });
    const twice = { source: "event" as const, now: NOW, units: [{ receipt: receipt("evt_1") }] };
    void grouped(twice);
    await turn();
    void grouped(twice);
    await turn();
    expect(started).toHaveLength(1);
  });

  it("with records, or of several events, are left as they are", async () => {
    const { commit, started } = slowDatabase();
    const grouped = inGroups(commit, OPTIONS);
    const page = batch(event("products", "a", 100), event("products", "b", 100));
    const claim = { ...about("prod_1", "evt_1"), records: [] };
    const written = { kind: "setting" as const, id: "x", expect: 0, next: null };
    void grouped(page);
    void grouped({ ...claim, records: [written] });
    expect(started.map((each) => each.batch)).toEqual([page, { ...claim, records: [written] }]);
  });

  it("are tried one by one when the group fails, those of one object in order", async () => {
    const seen: string[][] = [];
    const grouped = inGroups(async (given) => {
      seen.push(eventsOf(given));
      await turn();
      if (eventsOf(given).includes("evt_2")) throw sqlError("54000");
      return committed(given);
    }, OPTIONS);
    const results = await Promise.allSettled(
      [1, 2, 3].map((n) => grouped(about("prod_1", `evt_${n}`))),
    );
    expect(seen).toEqual([["evt_1", "evt_2", "evt_3"], ["evt_1"], ["evt_2"], ["evt_3"]]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("fail by themselves also when it is not PostgreSQL that refuses", async () => {
    const grouped = inGroups(async (given) => {
      if (eventsOf(given).includes("evt_1")) throw new TypeError("It cannot be written as JSON");
      return committed(given);
    }, OPTIONS);
    const results = await Promise.allSettled(
      [1, 2, 3].map((n) => grouped(about(`prod_${n}`, `evt_${n}`))),
    );
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  });

  it("all fail, each after one try of its own, when nobody answers", async () => {
    const attempts: string[][] = [];
    const grouped = inGroups(async (given) => {
      attempts.push(eventsOf(given));
      throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    }, OPTIONS);
    const results = await Promise.allSettled(
      [1, 2, 3].map((n) => grouped(about(`prod_${n}`, `evt_${n}`))),
    );
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(attempts).toHaveLength(4);
    await expect(grouped(about("prod_4", "evt_4"))).rejects.toThrow("ECONNREFUSED");
    expect(attempts).toHaveLength(5);
  });

  it("leave the lane to others when they take long, but no more than a few are ever under way", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { commit, started } = slowDatabase();
    const grouped = inGroups(commit, { ...OPTIONS, most: 4, units: 1 });
    for (let n = 1; n <= 6; n++) void grouped(about(`prod_${n}`, `evt_${n}`));
    const seen: number[] = [];
    for (let second = 0; second < 5; second++) {
      await turns();
      seen.push(started.length);
      vi.advanceTimersByTime(1000);
    }
    expect(seen).toEqual([1, 2, 3, 3, 3]);
    started[1]?.end();
    await turns();
    expect(started).toHaveLength(4);
  });

  it.each([
    ["take one statement", true],
    ["take several", false],
  ])("that %s leave the others a place, though all of them take long", async (_, isOne) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { commit, started } = slowDatabase();
    const isQuick = (given: Batch) => eventsOf(given)[0]?.startsWith("evt_q") === isOne;
    const grouped = inGroups(commit, { ...OPTIONS, most: 4, units: 1, isQuick });
    const send = (...ids: string[]) => {
      for (const id of ids) void grouped(about(`prod_${id}`, `evt_${id}`));
    };
    send("q1", "q2", "q3", "q4", "q5");
    for (let second = 0; second < 5; second++) {
      await turns();
      vi.advanceTimersByTime(1000);
    }
    expect(started).toHaveLength(3);
    send("other");
    await turns();
    expect(started.map((each) => eventsOf(each.batch)[0]).slice(3)).toEqual(["evt_other"]);
    started[3]?.end();
    send("other2");
    await turns();
    expect(started.map((each) => eventsOf(each.batch)[0]).slice(4)).toEqual(["evt_other2"]);
  });

  it("are refused when too much is waiting, and taken again when there is room", async () => {
    const { commit, started } = slowDatabase();
    const grouped = inGroups(commit, { ...OPTIONS, heldBytes: 4000 });
    const first = [1, 2, 3].map((n) => grouped(about(`prod_${n}`, `evt_${n}`)));
    await expect(grouped(about("prod_4", "evt_4"))).rejects.toMatchObject({ code: "store_error" });
    await turn();
    await expect(grouped(about("prod_5", "evt_5"))).rejects.toMatchObject({ code: "store_error" });
    started[0]?.end();
    await Promise.all(first);
    await turns();
    void grouped(about("prod_6", "evt_6"));
    await turn();
    expect(started.map((each) => eventsOf(each.batch))).toEqual([
      ["evt_1", "evt_2", "evt_3"],
      ["evt_6"],
    ]);
  });
});

describe("on PostgreSQL", () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await createDatabase();
    pool = createPool(database.url);
    await migrate(pool);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it("an event that cannot be stored fails alone", async () => {
    const store = createPostgresStore({ pool });
    // Longer than an index takes, and of letters that do not compress.
    const endless = Array.from({ length: 1000 }, () => crypto.randomUUID()).join("");
    const results = await Promise.allSettled(
      ["prod_1", "prod_2", endless, "prod_3"].map((id, n) => store.commit(about(id, `evt_${n}`))),
    );
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    for (const id of ["prod_1", "prod_2", "prod_3"]) {
      expect((await store.version("products", id))?.revision).toBe(1);
    }
    const { rows } = await pool.query(
      "SELECT event_id FROM billing.backend_billing_receipts ORDER BY 1",
    );
    expect(rows.map((row) => row.event_id)).toEqual(["evt_0", "evt_1", "evt_3"]);
  });

  it("a lock on one object does not keep the others waiting", async () => {
    const store = createPostgresStore({ pool });
    const ids = ["lock_1", "lock_2", "lock_3"];
    for (const id of ids) await store.commit(about(id, `evt_${id}`));
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query(
      "SELECT FROM billing.backend_billing_products WHERE product_id IN ('lock_1', 'lock_2') FOR UPDATE",
    );
    const later = (id: string) => store.commit(batch(event("products", id, 200, { name: id })));
    const locked = [later("lock_1")];
    await turns();
    locked.push(later("lock_2"));
    await turns();
    expect(await later("lock_3")).toMatchObject({ committed: true }); // after a second at most
    await client.query("ROLLBACK");
    client.release();
    expect(await Promise.all(locked)).toMatchObject([{ committed: true }, { committed: true }]);
  });

  it("events of one object are judged in the order in which they came", async () => {
    const store = createPostgresStore({ pool });
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        store.commit(batch(event("products", "prod_9", 1000 + 10 * n, { name: `${n}` }))),
      ),
    );
    const acts = results.map((result) =>
      result.committed && result.units[0]?.duplicate === false
        ? result.units[0].outcomes[0]
        : undefined,
    );
    expect(acts).toEqual(Array.from({ length: 20 }, (_, n) => ({ act: "write", revision: n + 1 })));
    expect((await store.row("products", "prod_9"))?.stripe.name).toBe("19");
  });
});
