// @module-tag slow
// The command `hooks` as a process, over changes that a real delivery has failed with.
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPool } from "../../../../support/postgres/database.js";
import { type Listener, listenerOn } from "../../../../support/postgres/listener.js";
import type { Held } from "../../src/core/reactions/settle/held.js";
import { converse, hasScript } from "./converse.js";
import { type Application, createApplication } from "./kit.js";

let app: Application;
let pool: pg.Pool;
let listener: Listener;
beforeAll(async () => {
  app = await createApplication();
  pool = createPool(app.databaseUrl);
  listener = listenerOn(pool);
  expect((await app.run("status")).stdout).not.toContain("reactions");
  await listener.listen();
  await listener.change("prod_parked", "ada@example.com");
  await listener.park();
  await listener.change("prod_failing", "Grace", "Hopper");
  await listener.deliver(true);
});
afterAll(async () => {
  await pool.end();
  await app.close();
});

const changes = async (...args: string[]): Promise<Held[]> => {
  const { code, lines } = await app.runJson("hooks", "list", ...args);
  expect(code).toBe(0);
  return (lines[0] as { changes: Held[] }).changes;
};

describe("hooks", () => {
  it("lists what failed and what is parked, without contents", async () => {
    expect(await changes()).toEqual([
      {
        key: expect.stringContaining("prod_failing"),
        object: "products prod_failing",
        standing: "failing",
        attempts: 1,
        at: expect.any(Number),
        since: expect.any(Number),
        due: expect.any(Number),
        done: ["first"],
        late: false,
      },
      expect.objectContaining({ object: "products prod_parked", standing: "parked", due: null }),
    ]);
    expect(await changes("--parked")).toHaveLength(1);
    const { code, stdout } = await app.run("hooks", "list");
    expect(code).toBe(0);
    expect(stdout).toMatch(/products prod_failing +1 +20[\d-]+ [\d:]+ +20[\d-]+ [\d:]+ +first/);
    expect(stdout).toMatch(/products prod_parked .* parked +first/);
    expect(stdout).toContain("2 changes, 1 parked.");
    expect(stdout).not.toContain("ada@example.com");
  });

  it("shows in `status` and `doctor` that something is left", async () => {
    const { stdout } = await app.run("status");
    expect(stdout).toMatch(/reactions +1 waiting, 1 failing, 1 parked/);
    const { lines } = await app.runJson("status");
    expect(lines[0]).toMatchObject({ reactions: { listens: true, waiting: 1, failing: 1 } });
    const doctor = await app.run("doctor");
    expect(doctor.code).toBe(3);
    expect(doctor.stdout).toContain("changes_parked");
    expect(doctor.stdout).toContain("products prod_parked");
    expect(doctor.stdout).not.toContain("changes_waiting");
  });

  it("shows one change, by its key or its object, with its contents", async () => {
    const [held] = await changes("--parked");
    const byKey = await app.runJson("hooks", "show", held?.key ?? "");
    expect(byKey.lines).toEqual([
      { ...held, before: null, after: expect.objectContaining({ name: "ada@example.com" }) },
    ]);
    expect(await app.runJson("hooks", "show", "prod_parked")).toEqual(byKey);
    const { stdout } = await app.run("hooks", "show", "products prod_parked");
    expect(stdout).toMatch(/state +parked/);
    expect(stdout).toContain('"name": "ada@example.com"');
  });

  it("refuses what is not there, what is several, and what has not failed", async () => {
    const refused = async (...args: string[]) => {
      const { code, stderr } = await app.run("hooks", ...args);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused("show", "prod_none")).toContain("No change is left");
    expect(await refused("retry")).toContain("--all-parked");
    expect(await refused("retry", "prod_parked", "--all-parked")).toContain("--all-parked");
    expect(await refused("skip", "prod_parked")).toContain("--yes");
    await listener.change("prod_waiting", "A");
    expect(await refused("retry", "prod_waiting")).toContain("has not failed");
    await listener.change("prod_waiting", "B");
    expect(await refused("show", "prod_waiting")).toContain("2 changes of prod_waiting are left");
    await listener.deliver(false);
  });

  it("has a failing change told at once, and a parked one late", async () => {
    listener.heard.length = 0;
    const failing = await app.run("hooks", "retry", "prod_failing");
    expect(failing).toMatchObject({ code: 0, stdout: expect.stringContaining("due now") });
    await listener.deliver(false);
    expect(listener.heard).toEqual(["Grace", "Hopper"]);
    const parked = await app.runJson("hooks", "retry", "--all-parked");
    expect(parked).toMatchObject({
      code: 0,
      lines: [{ retried: [{ object: "products prod_parked" }] }],
    });
    await listener.deliver(false);
    expect(listener.heard.at(-1)).toBe("ada@example.com late");
    expect((await app.run("hooks", "retry", "--all-parked")).stdout).toContain("is parked");
    expect((await app.run("hooks", "list")).stdout).toContain("No change failed");
  });

  it("removes a change, and says which", async () => {
    await listener.change("prod_skipped", "A", "B");
    await listener.deliver(true);
    const { code, stdout } = await app.run("hooks", "skip", "prod_skipped", "--yes");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /products prod_skipped \(.*failing, .*first told before\) is never told/,
    );
    listener.heard.length = 0;
    await listener.deliver(false);
    expect(listener.heard).toEqual(["B"]);
  });

  it.skipIf(!hasScript)("asks before it removes one", async () => {
    await listener.change("prod_asked", "A");
    const skip = (answer: string) =>
      converse(["hooks", "skip", "prod_asked"], { cwd: process.cwd(), env: app.env }, [
        [/Skip products prod_asked/, answer],
      ]);
    expect(await skip("\r")).toMatchObject({ code: 130, unasked: 0 }); // no, unless it is said
    expect(await listener.left()).toHaveLength(1);
    expect(await skip("y")).toMatchObject({ code: 0, unasked: 0 });
    expect(await listener.left()).toEqual([]);
  });
});
