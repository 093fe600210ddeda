/** PostgreSQL, the double, the application, and who sends requests to it: each in a process of its own. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort, startPostgres } from "../../support/postgres/server.js";
import type { AppAnswers } from "./app.js";
import { startChild } from "./child.js";
import { feedFrom, targetAt } from "./load.js";
import type { AppOrder, Break, StripeOrder } from "./shop.js";
import type { StripeAnswers } from "./stripe.js";
import { leftIn, waitingIn } from "./verify.js";

export interface StageOptions {
  readonly customers: number;
  readonly seed: string;
  readonly break: Break | undefined;
}

/** Milliseconds: between looks, and in which some of what is left must be done, or it is stuck. */
const LOOK = 250;
const STUCK = 120_000;

export type Stage = Awaited<ReturnType<typeof openStage>>;

export async function openStage(options: StageOptions) {
  const server = await startPostgres({ settings: { max_wal_size: "4GB" } });
  const pool = new pg.Pool({ connectionString: server.url, max: 4 });
  // At the end the server may close a connection before the pool has.
  pool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));
  const port = await freePort();
  const { customers, seed } = options;
  const webhook = `http://127.0.0.1:${port}/stripe/webhook`;
  const subscriptions = Math.ceil(customers / 5);
  const account: StripeOrder = { customers, subscriptions, seed, webhook };
  const stripe = startChild<StripeAnswers>("./stripe.ts", account, ["--max-old-space-size=4096"]);
  const { secret, secretKey, port: stripePort } = await stripe.ask.open();
  const order: AppOrder = {
    database: server.url,
    port,
    secretKey,
    webhookSecret: secret,
    stripe: { host: "127.0.0.1", port: stripePort, protocol: "http" },
    break: options.break,
  };
  const app = startChild<AppAnswers>("./app.ts", order, ["--expose-gc"]);
  await app.ask.open();
  const target = targetAt(port, secret);
  return {
    pool,
    stripe: stripe.ask,
    app: app.ask,
    /** Resolves when the application's process has ended, with how. */
    gone: app.gone,
    target,
    ...feedFrom((count) => stripe.ask.events(count)),
    databaseUrl: server.url,
    /** The most memory that the application ever had, in bytes. */
    peak: () => {
      const status = readFileSync(`/proc/${app.pid}/status`, "utf8");
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    },
    /** Until everything is told and asked. */
    async settled(): Promise<void> {
      let [least, since] = [Number.POSITIVE_INFINITY, Date.now()];
      for (let left = await leftIn(pool); left > 0; left = await leftIn(pool)) {
        if (left < least) [least, since] = [left, Date.now()];
        if (Date.now() > since + STUCK) {
          const { first } = await app.ask.errors();
          const left = `${await waitingIn(pool)}, now ${Date.now()}; logged: ${first.join("; ")}`;
          throw new Error(`Some of what is due is not done: ${left}`);
        }
        await sleep(LOOK);
      }
    },
    async close(): Promise<void> {
      target.close();
      app.kill();
      stripe.kill();
      await pool.end();
      await server.stop();
    },
  };
}
