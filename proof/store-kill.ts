// PostgreSQL is killed with SIGKILL in the middle of commits, many times. After each restart every
// commit that was acknowledged is there whole, and every other is there whole or not at all.
//
//   npm run store:kill -- --times 50
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { migrate } from "../packages/backend-billing/src/postgres/schema/migrations.js";
import { createPostgresStore } from "../packages/backend-billing/src/postgres/store/store.js";
import { event, NOW, receipt } from "../support/conformance/fixtures.js";
import { startPostgres } from "../support/postgres/server.js";

const { values } = parseArgs({ options: { times: { type: "string", default: "50" } } });
const times = Number(values.times);
const WRITERS = 8;
const PARTS = 5;

const server = await startPostgres();
let next = 0;
const acknowledged = new Set<number>();
const unacknowledged = new Set<number>();

async function writeUntilKilled(pool: pg.Pool): Promise<void> {
  const store = createPostgresStore({ pool });
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (;;) {
        const commit = next++;
        const snapshots = Array.from({ length: PARTS }, (_, part) =>
          // Customers take the way with locks and rows of nulls, products the short one.
          event(commit % 2 === 0 ? "customers" : "products", `c${commit}_${part}`, 100),
        );
        try {
          await store.commit({
            source: "event",
            now: NOW,
            units: [{ receipt: receipt(`evt_${commit}`), snapshots }],
          });
          acknowledged.add(commit);
        } catch {
          unacknowledged.add(commit);
          return;
        }
      }
    }),
  );
}

/** How many of a commit's parts are there: its rows, its versions and its receipt. */
async function partsOf(pool: pg.Pool): Promise<Map<number, number>> {
  const { rows } = await pool.query(`
    SELECT substring(id from 'c(\\d+)_')::int AS commit, count(*)::int AS parts FROM (
      SELECT customer_id AS id FROM billing.backend_billing_customers
      UNION ALL SELECT product_id FROM billing.backend_billing_products
      UNION ALL SELECT id FROM billing.backend_billing_versions
      UNION ALL SELECT 'c' || substring(event_id from 5) || '_' FROM billing.backend_billing_receipts
    ) parts GROUP BY 1`);
  return new Map(rows.map(({ commit, parts }) => [commit, parts]));
}

const WHOLE = 2 * PARTS + 1;
let bad = 0;
let kept = 0;
let gone = 0;
try {
  const admin = new pg.Pool({ connectionString: server.url, max: 1 });
  await migrate(admin);
  await admin.end();
  for (let kill = 1; kill <= times; kill++) {
    const pool = new pg.Pool({ connectionString: server.url, max: WRITERS });
    pool.on("error", () => {}); // idle connections end with the server; that is the point
    const writing = writeUntilKilled(pool);
    await sleep(30 + Math.random() * 300);
    process.kill(server.pid, "SIGKILL");
    await writing;
    await pool.end();
    await server.restart();
  }
  const pool = new pg.Pool({ connectionString: server.url, max: 1 });
  const parts = await partsOf(pool);
  await pool.end();
  for (const commit of acknowledged) if (parts.get(commit) !== WHOLE) bad++;
  for (const commit of unacknowledged) {
    const found = parts.get(commit) ?? 0;
    if (found === WHOLE) kept++;
    else if (found === 0) gone++;
    else bad++;
  }
} finally {
  await server.stop();
}
console.log(
  `${times} kills; ${acknowledged.size} commits acknowledged, all whole unless counted below`,
);
console.log(
  `${unacknowledged.size} not acknowledged: ${kept} there whole, ${gone} not there at all`,
);
console.log(`${bad} wrong`);
if (bad > 0 || acknowledged.size === 0 || unacknowledged.size === 0) process.exitCode = 1;
