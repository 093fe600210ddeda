// Random histories of the guard: callers that want to subscribe, people who pay any page that they
// were ever given, kills, lost answers, late webhooks, a store that is set back. None may end with two
// live subscriptions. The first that does is made as small as possible and told.
//
//   npm run guard                                        on each store, as many as stand below
//   npm run guard -- --store memory|postgres|convex [--histories n] [--seed n] [--path …]
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { search } from "../support/guard/check.js";
import { type OpenGuardStore, openMemory } from "../support/guard/stores/memory.js";

interface Proof {
  readonly histories: number;
  readonly open: () => Promise<OpenGuardStore>;
}

const proofs: { readonly [store: string]: Proof } = {
  memory: { histories: 10_000, open: openMemory },
  postgres: { histories: 1_000, open: openPostgresServer },
  convex: {
    histories: 300,
    open: async () => (await import("../support/guard/stores/convex.js")).openConvex(),
  },
};

const { values } = parseArgs({
  options: {
    store: { type: "string" },
    histories: { type: "string" },
    seed: { type: "string" },
    path: { type: "string" },
  },
});
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
Error.stackTraceLimit = 3; // errors are many here, and part of the game

async function prove(name: string): Promise<void> {
  const proof = proofs[name];
  if (proof === undefined) throw new RangeError(`There is no store called ${name}`);
  const wanted = Number(values.histories ?? proof.histories);
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const store = await proof.open();
  try {
    const { failure, tally, ...result } = await search(store, {
      histories: wanted,
      seed,
      ...(values.path === undefined ? {} : { path: values.path }),
      onProgress: (done) => {
        if (done % (proof.histories / 10) === 0) {
          console.log(`  ${done} histories, ${seconds()} s`);
        }
      },
      onFailure: (done, wrong) => {
        console.log(`  number ${done} ends wrong: ${wrong.join("; ")}`);
      },
    });
    if (failure === undefined) {
      const told = Object.entries(tally).map(([what, count]) => `${what} ${count}`);
      console.log(
        `${result.histories} histories on ${name} from seed ${seed}, nobody subscribed twice: ${told.join(", ")}; ${seconds()} s, load ${loadavg()[0]?.toFixed(1)}`,
      );
      return;
    }
    const again = `npm run guard -- --store ${name} --seed ${seed} --path ${failure.path}`;
    console.log(`${failure.report}\n\nTo run it again: ${again}`);
    process.exitCode = 1;
  } finally {
    await store.close?.();
  }
}

async function openPostgresServer(): Promise<OpenGuardStore> {
  const [{ default: pg }, { startPostgres }, { openPostgres }] = await Promise.all([
    import("pg"),
    import("../support/postgres/server.js"),
    import("../support/guard/stores/postgres.js"),
  ]);
  const server = await startPostgres({ settings: { fsync: "off" } });
  const pool = new pg.Pool({ connectionString: server.url });
  pool.on("error", () => {}); // a connection that is cut as the server ends
  const store = await openPostgres(pool, "guard");
  return {
    ...store,
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
}

const names = values.store === undefined ? Object.keys(proofs) : [values.store];
for (const name of names) await prove(name);
process.exit(); // `convex-test` leaves timers behind, for what was scheduled
