// Run by the soak in a process of its own: an application with the library in it, as its users write
// one. It has routes, hooks that write to its own tables, usage in its own transactions, and a schedule.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import pg from "pg";
import { createBilling } from "../../packages/backend-billing/src/postgres/index.js";
import { answer, leave, orderOf } from "./child.js";
import { type AppOrder, catalogue, RAW } from "./shop.js";

const order = orderOf<AppOrder>();
// As docs/recipes/pools.md says where the slowest webhooks matter: connections stay, for a new one has to read
// the catalogue and prepare its statements, and a backfill beside the webhooks has few pages under way.
const pool = new pg.Pool({
  connectionString: order.database,
  max: 20,
  idleTimeoutMillis: 300_000,
  application_name: "soak",
});
const BASE = `http://127.0.0.1:${order.port}`;
const kept: number[][] = [];
const wrong: string[] = [];
let lines = 0;

const log = (details: object, message: string) => {
  lines++;
  if (wrong.length < 20) wrong.push(`${message} ${JSON.stringify(details)}`);
};

const { billing, store, sync, checkout } = createBilling({
  secret_key: order.secretKey,
  webhook_secret: order.webhookSecret,
  stripe_options: { ...order.stripe, telemetry: false },
  db: pool,
  base_url: BASE,
  catalogue,
  concurrency: 2,
  rate: { total: 100, perEndpoint: 100 }, // as in live mode
  logger: { info: () => {}, warn: () => {}, error: log },
  on: {
    "access.granted": ({ entityId }, { tx }) => tell(tx, "access", entityId),
    change: {
      subscriptions: ({ id, after }, { tx }) =>
        tell(tx, "change", id, Number(after?.metadata.n ?? 0), JSON.stringify(after)),
    },
    stripe: { [RAW]: ({ id }, { tx }) => tell(tx, "raw", id) },
  },
});

interface Queries {
  query(text: string, values: unknown[]): PromiseLike<unknown>;
}

async function tell(tx: Queries, hook: string, about: string, n = 0, content = ""): Promise<void> {
  const text = "INSERT INTO told (hook, about, n, content) VALUES ($1, $2, $3, md5($4))";
  const values = [hook, about, n, content];
  await tx.query(text, values);
  if (order.break === "hook" && Math.random() < 0.02) await tx.query(text, values);
}

/** What a page of the application asks for. */
async function read(entityId: string): Promise<object> {
  const { status, plan } = await store.subscriptionOf(entityId);
  const { credits } = await store.usageOf(entityId);
  return { status, plan, sso: await store.can(entityId, "sso"), credits: credits.remaining };
}

/** Takes a credit, and does what it pays for, in one transaction. */
async function use(entityId: string, key: string): Promise<object> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    await client.query("BEGIN");
    const taken = await store.in(client).consume({ entityId, feature: "credits", key });
    const text = "INSERT INTO effects (entity, feature, key) VALUES ($1, 'credits', $2)";
    if (taken.allowed) await client.query(text, [entityId, key]);
    await client.query("COMMIT");
    isBroken = false;
    return taken;
  } finally {
    if (order.break !== "connection" || Math.random() > 0.0005) client.release(isBroken);
  }
}

const buy = (entityId: string) =>
  checkout({
    entityId,
    lookupKey: "pro:monthly",
    successUrl: `${BASE}/thanks`,
    cancelUrl: `${BASE}/prices`,
  });

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, route = "", entityId = "", key = ""] = (request.url ?? "").split("/");
  if (route === "stripe") {
    if (order.break === "memory") kept.push(Array.from({ length: 500 }, Math.random));
    if (order.break === "mirror" && Math.random() < 0.001) return void response.end();
    return billing.nodeHandler(request, response);
  }
  try {
    const result =
      route === "use" ? use(entityId, key) : route === "buy" ? buy(entityId) : read(entityId);
    response.end(JSON.stringify(await result));
  } catch (error) {
    log({ route }, String(error));
    response.statusCode = 500;
    response.end();
  }
}

const server = createServer((request, response) => void handle(request, response));
server.keepAliveTimeout = 60_000;

const answers = {
  async open() {
    await store.migrate();
    await pool.query(`
      CREATE TABLE told (hook text, about text, n bigint, content text);
      CREATE TABLE effects (entity text, feature text, key text, PRIMARY KEY (entity, feature, key))`);
    server.listen(order.port, "127.0.0.1");
    await once(server, "listening");
    await sync();
  },
  /** Copies everything that Stripe has, once more. */
  backfill: async () => (await sync()).state,
  tick: async () => (await billing.tick({ budget: 20_000 })).more,
  sample(isCollected: boolean) {
    if (isCollected) globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    return { rss, heapUsed, timers, connections: pool.totalCount, waiting: pool.waitingCount };
  },
  errors: () => ({ lines, first: wrong }),
  /** Ends the library, and says how many connections it still has in use. */
  async close() {
    await billing.close();
    server.close();
    server.closeAllConnections();
    return pool.totalCount - pool.idleCount;
  },
  /** Ends the application's own parts. The process must end by itself then. */
  async end() {
    if (order.break === "timer") setInterval(() => {}, 1_000);
    await Promise.race([pool.end(), new Promise((resolve) => setTimeout(resolve, 5_000).unref())]);
    setImmediate(leave);
  },
};
export type AppAnswers = typeof answers;
answer(answers);
