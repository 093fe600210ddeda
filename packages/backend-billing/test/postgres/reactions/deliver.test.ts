// Changes are told in the order of each object, and what a handler writes is there exactly once.
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { listeningTo } from "../../../../../support/conformance/changes.js";
import { batch, created, event, NOW } from "../../../../../support/conformance/fixtures.js";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../../support/postgres/database.js";
import { deliverOne, listening } from "../../../../../support/postgres/listener.js";
import { accessRequest } from "../../../src/core/mirror/changes.js";
import { DELIVERY_TIMING, type Delivery } from "../../../src/core/reactions/delivery.js";
import type { Queryable } from "../../../src/postgres/database.js";
import type {
  Delivered,
  DeliverOptions,
  Outcome,
} from "../../../src/postgres/reactions/deliver.js";
import { deliverDue } from "../../../src/postgres/reactions/workers.js";
import { migrate } from "../../../src/postgres/schema/migrations.js";
import { requestRecord } from "../../../src/postgres/store/leases.js";
import { namesIn } from "../../../src/postgres/store/names.js";
import { createPostgresStore } from "../../../src/postgres/store/store.js";
import { eventually } from "../service/kit.js";

const names = namesIn("billing");
const nameOf = (content: object | null) => (content as { name?: string } | null)?.name ?? null;

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = createPool(database.url);
  await migrate(pool);
  await pool.query(
    "CREATE TABLE mails (key text, listener text, object text, name text, n serial)",
  );
  const records = [listeningTo({ products: "changes" })];
  await createPostgresStore({ pool }).commit({ source: "record", now: NOW, units: [], records });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  await pool.query(`DELETE FROM ${names.records} WHERE kind = 'change'; DELETE FROM mails`);
});

let draws = 0;
let second = 100;
/** Rows that are made and then changed to these names, one commit each. */
async function change(id: string, ...all: readonly string[]): Promise<void> {
  const store = createPostgresStore({ pool });
  for (const name of all) {
    const isNew = (await store.version("products", id)) === undefined;
    second += 10;
    const snapshot = (isNew ? created : event)("products", id, second, { name });
    await store.commit({ ...batch(snapshot), draw: `draw_${++draws}` });
  }
}

const mail = (change: Delivery, listener: string) => (tx: Queryable) =>
  tx.query("INSERT INTO mails VALUES ($1, $2, $3, $4)", [
    change.key,
    listener,
    change.id,
    nameOf(change.after),
  ]);

type Options = DeliverOptions<Queryable>;

/** Two listeners that write a mail each; `trouble` comes before. */
function listeners(
  trouble: (change: Delivery, listener: string, tx: Queryable) => Promise<unknown> = async () => {},
): Options {
  return {
    ...listening(pool, ["first", "second"]),
    handler:
      ({ to, payload }) =>
      async (tx) => {
        await mail(payload as Delivery, to)(tx);
        await trouble(payload as Delivery, to, tx);
      },
  };
}

async function deliverAll(options: Options): Promise<Delivered[]> {
  const all: Delivered[] = [];
  for (;;) {
    const delivered = await deliverOne(options);
    if (delivered === "nothing") return all;
    all.push(delivered);
  }
}

const mails = async () =>
  (await pool.query("SELECT listener, object, name FROM mails ORDER BY n")).rows.map(
    ({ listener, object, name }) => `${listener} ${object} ${name}`,
  );

/** Everything that waits is due: time has passed. */
const later = () =>
  pool.query(`UPDATE ${names.records} SET due = 0 WHERE kind = 'change' AND due > 0`);
const left = async () =>
  (
    await pool.query(`SELECT data FROM ${names.records} WHERE kind = 'change' ORDER BY id`)
  ).rows.map(({ data }) => data as Delivery);

describe("a change", () => {
  it("leaves what follows from it though it cannot be told, such as a look at the access, and once", async () => {
    await change("prod_followed", "A");
    let isFailing = true;
    const failing = async () => {
      if (isFailing) throw new Error("No mail today.");
    };
    const requests = [{ kind: "notice", id: "sub_1", due: NOW, data: {} } as const];
    const options = listeners(failing);
    const following: Options = {
      ...options,
      tellings: async (...all) => ({ ...(await options.tellings(...all)), requests }),
    };
    const notices = async () =>
      (await pool.query(`SELECT revision::int FROM ${names.records} WHERE kind = 'notice'`)).rows;
    expect(await deliverAll(following)).toEqual(["failed"]);
    expect(await notices()).toEqual([]);
    await later();
    expect(await deliverAll(following)).toEqual(["told", "failed"]);
    expect(await notices()).toEqual([{ revision: 1 }]);
    isFailing = false;
    await later();
    expect(await deliverAll(following)).toEqual(["told", "told"]);
    expect([await notices(), await mails(), await left()]).toMatchObject([
      [{ revision: 1 }],
      { length: 2 },
      [],
    ]);
  });

  it("is told once where what was prepared is gone from the connection, as behind a proxy", async () => {
    await change("prod_1", "A", "B", "C");
    const gone = async ({ after }: Delivery, _: string, tx: Queryable) => {
      if (nameOf(after) === "B") await tx.query("DEALLOCATE ALL");
    };
    expect(new Set(await deliverAll(listeners(gone)))).toEqual(new Set(["told"]));
    expect(await mails()).toHaveLength(6);
    expect(await left()).toEqual([]);
  });

  it("is told to each listener, in the order of its object, and then forgotten", async () => {
    await change("prod_1", "A", "B");
    await deliverAll(listeners());
    expect(await mails()).toEqual([
      "first prod_1 A",
      "second prod_1 A",
      "first prod_1 B",
      "second prod_1 B",
    ]);
    expect(await left()).toEqual([]);
  });

  it("is there if its row is, though the connection breaks after the row is written", async () => {
    let isBroken = false;
    const broken = {
      connect: () => pool.connect(),
      query: async (text: string, values?: unknown[]) => {
        if (isBroken) throw new Error("The connection is gone.");
        const result = await pool.query(text, values);
        isBroken = /INSERT INTO \S*products/.test(text);
        return result;
      },
    };
    const store = createPostgresStore({ pool: broken });
    second += 10;
    const made = { ...batch(created("products", "prod_0", second, { name: "A" })), draw: "draw_0" };
    await store.commit(made).catch(() => {});
    expect(isBroken).toBe(true);
    expect(await createPostgresStore({ pool }).row("products", "prod_0")).toBeDefined();
    expect(await left()).toMatchObject([{ id: "prod_0" }]);
  });

  it("is left to other processes where this one has no handler, and forgotten where there is nothing to tell", async () => {
    await change("prod_2", "A");
    expect(await deliverOne({ ...listeners(), occasions: ["prices"] })).toBe("nothing");
    expect(await left()).toHaveLength(1);
    expect(
      await deliverOne({
        ...listeners(),
        tellings: async () => ({ all: [], writes: [], requests: [] }),
      }),
    ).toBe("told");
    expect(await left()).toEqual([]);
  });

  it("that a handler fails on is taken back, counted, and told again later, to that listener alone", async () => {
    await change("prod_3", "A", "B");
    await change("prod_4", "A");
    let isBroken = true;
    const errors: unknown[] = [];
    const options = {
      ...listeners(async ({ id }, listener) => {
        if (isBroken && id === "prod_3" && listener === "second") throw new Error("No mail today.");
      }),
      observed: (outcome: Outcome) => {
        if (outcome.outcome === "failed") errors.push([outcome.name, String(outcome.error)]);
      },
    };
    await deliverAll(options);
    // It holds up its own object, and nothing else.
    expect((await mails()).sort()).toEqual(["first prod_3 A", "first prod_4 A", "second prod_4 A"]);
    expect(errors).toEqual([["second", "Error: No mail today."]]);
    expect(await left()).toMatchObject([{ done: ["first"], attempts: 1 }, { id: "prod_3" }]);
    expect(await deliverOne(options)).toBe("nothing"); // not yet
    await later();
    expect(await deliverOne(options)).toBe("failed");
    expect(await left()).toMatchObject([{ attempts: 2 }, {}]);
    isBroken = false;
    await later();
    await deliverAll(options);
    const own = (await mails()).filter((each) => each.includes("prod_3"));
    expect(own).toEqual(["first prod_3 A", "second prod_3 A", "first prod_3 B", "second prod_3 B"]);
  });

  it("that fails for days is parked, and later ones go on", async () => {
    await change("prod_5", "A", "B");
    const options = listeners(async ({ after }) => {
      if (nameOf(after) === "A") throw new Error("No.");
    });
    await deliverAll(options);
    const days = DELIVERY_TIMING.patience + 1;
    await pool.query(
      `UPDATE ${names.records} SET due = 0, data = data || jsonb_build_object('attempts', 10, 'since', (data->>'since')::bigint - ${days})
       WHERE data ? 'since'`,
    );
    expect(await deliverAll(options)).toEqual(["parked", "told", "told"]);
    expect(await mails()).toEqual(["first prod_5 B", "second prod_5 B"]);
    expect(await left()).toMatchObject([{ parked: true }]);
  });

  it.each([
    ["null", "prod_a"],
    ['{"attempts":"x","since":{},"last":null}', "prod_b"],
  ])("that another role has written as %s holds up no other object", async (data, id) => {
    await pool.query(
      `INSERT INTO ${names.records} (kind, id, ref, revision, due, data) VALUES ('change', $1, $1, 1, 0, $2)`,
      [`products another_${id}`, data],
    );
    await change(id, "A");
    await deliverAll(listeners());
    expect(await mails()).toEqual(expect.arrayContaining([`first ${id} A`, `second ${id} A`]));
  });

  it("whose handler hangs is taken back at its limit, and its connection closed", async () => {
    await change("prod_6", "A");
    let isHanging = true;
    let lent: Queryable | undefined;
    const options = {
      ...listeners((_, __, tx) => {
        lent = tx;
        return isHanging ? new Promise(() => {}) : Promise.resolve();
      }),
      timing: { ...DELIVERY_TIMING, limit: 200 },
    };
    expect(await deliverOne(options)).toBe("failed");
    await expect(lent?.query("SELECT 1")).rejects.toThrow();
    expect(await mails()).toEqual([]);
    isHanging = false;
    await later();
    await deliverAll(options);
    expect(await mails()).toEqual(["first prod_6 A", "second prod_6 A"]);
  });

  it("whose handler's connection breaks is counted before, and told again", async () => {
    await change("prod_7", "A");
    let isBreaking = true;
    const options = listeners(async (_, __, tx) => {
      if (isBreaking) await tx.query("SELECT pg_terminate_backend(pg_backend_pid())");
    });
    expect(await deliverOne(options)).toBe("failed");
    expect(await left()).toMatchObject([{ attempts: 1 }]);
    isBreaking = false;
    await later();
    await deliverAll(options);
    expect(await mails()).toEqual(["first prod_7 A", "second prod_7 A"]);
  });

  it("whose process ends in the middle is put off, counted with its contents, and told", async () => {
    await change("prod_8", "A", "B");
    for (const attempts of [1, 2]) {
      void deliverOne({ ...listeners(), lend: () => new Promise(() => {}) });
      await vi.waitFor(async () => expect(await left()).toMatchObject([{ attempts }, {}]));
      expect(await deliverOne(listeners())).toBe("nothing");
      await later();
    }
    expect((await left()).map(({ before, after }) => [nameOf(before), nameOf(after)])).toEqual([
      [null, "A"],
      ["A", "B"],
    ]);
    await deliverAll(listeners());
    expect((await mails()).slice(0, 2)).toEqual(["first prod_8 A", "second prod_8 A"]);
    expect(await mails()).toHaveLength(4);
  });

  it("takes six round trips with the handler's own, beside what is read for it", async () => {
    let trips = 0;
    const counting = (on: Queryable): Queryable["query"] => {
      return (text, values) => {
        trips++;
        return on.query(text, values);
      };
    };
    const counted = {
      query: counting(pool),
      connect: async () => {
        const connection = await pool.connect();
        return {
          query: counting(connection),
          release: (destroy?: boolean) => connection.release(destroy),
        };
      },
    };
    await change("prod_9", "A", "B", "C");
    const options = {
      ...listeners(),
      ...listening(counted as unknown as pg.Pool, ["first"]),
    };
    await deliverDue(options, 1);
    expect(await mails()).toEqual(["first prod_9 A", "first prod_9 B", "first prod_9 C"]);
    // And one to find the oldest, and two looks.
    expect(trips).toBe(3 * 6 + 1 + 2);
  });

  it("of another object is told while a handler takes its time", async () => {
    await change("prod_slow", "A");
    let end = () => {};
    const slow = new Promise<void>((resolve) => {
      end = resolve;
    });
    const options = listeners(async ({ id }) => (id === "prod_slow" ? slow : undefined));
    const run = deliverDue(options, 2);
    await change("prod_quick", "A"); // when the other lane has found nothing, or not yet
    const told = eventually(mails, (all) => all.includes("first prod_quick A"));
    await told.finally(end);
    expect(await run).toBe(4);
  });

  it("is told though the clock that it was stored by is ahead", async () => {
    const made = {
      ...batch(created("products", "prod_ahead", second, { name: "A" })),
      draw: "ahead",
    };
    await createPostgresStore({ pool }).commit({ ...made, now: Date.now() + 5_000 });
    expect(await deliverAll(listeners())).toEqual(["told", "told"]);
  });

  it("is told once and in order by many workers, whose handlers fail at random", async () => {
    const objects = Array.from({ length: 12 }, (_, n) => `prod_many_${n}`);
    await Promise.all(objects.map((id) => change(id, "1", "2", "3", "4", "5", "6")));
    const timing = { ...DELIVERY_TIMING, limit: 2_000, pause: 1 };
    let failures = 0;
    const options = {
      ...listeners(async () => {
        if (Math.random() < 0.2) throw new Error("At random.");
      }),
      timing,
      observed: ({ outcome }: Outcome) => {
        if (outcome === "failed") failures++;
      },
    };
    const worker = async () => {
      while ((await left()).length > 0) await deliverOne(options);
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    const all = await mails();
    expect(all).toHaveLength(objects.length * 6 * 2);
    expect(new Set(all).size).toBe(all.length);
    for (const id of objects) {
      for (const listener of ["first", "second"]) {
        const own = all.filter((each) => each.startsWith(`${listener} ${id} `));
        expect(own.map((each) => each.at(-1))).toEqual(["1", "2", "3", "4", "5", "6"]);
      }
    }
    expect(failures).toBeGreaterThan(0);
  });
});

describe("a look at an entity's access", () => {
  const ask = (key: string) =>
    requestRecord(pool, names, accessRequest("user_1", key, Date.now() - 1_000));
  const looking = (during: () => Promise<unknown>): Options => ({
    ...listening(pool, ["first"]),
    occasions: ["access"],
    handler:
      ({ to, payload }) =>
      async (tx) => {
        await mail(payload as Delivery, to)(tx);
        await during();
      },
  });

  it("that is asked for again meanwhile is told, and then looked at again", async () => {
    await ask("A");
    let isFirst = true;
    const options = looking(async () => {
      if (isFirst) await ask("B");
      isFirst = false;
    });
    expect(await deliverOne(options)).toBe("told");
    expect(await mails()).toHaveLength(1);
    expect(await left()).toMatchObject([{ key: "B.access" }]);
    expect(await deliverAll(options)).toEqual(["told"]);
    expect(await left()).toEqual([]);
  });

  it("that another worker comes upon then is not put off for long", async () => {
    await ask("A");
    let isFirst = true;
    const options = looking(async () => {
      if (!isFirst) return;
      isFirst = false;
      await ask("B");
      expect(await deliverOne(looking(async () => {}))).toBe("nothing");
    });
    expect(await deliverOne(options)).toBe("told");
    const { rows } = await pool.query(
      `SELECT due - extract(epoch FROM clock_timestamp()) * 1000 AS wait FROM ${names.records} WHERE kind = 'change'`,
    );
    expect(rows).toHaveLength(1);
    expect(Number(rows[0].wait)).toBeLessThan(DELIVERY_TIMING.pause);
  });
});
