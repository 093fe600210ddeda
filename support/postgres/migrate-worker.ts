// Run by migrate-race.ts in a process of its own: connects to the database it is told, says that it
// is ready, and calls `migrate` at the signal. It ends with the process that started it.
import pg from "pg";
import { migrate } from "../../packages/backend-billing/src/postgres/schema/migrations.js";

/** What the worker is told: first where to connect, then to go. */
export type Order = { readonly url: string; readonly schema: string } | "go";

/** What it answers: first that it is connected, then what came of it. */
export type Answer = "ready" | { readonly applied: string[] } | { readonly error: string };

const answer = (message: Answer) => process.send?.(message);

let work: (() => Promise<void>) | undefined;

async function connect(url: string, schema: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  await pool.query("SELECT 1");
  work = async () => {
    const result = await migrate(pool, { schema, resources: "all" }).catch((error: unknown) => ({
      error: String(error),
    }));
    await pool.end();
    answer(result);
  };
  answer("ready");
}

process.on("message", (order: Order) => {
  void (order === "go" ? work?.() : connect(order.url, order.schema));
});
process.on("disconnect", () => process.exit());
