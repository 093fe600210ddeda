// 32 callers on four stores, which share nothing but the database, commit overlapping batches and
// single events of the same 100 objects. Nothing may be lost: every outcome that is not a drop
// raises a revision by one, so the revisions at the end are the sum.
//
//   npm run store:concurrency -- --seconds 60 --connections 32
import { parseArgs } from "node:util";
import pg from "pg";
import { migrate } from "../packages/backend-billing/src/postgres/schema/migrations.js";
import { createPostgresStore } from "../packages/backend-billing/src/postgres/store/store.js";
import { event, NOW } from "../support/conformance/fixtures.js";
import { startPostgres } from "../support/postgres/server.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    connections: { type: "string", default: "32" },
  },
});
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const OBJECTS = 100;
const BATCH = 20;
const STORES = 4;

const server = await startPostgres();
const pool = new pg.Pool({ connectionString: server.url, max: connections });
pool.on("error", () => {}); // connections that are still closing when the server stops
try {
  await migrate(pool);
  const stores = Array.from({ length: STORES }, () => createPostgresStore({ pool }));
  const storeOf = (worker: number) => stores[worker % STORES] as (typeof stores)[number];
  const raised = new Map<string, number>();
  const acts = new Map<string, number>();
  const errors: string[] = [];
  let commits = 0;
  const end = Date.now() + seconds * 1000;

  const work = async (worker: number) => {
    for (let round = 0; Date.now() < end; round++) {
      // Single events go through the group commit, batches past it.
      const size = Math.floor(worker / STORES) % 2 === 0 ? 1 : BATCH;
      const snapshots = Array.from({ length: size }, () => {
        const id = `prod_${Math.floor(Math.random() * OBJECTS)}`;
        const at =
          1000 + Math.floor((Date.now() - end) / 1000 + seconds) + Math.floor(Math.random() * 3);
        return event("products", id, at, { name: `${worker}.${round % 3}` });
      });
      try {
        const result = await storeOf(worker).commit({
          source: "event",
          now: NOW,
          units: snapshots.map((snapshot) => ({ snapshots: [snapshot] })),
        });
        if (!result.committed) throw new Error("A batch without records cannot conflict");
        commits++;
        result.units.forEach((unit, index) => {
          const act = unit.duplicate ? "duplicate" : (unit.outcomes[0]?.act ?? "none");
          acts.set(act, (acts.get(act) ?? 0) + 1);
          const id = snapshots[index]?.id ?? "";
          if (act !== "drop") raised.set(id, (raised.get(id) ?? 0) + 1);
        });
      } catch (error) {
        errors.push(String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, worker) => work(worker)));

  let wrong = 0;
  let steps = 0;
  for (let i = 0; i < OBJECTS; i++) {
    const id = `prod_${i}`;
    const revision = (await storeOf(0).version("products", id))?.revision ?? 0;
    steps += revision;
    if (revision !== (raised.get(id) ?? 0)) wrong++;
  }
  console.log(
    `${commits} commits of 1 or ${BATCH} objects by ${connections} callers in ${seconds} s`,
  );
  console.log(`outcomes: ${[...acts].map(([act, count]) => `${act} ${count}`).join(", ")}`);
  console.log(
    `${steps} revision steps, ${wrong} objects with a step unaccounted for, ${errors.length} errors`,
  );
  for (const error of errors.slice(0, 5)) console.error(error);
  if (wrong > 0 || errors.length > 0 || steps === 0) process.exitCode = 1;
} finally {
  await pool.end();
  await server.stop();
}
