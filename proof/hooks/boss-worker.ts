// A process that tells changes until it is killed, by jobs of pg-boss: the handler's transaction
// completes the job.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { transaction } from "../../packages/backend-billing/src/postgres/database.js";
import { lendFrom } from "../../packages/backend-billing/src/postgres/reactions/lend.js";
import { LISTENERS } from "./behaviour.js";
import { bossOn, on, PARKED } from "./boss.js";
import { connect, handlerWith, type Told } from "./handler.js";
import { IDLE, LANES, LIMIT, surely } from "./way.js";

/** Attempts at three seconds each, after which a change is parked: pg-boss does not say when it was first tried. */
const TRIES = Number(process.env.PATIENCE) / 3_000;

const pool = connect(pg.Pool, 2 * LANES);
const handle = handlerWith(connect(pg.Pool, LANES));
const lend = lendFrom(pool);
const boss = bossOn(pool, true);
await surely(() => boss.start());

/** Tells the oldest change that a listener can be told now; false if there is none. */
async function tell(listener: string): Promise<boolean> {
  const [job] = await boss.fetch<Told>(listener);
  if (job === undefined) return false;
  const settle = async (tx: Parameters<typeof on>[0]): Promise<void> => {
    const answer = await boss.complete(listener, job, null, { db: on(tx) });
    // It says how many it completed, and its types do not.
    if ((answer as { affected?: number }).affected !== 1)
      throw new Error("It was given to another process meanwhile.");
  };
  if (job.retryCount >= TRIES) {
    await transaction(pool, async (tx) => {
      await settle(tx);
      await boss.send(PARKED, job.data, { db: on(tx) });
    });
    return true;
  }
  try {
    await lend(LIMIT, async (tx) => {
      await handle(listener, job.data, tx);
      await settle(tx);
    });
  } catch (error) {
    await boss.fail(listener, job, { message: String(error) });
  }
  return true;
}

async function lane(place: number): Promise<never> {
  let idle = 0;
  for (let turn = place; ; turn++) {
    const listener = LISTENERS[turn % LISTENERS.length] ?? LISTENERS[0];
    const told = await tell(listener).catch(() => false); // while PostgreSQL is away
    idle = told ? 0 : idle + 1;
    if (idle >= LISTENERS.length) await sleep(IDLE);
  }
}

await Promise.all(Array.from({ length: LANES }, (_, place) => lane(place)));
