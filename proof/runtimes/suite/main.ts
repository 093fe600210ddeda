/** The entry on Node, Bun and Deno: serves the routes as each of them does, and goes through the behaviours. */
import { createServer } from "node:http";
import process from "node:process";
import * as catalogue from "backend-billing/catalogue";
import * as postgres from "backend-billing/postgres";
import pg from "pg";
import { createApp, type Parts } from "./app.js";
import { linesOf } from "./walk.js";

type Served = (
  options: { readonly port: number; readonly hostname: string },
  handler: Handler,
) => unknown;
type Handler = (request: Request) => Promise<Response>;
const host = globalThis as {
  readonly Bun?: {
    readonly version: string;
    serve(options: { port: number; hostname: string; fetch: Handler }): unknown;
  };
  readonly Deno?: { readonly version: { readonly deno: string }; readonly serve: Served };
};

const settings = JSON.parse(process.env.RUNTIME_SETTINGS ?? "{}") as Parts["settings"];
const app = createApp({
  postgres,
  catalogue,
  pool: (max: number) => new pg.Pool({ connectionString: settings.database, max }) as never,
  settings,
} as never);

const { hostname, port } = new URL(settings.baseUrl);
const at = { hostname, port: Number(port) };
let stop = (): void => {};
if (host.Bun !== undefined) host.Bun.serve({ ...at, fetch: app.billing.fetch });
else if (host.Deno !== undefined) host.Deno.serve(at, app.billing.fetch);
else {
  const server = createServer(
    (request, response) => void app.billing.nodeHandler(request, response),
  );
  await new Promise<void>((resolve) => server.listen(at.port, at.hostname, resolve));
  stop = () => server.close();
}

const version =
  (host.Bun && `bun ${host.Bun.version}`) ??
  (host.Deno && `deno ${host.Deno.version.deno}`) ??
  `node ${process.versions.node}`;
for await (const line of linesOf(app, version)) console.log(line);
stop();
process.exit(0);
