// What must not end the application's process.
import { request as httpRequest } from "node:http";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { directly } from "../../../../../support/postgres/database.js";
import { createBilling, createPostgresStore } from "../../../src/postgres/index.js";
import { applications, eventually, listen } from "./kit.js";
import { event } from "./webhook-kit.js";

const open = applications();

describe("an idle connection that ends", () => {
  it("is logged, and the next query takes another: the application needs no listener", async () => {
    const app = await open({ endpoint: false });
    const { connectionString = "" } = app.pool.options;
    // Without a listener, as in the README.
    const pool = new pg.Pool({
      connectionString: directly(connectionString, "a connection that the server is to end"),
    });
    onTestFinished(() => pool.end());
    const { store } = createBilling({ ...app.config, db: pool });
    expect(await store.plans()).toEqual([]);
    const pids = await pool.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const idle = pool.totalCount;
    expect(idle).toBeGreaterThan(0);
    await app.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ${pids.rows[0]?.pid}`,
    );
    await eventually(
      () => app.log,
      (log) => log.includes("An idle database connection ended; the pool opens another"),
    );
    expect(pool.totalCount).toBeLessThan(idle);
    expect(await store.plans()).toEqual([]);
  });

  it("is listened for from the moment it is opened, before its borrower can listen", async () => {
    const app = await open({ endpoint: false });
    const pool = new pg.Pool(app.pool.options);
    onTestFinished(() => pool.end());
    createBilling({ ...app.config, db: pool });
    const connection = await pool.connect();
    // As when the server ends it in the same breath: with no listener, this throws.
    expect(connection.emit("error", new Error("terminating connection"))).toBe(true);
    connection.release(true);
  });

  it("is listened for once, however much uses the pool, beside the application's own listener", async () => {
    const app = await open({ endpoint: false });
    const heard: string[] = [];
    const pool = new pg.Pool(app.pool.options).on("error", ({ message }) => heard.push(message));
    onTestFinished(() => pool.end());
    for (let n = 0; n < 20; n++) {
      createPostgresStore({ pool });
      createBilling({ ...app.config, db: pool });
    }
    expect(pool.listenerCount("error")).toBe(2);
    pool.emit("error", new Error("ended"), {});
    expect(heard).toEqual(["ended"]);
    expect(app.log.filter((line) => line.startsWith("An idle"))).toHaveLength(1);
  });
});

it("the application's own time limit may answer before the library does", async () => {
  const app = await open({ endpoint: false });
  const ended = new Promise<string>((resolve) => {
    void listen(async (request, response) => {
      response.writeHead(503).end("too late");
      await app.b.billing.nodeHandler(request, response).then(
        () => resolve("returned"),
        (error: Error) => resolve(error.message),
      );
    }).then((server) => {
      onTestFinished(server.close);
      const request = httpRequest(`${server.url}/stripe/webhook`, { method: "POST" });
      request.on("response", (answer) => answer.resume());
      request.on("error", () => {}); // the rest of the body is not read
      request.end(JSON.stringify(event()));
    });
  });
  expect(await ended).toBe("returned");
  expect(app.log).not.toContain("An answer could not be sent");
});
