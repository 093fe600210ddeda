// Run in a process of its own: works at whatever run is open until it is done, then says so. It can
// be killed at any moment, and ends with the process that started it.
import pg from "pg";
import type { ResourceChoice } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { createBilling } from "../../packages/backend-billing/src/postgres/index.js";
import { listedAtOnce } from "../listed-at-once.js";

/** What the worker is told. */
export interface WorkerOrder {
  readonly url: string;
  readonly schema: string;
  readonly secretKey: string;
  readonly stripe: { host: string; port: number; protocol: "http"; telemetry: false };
  readonly pageLease: number;
  readonly rate?: false;
  /** What is mirrored, if not what is listed at once. */
  readonly resources?: ResourceChoice;
}

/** What it answers: the state and the id of the run, or what went wrong. */
export type WorkerAnswer =
  | { readonly state: string; readonly runId: string | null }
  | { readonly error: string };

async function work(order: WorkerOrder): Promise<WorkerAnswer> {
  const pool = new pg.Pool({ connectionString: order.url, max: 6 }).on("error", () => {});
  const { sync } = createBilling({
    secret_key: order.secretKey,
    webhook_secret: "whsec_none",
    db: pool,
    schema: order.schema,
    base_url: "https://app.example",
    stripe_options: order.stripe,
    resources: order.resources ?? listedAtOnce,
    timing: { pageLease: order.pageLease },
    ...(order.rate === undefined ? {} : { rate: order.rate }),
  });
  try {
    const { state, runId } = await sync();
    return { state, runId };
  } catch (error) {
    return { error: String(error) };
  } finally {
    await pool.end();
  }
}

process.on("message", (order: WorkerOrder) => {
  void work(order).then((answer) => process.send?.(answer));
});
process.on("disconnect", () => process.exit());
