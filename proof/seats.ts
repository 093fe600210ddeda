// Seats follow the members: 4 processes add and remove members of 20 teams, each change told in its
// own transaction, some of them rolled back, against a Stripe that fails now and then; processes are
// killed while they count, while they send, and at any moment, and are replaced. At the end the
// quantity at Stripe must be the count of every team, and no two updates of one team may have taken
// effect within ten seconds.
//
//   npm run seats -- [--changes 2000] [--seed 1]
//
// --delay 3000 lets the library pause for three seconds only, and --untold tells nothing of every other
// team: both show that it can fail.
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import {
  createStripeDouble,
  type LoggedRequest,
} from "../packages/backend-billing/src/testing/index.js";
import { PATIENCE } from "../support/patience.js";
import { startPostgres } from "../support/postgres/server.js";
import { closestOf, seatUpdates, UPDATE } from "../support/seat-updates.js";
import { type Crew, startCrew } from "./seats/crew.js";
import { planOf } from "./seats/plan.js";
import { openShop, type Shop } from "./seats/shop.js";

const { values } = parseArgs({
  options: {
    changes: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    delay: { type: "string" },
    untold: { type: "boolean", default: false },
  },
});
const changes = Number(values.changes);
const seed = Number(values.seed);
const timing = values.delay === undefined ? {} : { seatsDelay: Number(values.delay) };
const PROCESSES = 4;
/** Milliseconds that two updates of one team must be apart. */
const PAUSE = 10_000;
const LOOK = 500;
const TOLD_EVERY = 10_000;
/**
 * What a process leaves behind that dies in its turn is taken up a minute later, and looked at once
 * more after another one.
 */
const LONGEST = 5 * PATIENCE;

const started = performance.now();
const seconds = () => Math.round((performance.now() - started) / 1000);
const plan = planOf(seed, { changes, isTold: !values.untold });
const server = await startPostgres({ settings: { fsync: "off" } });
const pool = new pg.Pool({ connectionString: server.url, max: 6 });
pool.on("error", () => {}); // a connection that is cut as the server ends
const double = await createStripeDouble({ seed });
/** The updates that were asked for, by the request's id: the double forgets old ones. */
const asked = new Map<string, LoggedRequest>();
const wrong: string[] = [];
let crew: Crew | undefined;
let shop: Shop | undefined;
try {
  shop = await openShop(double, pool, plan.entities, timing);
  for (const fault of plan.faults) double.faults.add(fault);
  const began = Date.now();
  crew = startCrew(plan.changes, PROCESSES, { database: server.url, config: shop.config, began });
  await Promise.all([kills(crew, began), until(isDone)]);
  double.faults.clear();
  await until(isSettled);
  wrong.push(...crew.wrong);
  await judge(crew, shop);
} finally {
  crew?.end();
  await shop?.close();
  await double.close();
  await pool.end();
  await server.stop();
}
if (wrong.length > 0) process.exitCode = 1;

async function kills(of: Crew, began: number): Promise<void> {
  for (const kill of plan.kills) {
    await sleep(Math.max(0, began + kill.after - Date.now()));
    await of.kill(kill);
  }
}

/** Whether every change has been made, and told; or it is clear that it never will be. */
async function isDone(of: Crew): Promise<boolean> {
  return of.done.size === changes || of.wrong.length > 0;
}

async function isSettled(_: Crew, at: Shop): Promise<boolean> {
  return (await at.outstanding()) === 0;
}

/** Waits for a condition, and tells now and then how far it is. */
async function until(condition: (of: Crew, at: Shop) => Promise<boolean>): Promise<void> {
  if (crew === undefined || shop === undefined) return;
  const end = performance.now() + plan.span + LONGEST;
  for (let told = performance.now(); performance.now() < end; await sleep(LOOK)) {
    for (const request of double.requests.recent()) {
      if (request.signature === UPDATE) asked.set(request.id, request);
    }
    if (await condition(crew, shop)) return;
    if (performance.now() - told < TOLD_EVERY) continue;
    told = performance.now();
    const { done, kills: killed } = crew;
    console.log(
      `  ${seconds()} s: ${done.size} of ${changes} changes, ${killed.total} of ${plan.kills.length} kills, ${asked.size} updates asked for, ${await shop.outstanding()} teams to count`,
    );
  }
}

async function judge(of: Crew, at: Shop): Promise<void> {
  const made = await at.changes();
  if (made !== changes) wrong.push(`${made} changes were made of ${changes}`);
  const { total, counting, sending } = of.kills;
  if (total !== plan.kills.length) wrong.push(`${total} processes were killed`);
  const outstanding = await at.outstanding();
  if (outstanding > 0) wrong.push(`${outstanding} teams are still to be counted`);
  await double.settle();
  wrong.push(...(await at.differences()).atStripe);
  await until(async () => (await at.differences()).inTables.length === 0);
  wrong.push(...(await at.differences()).inTables);

  const updates = await seatUpdates(at.stripe, [...asked.values()]);
  const closest: number[] = [];
  for (const [entityId, id] of at.subscriptions) {
    const apart = closestOf(updates.get(id) ?? []);
    closest.push(apart);
    if (apart < PAUSE) wrong.push(`${entityId} had two updates within ${apart} ms`);
  }
  const statuses = new Map<number, number>();
  for (const { status } of asked.values()) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  for (const line of wrong) console.log(`  ✗ ${line}`);
  console.log(
    JSON.stringify({
      changes: made,
      seed,
      processes: PROCESSES,
      entities: plan.entities.length,
      rolledBack: of.rolledBack.size,
      kills: total,
      ofThoseCounting: counting,
      ofThoseSending: sending,
      asked: asked.size,
      answers: Object.fromEntries([...statuses].sort()),
      updates: [...updates.values()].reduce((sum, times) => sum + times.length, 0),
      closestMilliseconds: Math.min(...closest),
      wrong,
      seconds: seconds(),
      load: loadavg()[0],
    }),
  );
}
