/**
 * The entry on workerd. A connection belongs to the request that opened it, so each request has a pool and an
 * instance of its own; what a request leaves to be done, it does after it has answered.
 */
import * as catalogue from "backend-billing/catalogue";
import * as postgres from "backend-billing/postgres";
import pg from "pg";
import { createApp, type Parts } from "./app.js";
import { linesOf } from "./walk.js";

interface Context {
  waitUntil(work: Promise<unknown>): void;
}

export default {
  async fetch(request: Request, env: { readonly SETTINGS: string }, context: Context) {
    const settings = JSON.parse(env.SETTINGS) as Parts["settings"];
    const isRun = new URL(request.url).pathname === "/run";
    const app = createApp({
      postgres,
      catalogue,
      pool: () =>
        new pg.Pool({ connectionString: settings.database, max: isRun ? 10 : 2 }) as never,
      settings,
    } as never);
    if (isRun) {
      const lines: string[] = [];
      for await (const line of linesOf(app, `workerd ${globalThis.navigator.userAgent}`)) {
        lines.push(line);
      }
      return new Response(lines.join("\n"));
    }
    const response = await app.billing.fetch(request);
    const end = async () => {
      await app.billing.tick({ budget: 1_000 });
      await app.billing.close();
      await app.pool.end();
    };
    context.waitUntil(end());
    return response;
  },
};
