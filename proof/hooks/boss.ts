/**
 * pg-boss's way: a change is a job for each listener, in a queue of its own, in strict order by its
 * object. The transaction that writes the row sends the jobs. It is a plain one that stands for the
 * store's commit: one row with the object's revision.
 */
import { type Db, PgBoss } from "pg-boss";
import {
  type Queryable,
  transaction,
} from "../../packages/backend-billing/src/postgres/database.js";
import { LISTENERS } from "./behaviour.js";
import { surely, type Way } from "./way.js";

/** Where a change is put that was tried for too long: a job that failed for good blocks its object. */
export const PARKED = "parked";

export const on = (connection: Queryable): Db => ({
  executeSql: (text, values) => connection.query(text, values),
});

/** Looks every second for jobs whose process has died: the shortest that there is. */
export function bossOn(connection: Queryable, supervise: boolean): PgBoss {
  const boss = new PgBoss({
    db: on(connection),
    schedule: false,
    supervise,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    maintenanceIntervalSeconds: 10,
  });
  boss.on("error", () => {}); // PostgreSQL is restarted now and then
  return boss;
}

let boss: PgBoss;

export const pgBoss: Way = {
  worker: new URL("./boss-worker.ts", import.meta.url),
  async prepare(pool) {
    boss = bossOn(pool, false);
    await boss.start();
    for (const listener of LISTENERS) {
      await boss.createQueue(listener, {
        policy: "key_strict_fifo",
        retryLimit: 1_000_000, // or it fails for good
        retryBackoff: true,
        retryDelayMax: 3,
        expireInSeconds: 2,
        deleteAfterSeconds: 1,
      });
    }
    await boss.createQueue(PARKED);
    await pool.query("CREATE TABLE objects (id text PRIMARY KEY, revision int)");
  },
  write: (pool, object, _step, last) =>
    surely(() =>
      transaction(pool, async (tx) => {
        const { rows } = await tx.query(
          `INSERT INTO objects VALUES ($1, 0)
           ON CONFLICT (id) DO UPDATE SET revision = objects.revision + 1
           WHERE objects.revision < $2 RETURNING revision`,
          [object, last],
        );
        const [row] = rows as { revision: number }[];
        if (row === undefined) return; // a commit of which nothing was heard
        const data = { object, name: String(row.revision) };
        for (const listener of LISTENERS) {
          await boss.send(listener, data, { singletonKey: object, db: on(tx) });
        }
      }),
    ),
  async waiting(pool) {
    const { rows } = await pool.query(
      `SELECT (count(*) FILTER (WHERE name <> $1 AND state < 'completed'))::int AS waiting,
         (count(*) FILTER (WHERE name = $1))::int AS parked FROM pgboss.job`,
      [PARKED],
    );
    return rows[0];
  },
  async left(pool) {
    const { rows } = await pool.query(
      `SELECT data->>'object' AS object, data->>'name' AS name, name = $1 AS "isParked"
       FROM pgboss.job WHERE name = $1 OR state <> 'completed'`,
      [PARKED],
    );
    return rows;
  },
  end: () => boss.stop({ graceful: false }),
};
