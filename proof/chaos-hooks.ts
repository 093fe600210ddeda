// Reactions under fire, on PostgreSQL: 20,000 changes of 500 objects are told to two listeners by four
// processes, while they are written. Handlers fail, hang, and end their process; processes get a
// SIGKILL at random; PostgreSQL is restarted twice. At the end every change was told to each listener,
// in the order of its object, its row is there exactly once, and nothing is parked but the three
// changes that no handler can take.
//
//   npm run chaos:hooks -- [--changes 20000] [--objects 500] [--seed 1]
//   npm run chaos:hooks -- --convex [--changes 2000] [--objects 50]      on Convex, see hooks/convex.ts
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import type { Delivery } from "../packages/backend-billing/src/core/reactions/delivery.js";
import { migrate } from "../packages/backend-billing/src/postgres/schema/migrations.js";
import { createPostgresStore } from "../packages/backend-billing/src/postgres/store/store.js";
import { stream } from "../packages/stripe-double/src/world/random.js";
import { listeningTo } from "../support/conformance/changes.js";
import { created, event, NOW, receipt } from "../support/conformance/fixtures.js";
import { startPostgres } from "../support/postgres/server.js";
import { isHopeless, LISTENERS } from "./hooks/behaviour.js";

const { values } = parseArgs({
  options: {
    convex: { type: "boolean", default: false },
    changes: { type: "string" },
    objects: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});
if (values.convex) {
  const { chaosOnConvex } = await import("./hooks/convex.js");
  const { changes = "2000", objects = "50", seed } = values;
  const wrong = await chaosOnConvex({ changes: Number(changes), objects: Number(objects), seed });
  process.exit(wrong.length > 0 ? 1 : 0); // `convex-test` leaves timers behind
}
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
const server = await startPostgres({ settings: { fsync: "off" } });
const pool = new pg.Pool({ connectionString: server.url, max: WRITERS + 4 });
pool.on("error", () => {}); // PostgreSQL is restarted
const workers: ChildProcess[] = [];
let [kills, deaths, isOver] = [0, 0, false];

function employ(place: number): void {
  const path = fileURLToPath(new URL("./hooks/worker.ts", import.meta.url));
  const env = { ...process.env, PATIENCE: String(PATIENCE) };
  const child = fork(path, [server.url], { execArgv: ["--import", "tsx"], env });
  workers[place] = child;
  child.once("exit", () => {
    if (isOver) return;
    deaths++;
    employ(place);
  });
}

/** Until it is done: PostgreSQL may be away. */
async function surely<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await sleep(100);
    }
  }
}

/** One change after another of each object, several objects at once. */
async function write(): Promise<void> {
  const store = createPostgresStore({ pool });
  const left = [...objects];
  const writer = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      for (let step = 0; step < steps; step++) {
        const name = String(step);
        const snapshot = (step === 0 ? created : event)("products", id, 100 + 10 * step, { name });
        const units = [{ snapshots: [snapshot], receipt: receipt(`evt_${id}_${step}`) }];
        const draw = crypto.randomUUID();
        await surely(() => store.commit({ source: "event", now: Date.now(), draw, units }));
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

const waiting = async (): Promise<{ waiting: number; parked: number }> => {
  const { rows } = await pool.query(
    `SELECT count(due)::int AS waiting, (count(*) - count(due))::int AS parked
     FROM billing.backend_billing_records WHERE kind = 'change'`,
  );
  return rows[0];
};

async function disturb(): Promise<void> {
  for (;;) {
    await sleep(KILL * (0.5 + next()));
    if (isOver) return;
    workers[Math.floor(next() * PROCESSES)]?.kill("SIGKILL");
    kills++;
  }
}

try {
  await migrate(pool);
  await pool.query(`CREATE TABLE effects (n bigserial, listener text, object text, name int);
    CREATE TABLE calls (key text, listener text, n int, PRIMARY KEY (key, listener))`);
  const records = [listeningTo({ products: "changes" })];
  await createPostgresStore({ pool }).commit({ source: "record", now: NOW, units: [], records });
  for (let place = 0; place < PROCESSES; place++) employ(place);
  const disturbing = disturb();
  let isWritten = false;
  const writing = write().then(() => {
    isWritten = true;
    console.log(`  ${seconds()} s: all is written`);
  });
  let [restarts, saidAt] = [0, Date.now()];
  for (;;) {
    await sleep(250);
    const now = await surely(waiting);
    const told = await surely(async () =>
      Number((await pool.query("SELECT count(*) FROM effects")).rows[0].count),
    );
    const share = told / (changes * LISTENERS.length);
    if (share > (restarts + 1) / 3 && restarts < 2) {
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
      const due = all.filter((step) => !isHopeless(object, String(step), listener));
      const own = told.get(`${object} ${listener}`) ?? [];
      if (JSON.stringify(own) !== JSON.stringify(due)) wrong.push(`${object} ${listener}: ${own}`);
    }
  }
  const { rows: parked } = await pool.query<{ data: Delivery }>(
    "SELECT data FROM billing.backend_billing_records WHERE kind = 'change'",
  );
  for (const { data } of parked) {
    const { name } = data.after as { name?: string };
    if (!data.parked || !isHopeless(data.id, name ?? "", "second"))
      wrong.push(`left: ${data.id} ${name}`);
  }
  if (parked.length !== 3) wrong.push(`${parked.length} are parked, and 3 should be`);
  const summary = {
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
      wrong: wrong.slice(0, 10),
      seconds: seconds(),
      load: loadavg()[0]?.toFixed(1),
    }),
  );
  if (wrong.length > 0) process.exitCode = 1;
} finally {
  isOver = true;
  for (const child of workers) child.kill("SIGKILL");
  await pool.end();
  await server.stop();
}
