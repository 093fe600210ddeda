// Usage under fire, on PostgreSQL: 200,000 calls from 8 processes over 200 entities, while their
// subscriptions change and periods pass. Calls are repeated with the same key, some are part of a
// transaction of the application that is taken back, processes get a SIGKILL, PostgreSQL is restarted
// twice. At the end nothing is or ever was below zero, every key is counted once, what was done is
// counted and what was taken back is not, and ledger, balances and records agree to the unit.
//
//   npm run chaos:usage -- [--calls 200000] [--entities 200] [--seed 1] [--calm]
//   npm run chaos:usage -- --convex [--calls 20000]      on Convex, see support/convex/random-usage.ts
//   npm run chaos:usage -- --meters [--histories 300]    what Stripe's meters count, see support/meters;
//                                                       with --convex on Convex
//   npm run chaos:usage -- --periods [--lives 500] [--only 7]  what plans include, see support/periods
import { type ChildProcess, fork } from "node:child_process";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { createPostgresStore, migrate } from "../packages/backend-billing/src/postgres/index.js";
import { stream } from "../packages/stripe-double/src/world/random.js";
import { startPostgres } from "../support/postgres/server.js";
import { type Subscribed, subscriber } from "../support/usage/world.js";
import { surely } from "./hooks/way.js";
import { callOf } from "./usage/history.js";
import { recordsIn, verify } from "./usage/verify.js";
import type { Said, Task } from "./usage/worker.js";

const started = Date.now();
const seconds = () => Math.round((Date.now() - started) / 1000);
const { values } = parseArgs({
  options: {
    convex: { type: "boolean", default: false },
    meters: { type: "boolean", default: false },
    periods: { type: "boolean", default: false },
    lives: { type: "string", default: "500" },
    only: { type: "string" },
    calls: { type: "string" },
    histories: { type: "string", default: "300" },
    entities: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    calm: { type: "boolean", default: false },
  },
});
const { seed, calm: isCalm } = values;
if (values.meters) {
  const { meters, metersOnConvex } = await import("./usage/meters.js");
  const run = values.convex ? metersOnConvex : meters;
  report(await run(Number(values.histories), Number(seed)));
  process.exit(); // `convex-test` leaves timers behind
}
if (values.convex) {
  const { randomUsage } = await import("../support/convex/random-usage.js");
  const calls = Number(values.calls ?? 20_000);
  report({ calls, ...(await randomUsage({ calls, seed })) });
  process.exit();
}
if (values.periods) {
  const { periods } = await import("./usage/periods.js");
  const all = Array.from({ length: Number(values.lives) }, (_, index) => index + 1);
  const chosen = values.only === undefined ? all : [Number(values.only)];
  report(await periods(chosen, seed));
  process.exit();
}
const [count, entities] = [Number(values.calls ?? 200_000), Number(values.entities)];
const PROCESSES = 8;
const KILLS = 60;
const SAY = 15_000;
const DAY = 86_400_000;
/** A second of the run is seven hours, so that months pass in it. */
const clock = { from: Date.UTC(2026, 0, 1), at: Date.now(), speed: 25_000 };
const now = () => clock.from + (Date.now() - clock.at) * clock.speed;

const server = await startPostgres({ settings: { fsync: "off" } });
const pool = new pg.Pool({ connectionString: server.url, max: 8 });
pool.on("error", () => {});
const workers: ChildProcess[] = [];
const said = new Map<number, string>();
const positions: number[] = Array.from({ length: PROCESSES }, (_, place) => place);
const next = stream("kills", seed);
let [kills, deaths, changes, done, isOver] = [0, 0, 0, 0, false];

function employ(place: number): void {
  const first = positions[place] ?? place;
  const task: Task = { url: server.url, seed, entities, first, step: PROCESSES, count, clock };
  const path = fileURLToPath(new URL("./usage/worker.ts", import.meta.url));
  const child = fork(path, [JSON.stringify(task)], { execArgv: ["--import", "tsx"] });
  workers[place] = child;
  child.on("message", ({ number, outcome }: Said) => {
    said.set(number, outcome);
    // What comes next are the calls after the last one before which all are known.
    let from = positions[place] ?? place;
    while (said.has(from)) from += PROCESSES;
    positions[place] = from;
  });
  child.once("exit", (code) => {
    if (isOver) return;
    if (code === 0) {
      done++;
      return;
    }
    deaths++;
    employ(place);
  });
}

/**
 * The application's own table, and a trigger that refuses any row below zero. Not a check constraint:
 * PostgreSQL looks at those before it notices that another transaction has changed the row.
 */
const GUARD = `
  CREATE TABLE effects (entity text, feature text, key text, PRIMARY KEY (entity, feature, key));
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'below zero: %', NEW USING ERRCODE = '23514';
  END $$;
  CREATE TRIGGER guard AFTER INSERT OR UPDATE ON billing.backend_billing_usage_balances
    FOR EACH ROW WHEN (NEW.used + NEW.held > NEW.granted OR NEW.used < 0 OR NEW.held < 0
      OR NEW.over_used < 0 OR NEW.over_held < 0) EXECUTE FUNCTION refuse()`;

/** Subscriptions begin, change and end. */
async function live(): Promise<void> {
  const subscribe = subscriber(createPostgresStore({ pool }));
  const below = (most: number) => Math.floor(next() * most);
  const change = (entity: number) => {
    const from = Math.floor((now() - below(20) * DAY) / 1000) * 1000;
    const of: Subscribed = {
      plan: below(3) === 0 ? "team" : "pro",
      status: ["active", "active", "active", "past_due", "canceled"][below(5)] ?? "active",
      interval: below(3) === 0 ? "year" : "month",
      from,
      until: from + 30 * DAY,
    };
    return surely(() => subscribe(`user_${entity}`, of));
  };
  for (let entity = 0; entity < entities; entity += 2) await change(entity);
  void (async () => {
    while (!isOver) {
      await sleep(30);
      await change(below(entities));
      changes++;
    }
  })();
}

interface Outcome {
  readonly wrong: readonly string[];
  readonly [what: string]: unknown;
}

/** The last line: what was done, and what is wrong. */
function report({ wrong, ...summary }: Outcome): void {
  const end = { wrongs: wrong.length, wrong: wrong.slice(0, 10), seconds: seconds() };
  console.log(JSON.stringify({ ...summary, ...end, load: loadavg()[0]?.toFixed(1) }));
  if (wrong.length > 0) process.exitCode = 1;
}

/** By what is done and not by time: on a busy machine a process needs long to begin. */
async function disturb(): Promise<void> {
  let restarts = 0;
  while (!isOver && !isCalm) {
    await sleep(100);
    const share = said.size / count;
    if (share > (kills + 0.5) / KILLS) {
      workers[Math.floor(next() * PROCESSES)]?.kill("SIGKILL");
      kills++;
    }
    if (share > (restarts + 1) / 3 && restarts < 2) {
      restarts++;
      await server.restart();
      console.log(`  ${seconds()} s: PostgreSQL was restarted`);
    }
  }
}

try {
  await migrate(pool);
  await pool.query(GUARD);
  await live();
  for (let place = 0; place < PROCESSES; place++) employ(place);
  const disturbing = disturb();
  let saidAt = Date.now();
  while (done < PROCESSES) {
    await sleep(250);
    if (Date.now() > saidAt + SAY) {
      saidAt = Date.now();
      console.log(`  ${seconds()} s: ${said.size} calls, ${deaths} deaths`);
    }
  }
  isOver = true;
  await disturbing;

  const wrong = await verify(pool);
  const records = await recordsIn(pool);
  const outcomes: Record<string, number> = {};
  for (let number = 0; number < count; number++) {
    const call = callOf(seed, number, entities);
    const outcome = said.get(number) ?? "never said";
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    const record = records.get(call.key);
    const expected = call.kind === "reserve" ? call.cost : call.amount;
    const where = `call ${number}, ${call.kind} ${call.within}, ${outcome}`;
    if (outcome.startsWith("broke") || outcome === "never said") wrong.push(where);
    if (outcome === "allowed" && record === undefined) wrong.push(`${where}: not counted`);
    if (record !== undefined && record.amount !== expected) {
      wrong.push(`${where}: ${record.amount} counted, ${expected} asked for`);
    }
    if (call.within === "taken back" && record !== undefined) {
      wrong.push(`${where}: counted, and taken back`);
    }
    if (call.within === "kept" && record !== undefined && !record.effect) {
      wrong.push(`${where}: counted, and not done`);
    }
  }
  const summary = {
    calls: count,
    entities,
    kills,
    deaths,
    changes,
    records: records.size,
    outcomes,
  };
  report({ ...summary, wrong });
} finally {
  isOver = true;
  for (const child of workers) child.kill("SIGKILL");
  await pool.end();
  await server.stop();
}
