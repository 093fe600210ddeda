// Who works at what is to be told, and with how many connections.
import { drizzle } from "drizzle-orm/node-postgres";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { drizzle as drizzleJs } from "drizzle-orm/postgres-js";
import pg from "pg";
import { PgBoss } from "pg-boss";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { lendOf, poolOf } from "../../../src/postgres/drizzle-database.js";
import { createBilling, fromPostgresJs, type PostgresConfig } from "../../../src/postgres/index.js";
import { deliverDue, lanesOf } from "../../../src/postgres/reactions/workers.js";
import { namesIn as tablesIn } from "../../../src/postgres/store/names.js";
import { type App, applications, eventually } from "../service/kit.js";
import { namesIn, opened, settled, writer } from "./kit.js";

const openApp = applications();
const on = { change: { products: writer("product") } };

const urlOf = async (app: App): Promise<string> => {
  const { host, port, user, database } = app.pool.options;
  return app.pool.options.connectionString ?? `postgres://${user}@${host}:${port}/${database}`;
};

/** A product that no process with handlers has committed. */
async function unseen(app: App): Promise<void> {
  const plain = createBilling({ ...app.config, on: undefined } as PostgresConfig);
  await app.b.billing.tick({ budget: 60_000 });
  await app.stripe.products.create({ name: "Elsewhere" });
  await plain.billing.reconcile();
  await plain.billing.close();
}

describe("what is due is told", () => {
  it("by tick alone", async () => {
    const app = await opened(openApp, { on }, { endpoint: false });
    await unseen(app);
    expect(await namesIn(app)).toEqual([]);
    expect(await app.b.billing.tick({ budget: 60_000 })).toEqual({ more: false });
    expect(await namesIn(app)).toEqual(["product"]);
  });

  it("by pg-boss alone", async () => {
    const app = await opened(openApp, { on }, { endpoint: false });
    await unseen(app);
    const boss = new PgBoss({ connectionString: await urlOf(app), schema: `${app.schema}_boss` });
    boss.on("error", () => {});
    await boss.start();
    const jobs = await app.b.billing.addCronJobs(boss, {
      catchUp: false,
      reconcile: false,
      pollingIntervalSeconds: 0.5,
    });
    await boss.send(`backend-billing-${app.schema}-background`);
    await eventually(
      () => namesIn(app),
      (names) => names.length === 1,
    );
    await jobs.stop();
    await boss.stop({ graceful: false });
  });
});

describe("handlers", () => {
  it("have a quarter of the pool's connections, and at least one", () => {
    const pool = (max?: number) => ({ options: { max } });
    expect([1, 4, 8, 10, 16, 100].map((max) => lanesOf(pool(max)))).toEqual([1, 1, 2, 2, 4, 4]);
    expect(lanesOf({})).toBe(2);
  });

  it("that hang leave the application its connections", async () => {
    const app = await opened(openApp, {}, { endpoint: false });
    const db = new pg.Pool({ connectionString: await urlOf(app), max: 4 });
    let end = () => {};
    const hanging = new Promise<void>((resolve) => {
      end = resolve;
    });
    let calls = 0;
    const b = createBilling({
      ...app.config,
      db,
      on: {
        change: {
          products: async () => {
            calls++;
            await hanging;
          },
        },
      },
    });
    await b.sync();
    for (const name of ["A", "B", "C", "D", "E"]) await app.stripe.products.create({ name });
    await b.billing.reconcile();
    await eventually(
      () => calls,
      (count) => count > 0,
    );
    // Three more than the one handler that is under way, all at once.
    const sleeping = Array.from({ length: 3 }, () => db.query("SELECT pg_sleep(0.2)"));
    await Promise.all(sleeping);
    expect(calls).toBe(1);
    end();
    await eventually(
      () => calls,
      (count) => count === 5,
    );
    await b.billing.close();
    await db.end();
  });
});

describe("lanes", () => {
  it("join one that is busy, with what came meanwhile too", async () => {
    let calls = 0;
    let go = () => {};
    const both = new Promise<void>((resolve) => {
      go = resolve;
    });
    const products = async () => {
      if (++calls === 2) go();
      await both; // the first is told only once the second has begun
    };
    const app = await opened(openApp, { on: { change: { products } } });
    await app.stripe.products.create({ name: "A" });
    await eventually(
      () => calls,
      (count) => count === 1,
    );
    await app.stripe.products.create({ name: "B" });
    await settled(app);
    expect(calls).toBe(2);
  });

  it("begin with one, and none where the time is over; what fails is told to who waits", async () => {
    let looks = 0;
    const pool = {
      query: async () => {
        looks++;
        throw new Error("The database is gone.");
      },
    };
    const options = { pool, names: tablesIn("billing"), occasions: [] } as unknown as Parameters<
      typeof deliverDue
    >[0];
    expect(await deliverDue(options, 4, () => true)).toBe(0);
    expect(looks).toBe(0);
    await expect(deliverDue(options, 4)).rejects.toThrow("gone");
    expect(looks).toBe(1);
  });
});

describe("a transaction of Drizzle's", () => {
  const counted = pgTable("counted", { n: integer("n"), name: text("name") });

  it("is what handlers get over a Drizzle database, with its types", async () => {
    const app = await opened(openApp, {}, { endpoint: false });
    await app.pool.query(
      "CREATE TABLE IF NOT EXISTS counted (n int, name text); DELETE FROM counted",
    );
    const client = new pg.Pool({ connectionString: await urlOf(app) });
    let isFailing = true;
    const b = createBilling({
      ...app.config,
      db: drizzle(client),
      on: {
        change: {
          products: async ({ after }, { tx, store }) => {
            await tx.insert(counted).values({ n: (await store.plans()).length, name: after?.name });
            if (isFailing) throw new Error("No.");
          },
        },
      },
    });
    await b.sync();
    await app.stripe.products.create({ name: "A" });
    await b.billing.reconcile();
    await eventually(
      () => app.log,
      (lines) => lines.some((line) => line.startsWith("A handler failed")),
    );
    expect(await app.sql("SELECT * FROM counted")).toEqual([]);
    isFailing = false;
    await app.sql(`UPDATE ${app.schema}.backend_billing_records SET due = 0 WHERE kind = 'change'`);
    await b.billing.tick();
    await settled(app);
    expect(await app.sql("SELECT * FROM counted")).toEqual([{ n: 1, name: "A" }]);
    await b.billing.close();
    await client.end();
  });

  it("is aborted when its time is over, on pg and on postgres.js", async () => {
    const app = await opened(openApp, {}, { endpoint: false });
    const url = await urlOf(app);
    const client = new pg.Pool({ connectionString: url });
    const sql = postgres(url);
    await sql`CREATE TABLE late (n int)`;
    for (const db of [drizzle(client), drizzleJs(sql), fromPostgresJs(sql)]) {
      const lend = lendOf(db, poolOf(db));
      let goOn = () => {};
      const over = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      let later: Promise<unknown> = Promise.resolve();
      const late = lend(200, async (tx) => {
        await tx.query("INSERT INTO late VALUES (1)");
        await over;
        later = tx.query("INSERT INTO late VALUES (2)");
        await later;
      });
      await expect(late).rejects.toThrow("longer than 0.2 seconds");
      goOn();
      await eventually(
        () => later.then(() => "written", String),
        (end) => end.includes("aborted"),
      );
      const busy = lend(200, (tx) => tx.query("INSERT INTO late SELECT 3 FROM pg_sleep(3600)"));
      await expect(busy).rejects.toThrow("longer than 0.2 seconds");
      await eventually(
        () =>
          app.sql(
            "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600)%' AND state = 'active' AND pid <> pg_backend_pid()",
          ),
        (left) => left.length === 0,
      );
    }
    expect(await sql`SELECT * FROM late`).toEqual([]);
    await sql`DROP TABLE late`;
    await sql.end();
    await client.end();
  });
});
