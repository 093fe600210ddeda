// A function of a serverless host, as a process of its own: it serves the library's routes and a few of the
// application's, and is stopped or killed once it has answered. Run by host.ts.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { BillingError } from "../../../src/core/runtime/errors.js";
import { createBilling, type Queryable, type Reactions } from "../../../src/postgres/index.js";
import { catalogue, ORIGIN, type Order, TOLD } from "./shop.js";

const order = JSON.parse(process.argv[2] ?? "") as Order;
const pool = new pg.Pool({
  connectionString: order.database,
  max: 3,
  application_name: "function",
});
const tell =
  (name: string) =>
  async (event: { key: string }, { tx }: { tx: Queryable }) =>
    tx.query("INSERT INTO told (name, key) VALUES ($1, $2)", [name, event.key]);
const on = Object.fromEntries(TOLD.map((name) => [name, tell(name)])) as Reactions<Queryable>;
const { billing, store, setup } = createBilling({
  ...order.config,
  db: pool,
  background: false,
  catalogue,
  on,
  logger: { info() {}, warn() {}, error: (details, message) => console.error(message, details) },
});

type Args = { readonly entityId: string; readonly key: string; readonly amount: number };
const calls: { readonly [name: string]: (args: Args) => Promise<unknown> } = {
  setup: ({ entityId }) => setup({ entityId }),
  checkout: ({ entityId }) =>
    billing.checkout({
      entityId,
      lookupKey: "pro:monthly",
      successUrl: `${ORIGIN}/welcome`,
      cancelUrl: ORIGIN,
      ifSubscribed: "refuse",
    }),
  consume: ({ entityId, key, amount }) =>
    store.consume({ entityId, feature: "calls", key, amount }),
  grow: async ({ entityId, amount }) => billing.change({ entityId, quantity: amount }),
};

/** What a faulty library would do: it answers, and stores then. */
const answersFirst = async (request: Request): Promise<Response> => {
  const copy = new Request(request, { body: await request.arrayBuffer() });
  setTimeout(() => void billing.fetch(copy).catch(() => {}), 20);
  return new Response();
};

async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (order.isFaulty && pathname.endsWith("/webhook")) return answersFirst(request);
  if (pathname.startsWith("/stripe/")) return billing.fetch(request);
  const call = calls[pathname.slice(1)];
  if (call === undefined) return new Response(null, { status: 404 });
  const { entityId = "", key = "", amount = "1" } = Object.fromEntries(searchParams);
  try {
    return Response.json((await call({ entityId, key, amount: Number(amount) })) ?? {});
  } catch (error) {
    const status = error instanceof BillingError && error.expose ? error.status : 500;
    return Response.json({ error: String(error) }, { status });
  }
}

const server = createServer(async (incoming, outgoing) => {
  const body: Uint8Array[] = [];
  for await (const piece of incoming) body.push(piece as Uint8Array);
  const { method = "GET", url = "/", headers } = incoming;
  const request = new Request(new URL(url, order.config.base_url), {
    method,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, `${value}`]),
    ...(body.length > 0 && { body: Buffer.concat(body) }),
  });
  const answered = await answer(request);
  outgoing.writeHead(answered.status, Object.fromEntries(answered.headers));
  outgoing.end(Buffer.from(await answered.arrayBuffer()));
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit());
