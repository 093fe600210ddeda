/** Waits for the jobs of a backend under `convex-test`, which is known by its shape alone. */

/** A scheduled function, as Convex's system table has it. */
interface Job {
  readonly name: string;
  readonly args: unknown;
  readonly scheduledTime: number;
  readonly state: { readonly kind: string };
}

interface Reader {
  readonly db: {
    readonly system: {
      query(table: "_scheduled_functions"): { collect(): Promise<readonly Job[]> };
    };
  };
}

/** What `convexTest` answered. */
export interface SettledConvex {
  /** Runs `read` on the database of the backend that the test plays. */
  run<Result>(read: (ctx: Reader) => Promise<Result>): Promise<Result>;
}

/** Milliseconds. What is scheduled later than this from now is not waited for. */
const SOON = 5_000;
const PAUSE = 50;
/** Milliseconds. Ends a wait for jobs that never end; it says nothing about speed. */
const PATIENCE = 120_000;

/** Resolves once no job runs or is due soon; answers whether there was any. */
export async function finishJobs(backend: SettledConvex): Promise<boolean> {
  const end = Date.now() + PATIENCE;
  for (let waited = false; ; waited = true) {
    const left = await unfinished(backend);
    if (left.length === 0) return waited;
    if (Date.now() > end) throw new Error(`The background left undone: ${left.join(", ")}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

function unfinished(backend: SettledConvex): Promise<string[]> {
  return backend.run(async ({ db }) => {
    const jobs = await db.system.query("_scheduled_functions").collect();
    const until = Date.now() + SOON;
    return jobs
      .filter(
        ({ state, scheduledTime }) =>
          state.kind === "inProgress" || (state.kind === "pending" && scheduledTime < until),
      )
      .map(({ name, args }) => `${name} ${JSON.stringify(args)}`);
  });
}
