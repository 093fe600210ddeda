// Random histories of Stripe, of its events and of our processes: each must end with tables that
// equal what Stripe would answer. The first that does not is made as small as possible and told.
//
//   npm run converge -- --histories 200000 [--store memory|sqlite|postgres] [--seed n] [--path …]
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { isFault } from "../support/convergence/broken.js";
import { search, wrongStories } from "../support/convergence/check.js";
import { type OpenStore, openMemory } from "../support/convergence/stores/memory.js";

const { values } = parseArgs({
  options: {
    histories: { type: "string", default: "200000" },
    store: { type: "string", default: "memory" },
    seed: { type: "string" },
    path: { type: "string" },
    /** What is broken around the core, in memory; see support/convergence/broken.ts. */
    fault: { type: "string" },
    /** For machines: one line of JSON, and the first failure as it is. */
    json: { type: "boolean", default: false },
    shrink: { type: "boolean", default: false },
  },
});
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const started = performance.now();
const seconds = () => Math.round((performance.now() - started) / 1000);

async function open(): Promise<OpenStore> {
  const { fault } = values;
  if (fault !== undefined && !isFault(fault)) throw new RangeError(`There is no fault ${fault}`);
  if (values.store === "memory") return openMemory(fault);
  if (values.store === "sqlite") {
    return (await import("../support/convergence/stores/sqlite.js")).openSqlite();
  }
  if (values.store !== "postgres") throw new RangeError(`There is no store called ${values.store}`);
  const [{ default: pg }, { startPostgres }, { openPostgres }] = await Promise.all([
    import("pg"),
    import("../support/postgres/server.js"),
    import("../support/convergence/stores/postgres.js"),
  ]);
  const server = await startPostgres({ settings: { fsync: "off" } });
  const pool = new pg.Pool({ connectionString: server.url });
  pool.on("error", () => {}); // a connection that is cut as the server ends
  const store = await openPostgres(pool, "converge");
  return {
    ...store,
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
}

const store = await open();
try {
  const { failure, ...result } = await search(store, {
    histories: Number(values.histories),
    seed,
    shrinks: !values.json || values.shrink,
    ...(values.path === undefined ? {} : { path: values.path }),
    onProgress: (done) => {
      if (!values.json && done % 10_000 === 0) console.log(`  ${done} histories, ${seconds()} s`);
    },
  });
  if (values.json) {
    const told = { ...result, seed, failure: failure ?? null, stories: await wrongStories(store) };
    console.log(JSON.stringify(told));
  } else if (failure === undefined) {
    const load = loadavg()[0]?.toFixed(1);
    console.log(
      `${result.histories} histories on ${values.store} from seed ${seed} ended as Stripe has it: ${result.events} events, ${result.calls} calls of Stripe, ${seconds()} s, load ${load}`,
    );
  } else {
    console.log(
      `${failure.report}\n\nTo run it again: npm run converge -- --store ${values.store} --seed ${seed} --path ${failure.path}`,
    );
  }
  if (failure !== undefined) process.exitCode = 1;
} finally {
  await store.close?.();
}
