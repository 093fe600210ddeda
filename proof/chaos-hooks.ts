// Reactions under fire, on PostgreSQL: 20,000 changes of 500 objects are told to two listeners by four
// processes, while they are written. Handlers fail, hang, and end their process; processes get a
// SIGKILL at random; PostgreSQL is restarted twice. At the end every change was told to each listener,
// in the order of its object, its row is there exactly once, and nothing is parked but the three
// changes that no handler can take.
//
//   npm run chaos:hooks -- [--changes 20000] [--objects 500] [--seed 1] [--by pg-boss] [--calm] [--rivals 2]
//   npm run chaos:hooks -- --convex [--changes 2000] [--objects 50]      on Convex, see hooks/convex.ts
//
// `--by pg-boss` delivers the same by jobs of pg-boss (docs/decisions/0028), there `--rivals` with
// several writers of each object. `--calm` disturbs nothing, tells what was written before, and says
// what it cost.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { stream } from "../packages/stripe-double/src/world/random.js";
import { startPostgres } from "../support/postgres/server.js";
import { isHopeless, LISTENERS } from "./hooks/behaviour.js";
import { pgBoss } from "./hooks/boss.js";
import { costs, PRELOADED, rate, recoveries, startCounting } from "./hooks/measure.js";
import { records } from "./hooks/records.js";
import { surely } from "./hooks/way.js";

const { values } = parseArgs({
  options: {
    convex: { type: "boolean", default: false },
    changes: { type: "string" },
    objects: { type: "string" },
    seed: { type: "string", default: "1" },
    by: { type: "string", default: "records" },
    calm: { type: "boolean", default: false },
    rivals: { type: "string", default: "1" },
  },
});
if (values.convex) {
  const { chaosOnConvex } = await import("./hooks/convex.js");
  const { changes = "2000", objects = "50", seed } = values;
  const wrong = await chaosOnConvex({ changes: Number(changes), objects: Number(objects), seed });
  process.exit(wrong.length > 0 ? 1 : 0); // `convex-test` leaves timers behind
}
const way = values.by === "pg-boss" ? pgBoss : records;
const rivals = way === pgBoss ? Number(values.rivals) : 1;
const isCalm = values.calm;
const objects = Array.from({ length: Number(values.objects ?? 500) }, (_, n) => `prod_${n}`);
const steps = Math.ceil(Number(values.changes ?? 20_000) / objects.length);
const changes = steps * objects.length;
const next = stream("kills", values.seed);
const PROCESSES = 4;
const WRITERS = 16;
/** Milliseconds: between kills, for which a change is tried, between lines about progress. */
const KILL = 4_000;
const PATIENCE = 90_000;
const SAY = 15_000;

const started = Date.now();
const seconds = () => Math.round((Date.now() - started) / 1000);
const settings = { fsync: "off", ...(isCalm ? PRELOADED : {}) };
const server = await startPostgres({ settings });
const pool = new pg.Pool({ connectionString: server.url, max: WRITERS + 4 });
pool.on("error", () => {}); // PostgreSQL is restarted
const workers: ChildProcess[] = [];
let [kills, deaths, isOver] = [0, 0, false];

function employ(place: number): void {
  const path = fileURLToPath(way.worker);
  const env = { ...process.env, PATIENCE: String(PATIENCE), ...(isCalm ? { CALM: "" } : {}) };
  const child = fork(path, [server.url], { execArgv: ["--import", "tsx"], env });
  workers[place] = child;
  child.once("exit", () => {
    if (isOver) return;
    deaths++;
    employ(place);
  });
}

/** One change after another of each object, several objects at once. */
async function write(): Promise<void> {
  const left = objects.flatMap((id) => Array.from({ length: rivals }, () => id));
  const writer = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      for (let step = 0; step < steps; step++) await way.write(pool, id, step, steps - 1);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

/** Of the processes that tell, and of nothing else. */
async function connected(): Promise<number> {
  const { rows } = await pool.query(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend'",
  );
  return rows[0].n - pool.totalCount;
}

async function disturb(): Promise<void> {
  for (;;) {
    await sleep(KILL * (0.5 + next()));
    if (isOver || isCalm) return;
    workers[Math.floor(next() * PROCESSES)]?.kill("SIGKILL");
    kills++;
  }
}

try {
  await pool.query(`CREATE TABLE effects
      (n bigserial, listener text, object text, name int, at timestamptz DEFAULT clock_timestamp());
    CREATE TABLE calls (listener text, object text, name int, n int,
      at timestamptz DEFAULT clock_timestamp(), PRIMARY KEY (listener, object, name))`);
  await way.prepare(pool);
  let isWritten = false;
  const writing = write().then(() => {
    isWritten = true;
    console.log(`  ${seconds()} s: all is written`);
  });
  if (isCalm) {
    await writing;
    await startCounting(pool);
  }
  for (let place = 0; place < PROCESSES; place++) employ(place);
  const disturbing = disturb();
  let [restarts, saidAt, connections] = [0, Date.now(), 0];
  for (;;) {
    await sleep(250);
    const now = await surely(() => way.waiting(pool));
    const told = await surely(async () =>
      Number((await pool.query("SELECT count(*) FROM effects")).rows[0].count),
    );
    connections = Math.max(connections, await surely(connected));
    const share = told / (changes * LISTENERS.length);
    if (share > (restarts + 1) / 3 && restarts < 2 && !isCalm) {
      restarts++;
      await server.restart();
    }
    if (Date.now() > saidAt + SAY) {
      saidAt = Date.now();
      console.log(
        `  ${seconds()} s: ${told} told, ${now.waiting} wait, ${now.parked} parked, ${deaths} deaths`,
      );
    }
    if (isWritten && now.waiting === 0) break;
  }
  await writing;
  const cost = isCalm ? await costs(pool) : undefined;
  isOver = true;
  for (const child of workers) {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }
  await disturbing;

  const wrong: string[] = [];
  const { rows: effects } = await pool.query<{ listener: string; object: string; name: number }>(
    "SELECT listener, object, name FROM effects ORDER BY n",
  );
  const told = new Map<string, number[]>();
  for (const { listener, object, name } of effects) {
    const key = `${object} ${listener}`;
    told.set(key, [...(told.get(key) ?? []), name]);
  }
  for (const object of objects) {
    for (const listener of LISTENERS) {
      const all = Array.from({ length: steps }, (_, step) => step);
      const due = all.filter((step) => isCalm || !isHopeless(object, String(step), listener));
      const own = told.get(`${object} ${listener}`) ?? [];
      if (JSON.stringify(own) !== JSON.stringify(due)) wrong.push(`${object} ${listener}: ${own}`);
    }
  }
  const parked = await way.left(pool);
  for (const { object, name, isParked } of parked) {
    if (!isParked || !isHopeless(object, name, "second")) wrong.push(`left: ${object} ${name}`);
  }
  const hopeless = isCalm ? 0 : 3;
  if (parked.length !== hopeless)
    wrong.push(`${parked.length} are parked, and ${hopeless} should be`);
  const summary = {
    by: values.by,
    changes,
    objects: objects.length,
    told: effects.length,
    kills,
    deaths,
    restarts,
    parked: parked.length,
  };
  console.log(
    JSON.stringify({
      ...summary,
      connections,
      perSecond: await rate(pool),
      ...(cost ?? { recovered: await recoveries(pool) }),
      wrongs: wrong.length,
      wrong: wrong.slice(0, 10),
      seconds: seconds(),
      load: loadavg()[0]?.toFixed(1),
    }),
  );
  if (wrong.length > 0) process.exitCode = 1;
} finally {
  isOver = true;
  for (const child of workers) child.kill("SIGKILL");
  await way.end?.();
  await pool.end();
  await server.stop();
}
