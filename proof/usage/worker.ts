// A process that makes its share of the calls, from where it was, until it is killed or done.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { gateReads } from "../../packages/backend-billing/src/core/subscriptions/gates.js";
import {
  type UsageWrites,
  usageCalls,
} from "../../packages/backend-billing/src/core/usage/usage.js";
import { createPostgresStore } from "../../packages/backend-billing/src/postgres/index.js";
import { usageIn, usageOn } from "../../packages/backend-billing/src/postgres/usage/usage.js";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { catalogue } from "../../support/usage/world.js";
import { type Call, callOf } from "./history.js";

export interface Task {
  readonly url: string;
  readonly seed: string;
  readonly entities: number;
  /** The calls are `first`, `first + step` and so on, below `count`. */
  readonly first: number;
  readonly step: number;
  readonly count: number;
  /** The run's own clock: milliseconds at a moment, and how much faster it goes. */
  readonly clock: { readonly from: number; readonly at: number; readonly speed: number };
}

/** What a process says of a call: that it was allowed or refused, or failed for good. */
export interface Said {
  readonly number: number;
  readonly outcome: string;
}

const task = JSON.parse(process.argv[2] ?? "{}") as Task;
const LANES = 4;
const pool = new pg.Pool({ connectionString: task.url, max: 2 * LANES });
pool.on("error", () => {}); // PostgreSQL is restarted
const now = () => task.clock.from + (Date.now() - task.clock.at) * task.clock.speed;
const gates = gateReads(createPostgresStore({ pool }), catalogue);
const own = usageCalls({ store: usageOn(pool, {}), catalogue, now, gates });

/** Does a call in the application's transaction, beside a row of the application's own. */
async function inTransaction(call: Call): Promise<string> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    await client.query("BEGIN");
    const usage = usageCalls({ store: usageIn(client, {}), catalogue, now, gates });
    const outcome = await once(usage, call);
    if (outcome === "allowed") {
      const text =
        "INSERT INTO effects (entity, feature, key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
      await client.query(text, [call.entityId, call.feature, call.key]);
    }
    const isKept = call.within === "kept";
    await client.query(isKept ? "COMMIT" : "ROLLBACK");
    isBroken = false;
    return isKept ? outcome : "taken back";
  } finally {
    client.release(isBroken);
  }
}

async function once(usage: UsageWrites, call: Call): Promise<string> {
  const { entityId, feature, key, amount, lasting } = call;
  const use = { entityId, feature, key, amount };
  if (call.kind === "track") {
    await usage.track(use);
    return "allowed";
  }
  if (call.kind === "grant") {
    await usage.grant({ ...use, expiresAt: lasting === 0 ? null : Math.floor(now() + lasting) });
    return "granted";
  }
  if (call.kind === "consume") {
    return (await usage.consume(use)).allowed ? "allowed" : "refused";
  }
  const held = await usage.reserve({ ...use, expiresAt: Math.floor(now() + (lasting || 1e7)) });
  if (!held.allowed) return "refused";
  const { reservationId } = held;
  if (call.ending === "forgotten") return "held";
  if (call.ending === "released") {
    await usage.release({ reservationId });
    return "held";
  }
  try {
    await usage.finish({ reservationId, amount: call.cost });
    return "allowed";
  } catch (error) {
    if ((error as { code?: string }).code === "limit_reached") return "refused";
    throw error;
  }
}

/** Until it is done: PostgreSQL may be away, and locks may take too long. */
async function surely(call: Call): Promise<string> {
  for (;;) {
    try {
      return await (call.within === "nothing" ? once(own, call) : inTransaction(call));
    } catch (error) {
      const { code = "" } = error as { code?: string };
      // A check constraint stands for what must never be; everything else is the restart.
      if (code === "23514" || error instanceof TypeError) return `broke: ${error}`;
      await sleep(50);
    }
  }
}

const next = stream("lanes", task.seed, task.first);
let number = task.first;
const lane = async (): Promise<void> => {
  while (number < task.count) {
    const call = callOf(task.seed, number, task.entities);
    number += task.step;
    const repeated = Array.from({ length: call.times }, async (_, time) => {
      if (time > 0) await sleep(next() * 40);
      return surely(call);
    });
    const outcomes = await Promise.all(repeated);
    const outcome = outcomes.find((each) => each.startsWith("broke")) ?? outcomes[0] ?? "";
    process.send?.({ number: call.number, outcome } satisfies Said);
  }
};
await Promise.all(Array.from({ length: LANES }, lane));
await pool.end();
process.disconnect?.();
