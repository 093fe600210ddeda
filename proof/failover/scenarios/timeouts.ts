/**
 * Short limits of the server, under load, one after another: for locks, for statements, for transactions
 * that are idle, and for sessions that are. Each must have ended something, or nothing is shown of it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Load } from "../load.js";
import { type Outcome, type Row, type Scene, sum } from "../outcome.js";
import type { Shop } from "../shop.js";
import { type Refusal, refused } from "./refusals.js";

const LIMITS = [
  "lock_timeout",
  "statement_timeout",
  "idle_in_transaction_session_timeout",
  "idle_session_timeout",
] as const;
const TABLES = ["customers", "versions", "records", "receipts", "usage_balances"];
/** How often a part is repeated where it has ended nothing. */
const ROUNDS = 10;

export const timeouts = (scene: Scene): Promise<Outcome> =>
  refused(scene, async (server, shop, load) => {
    const hold = scene.isShort ? 1_000 : 4_000;
    // The limits apply to all sessions but this one.
    const own = new pg.Client({ connectionString: server.url });
    own.on("error", () => {});
    await own.connect();
    for (const name of LIMITS) await own.query(`SET ${name} = 0`);
    const rows: Row[] = [["tables held, and ms each", `${TABLES.length}, ${hold}`]];
    const wrong: string[] = [];
    /** Sets one limit alone, until it has ended something. */
    const play = async ({ name, limit, count, work }: Part) => {
      const before = await count();
      let ended = 0;
      await own.query(`ALTER SYSTEM SET ${name} = ${limit}`);
      await own.query("SELECT pg_reload_conf()");
      for (let round = 0; ended === 0 && round < ROUNDS; round++) {
        await work();
        ended = (await count()) - before;
      }
      await own.query(`ALTER SYSTEM RESET ${name}`);
      await own.query("SELECT pg_reload_conf()");
      rows.push([`ended by ${name} of ${limit} ms`, ended, "some"]);
      if (ended === 0) wrong.push(`${name} of ${limit} ms has ended nothing, so nothing is shown`);
      scene.say(`${name} of ${limit} ms has ended ${ended}`);
    };
    const calls = (code: string) => async () => failedBy(load, code);
    const sessions = () => endedSessions(own);
    const holding = () => holdTables(own, hold);
    const waiting = () => sleep(hold);
    let forgotten: Refusal = { rows: [], wrong: [] };
    const forgetting = async () => {
      forgotten = await leftOpen(shop.first);
    };
    const idle = "idle_in_transaction_session_timeout";
    await play({ name: "lock_timeout", limit: 300, count: calls("55P03"), work: holding });
    await play({ name: "statement_timeout", limit: 300, count: calls("57014"), work: holding });
    await play({ name: idle, limit: 1_000, count: sessions, work: forgetting });
    await play({ name: idle, limit: 2, count: sessions, work: waiting });
    await play({ name: "idle_session_timeout", limit: 50, count: sessions, work: waiting });
    await own.end();
    return { rows: [...rows, ...forgotten.rows], wrong: [...wrong, ...forgotten.wrong] };
  });

interface Part {
  readonly name: (typeof LIMITS)[number];
  /** Milliseconds. */
  readonly limit: number;
  /** How much of what the limit ends has been ended since the server was started. */
  count(): Promise<number>;
  /** What is done under the limit, beside the load. */
  work(): Promise<unknown>;
}

/** Callers that were answered with this code of the server. */
const failedBy = ({ calls }: Load, code: string): number =>
  sum([...calls.failed].filter(([what]) => what.endsWith(code)).map(([, times]) => times));

/** Sessions that the server has ended by itself. */
async function endedSessions(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ ended: string }>(
    "SELECT sessions_fatal AS ended FROM pg_stat_database WHERE datname = current_database()",
  );
  return Number(rows[0]?.ended);
}

async function holdTables(client: pg.Client, milliseconds: number): Promise<void> {
  for (const table of TABLES) {
    await client.query("BEGIN");
    await client.query(`LOCK TABLE billing.backend_billing_${table} IN ACCESS EXCLUSIVE MODE`);
    await sleep(milliseconds);
    await client.query("ROLLBACK");
    await sleep(300);
  }
}

/** The application takes something and forgets its transaction. */
async function leftOpen({ pool, store }: Shop["first"]): Promise<Refusal> {
  const client = await pool.connect();
  client.on("error", () => {});
  const [entityId, key] = ["org_forgotten", "forgotten"];
  let ended = "committed";
  try {
    await client.query("BEGIN");
    await store.in(client).consume({ entityId, feature: "credits", key, amount: 1 });
    await sleep(2_500);
    await client.query("COMMIT");
  } catch {
    ended = "ended";
  } finally {
    client.release(true);
  }
  const { rowCount } = await pool.query(
    "SELECT 1 FROM billing.backend_billing_usage_records WHERE key = $1",
    [key],
  );
  return {
    rows: [["a transaction left open", ended, "ended by the server, and not counted"]],
    wrong: rowCount === 0 ? [] : ["A use is counted whose transaction was ended"],
  };
}
