// Random histories of Stripe, of its events and of our processes: each must end with tables that
// equal what Stripe would answer. The first that does not is made as small as possible and told.
//
//   npm run converge -- --histories 200000 [--store memory|sqlite|postgres] [--seed n] [--path …]
//   npm run converge -- --resources all --histories 100000 --jobs 2
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import {
  type ResourceName,
  resourceNames,
} from "../packages/backend-billing/src/core/catalogue/catalogue.js";
import { isFault } from "../support/convergence/broken.js";
import { search, wrongStories } from "../support/convergence/check.js";
import { playedLines } from "../support/convergence/played.js";
import { type OpenStore, openMemory } from "../support/convergence/stores/memory.js";
import { inParts } from "./converge/jobs.js";

const { values } = parseArgs({
  options: {
    histories: { type: "string", default: "200000" },
    /** Names with commas between them, or `all`. Without it, the few with the most to go wrong. */
    resources: { type: "string" },
    /** How many processes share the work, each with its part of the histories and a seed. */
    jobs: { type: "string", default: "1" },
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
const { resources } = values;
const histories = Number(values.histories);
const jobs = Number(values.jobs);
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

function chosen(names: string): readonly ResourceName[] {
  if (names === "all") return resourceNames;
  return names.split(",").map((name) => {
    const found = resourceNames.find((each) => each === name.trim());
    if (found === undefined) throw new RangeError(`There is no resource called ${name}`);
    return found;
  });
}

/** All of them in this process. */
async function inOne() {
  const store = await open();
  try {
    const result = await search(store, {
      ...(resources === undefined ? {} : { resources: chosen(resources) }),
      histories,
      seed,
      shrinks: !values.json || values.shrink,
      ...(values.path === undefined ? {} : { path: values.path }),
      onProgress: (done) => {
        if (!values.json && done % 10_000 === 0) console.log(`  ${done} histories, ${seconds()} s`);
      },
    });
    if (!values.json) return result;
    return { ...result, stories: await wrongStories(store) };
  } finally {
    await store.close?.();
  }
}

/** By several processes, of which none tells anything. */
function inSeveral() {
  const { fault } = values;
  const args = [
    ["--store", values.store],
    ...(resources === undefined ? [] : [["--resources", resources]]),
    ...(fault === undefined ? [] : [["--fault", fault]]),
  ].flat();
  return inParts({
    histories,
    seed,
    jobs,
    args,
    onProgress: (done) => console.log(`  ${done} histories, ${seconds()} s`),
  });
}

const isOne = jobs <= 1 || values.path !== undefined || values.json;
const { failure, ...result } = await (isOne ? inOne() : inSeveral());
if (values.json) {
  console.log(JSON.stringify({ ...result, seed, failure: failure ?? null }));
} else if (failure === undefined) {
  const load = loadavg()[0]?.toFixed(1);
  console.log(
    `${result.histories} histories on ${values.store} from seed ${seed} ended as Stripe has it: ${result.events} events, ${result.calls} calls of Stripe, ${seconds()} s by ${jobs} at once, load ${load}`,
  );
  if (resources !== undefined) console.log(playedLines(result.played).join("\n"));
} else {
  const of = resources === undefined ? "" : ` --resources ${resources}`;
  const own = "seed" in failure ? failure.seed : seed;
  console.log(
    `${failure.report}\n\nTo run it again: npm run converge -- --store ${values.store}${of} --seed ${own} --path ${failure.path}`,
  );
}
if (failure !== undefined) process.exitCode = 1;
