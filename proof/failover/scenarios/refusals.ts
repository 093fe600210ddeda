/** A server that refuses for a while, under load: it is read-only, or everything takes too long. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { PostgresServer } from "../../../support/postgres/server.js";
import { codeOf } from "../application.js";
import { startLoad } from "../load.js";
import { described, found, type Outcome, type Row, type Scene } from "../outcome.js";
import { ask, set, startServer } from "../pair.js";
import { openShop, type Shop } from "../shop.js";
import { differences, lostEvents, lostUses, wrongBooks, wrongEntities } from "../verify.js";

type Refusing = (server: PostgresServer, shop: Shop) => Promise<{ rows: Row[]; wrong: string[] }>;

/** The load goes on while the server refuses, and for a while after. */
export async function refused(
  scene: Scene,
  refuse: Refusing,
  start = () => startServer(scene.tools.binaries),
): Promise<Outcome> {
  const { seed, isShort, isBroken } = scene;
  const server = await start();
  const shop = await openShop({ url: server.url, seed, isFaulty: isBroken, isHurried: isShort });
  try {
    const load = startLoad(shop, seed);
    while (load.calls.done < 40) await sleep(20);
    scene.say("it begins to refuse");
    const { rows, wrong } = await refuse(server, shop);
    scene.say("it refuses no more");
    const from = load.calls.done;
    while (load.calls.done < from + 40) await sleep(20);
    await load.stop();
    scene.say("the callers are done");
    await shop.settle();
    return {
      rows: [
        ...rows,
        ["events acknowledged", shop.acknowledged.size, "none lost"],
        ["webhooks by status", described(shop.statuses)],
        ["calls that failed and were repeated", described(load.calls.failed)],
      ],
      wrong: [
        ...wrong,
        ...found("acknowledged events are lost", await lostEvents(shop)),
        ...found("answered uses are lost", await lostUses(shop, load)),
        ...found("entities are wrong", await wrongEntities(shop, load)),
        ...found("entries of the books are wrong", await wrongBooks(shop)),
        ...found("rows differ from Stripe's", await differences(shop)),
      ],
    };
  } finally {
    await shop.close();
    await server.stop();
  }
}

/** As after a failover to a standby that was not promoted, or by a host whose disk is nearly full. */
export const readOnly = (scene: Scene): Promise<Outcome> =>
  refused(scene, async (server, shop) => {
    const { setup, store } = shop.first;
    await setup({ entityId: "org_known" });
    await set(server, "default_transaction_read_only", "on");
    await sleep(1_000); // every session has read it
    const made = shop.double.objects("customer").length;
    const acknowledged = shop.acknowledged.size;
    await shop.stripe.products.create({ name: "while read-only" });
    await sleep(scene.isShort ? 3_000 : 15_000);
    const entityId = "org_read_only";
    const use = { entityId: "org_known", feature: "credits", key: "ro", amount: 1 } as const;
    const answers = {
      setup: await setup({ entityId }).then(() => "done", codeOf),
      consume: await store.consume(use).then(() => "done", codeOf),
      known: (await store.customerOf("org_known")) === undefined ? "missing" : "read",
    };
    const after = shop.double.objects("customer").length;
    const taken = shop.acknowledged.size - acknowledged;
    await set(server, "default_transaction_read_only", "off");
    const isRight = answers.known === "read" && answers.setup !== "done";
    return {
      rows: [
        ["while read-only: setup, consume, a read", Object.values(answers).join(", ")],
        ["customers made at Stripe meanwhile", after - made, "0"],
        ["webhooks acknowledged meanwhile", taken, "each is stored"],
      ],
      wrong: [
        ...(isRight ? [] : [`It answers ${JSON.stringify(answers)}`]),
        ...(after === made
          ? []
          : [`${after - made} customers were made while nothing was written`]),
      ],
    };
  });

const TIMEOUTS = {
  statement_timeout: "1500",
  lock_timeout: "300",
  idle_in_transaction_session_timeout: "1000",
};
const TABLES = ["customers", "versions", "records", "receipts", "usage_balances"];

/** Short limits for statements, locks and idle transactions, and a session that holds tables. */
export const timeouts = (scene: Scene): Promise<Outcome> =>
  refused(scene, async (server, { first }) => {
    for (const [name, value] of Object.entries(TIMEOUTS)) await set(server, name, value);
    const holder = new pg.Client({ connectionString: server.url });
    holder.on("error", () => {});
    await holder.connect();
    for (const name of Object.keys(TIMEOUTS)) await holder.query(`SET ${name} = 0`);
    const hold = scene.isShort ? 1_000 : 4_000;
    for (const table of TABLES) {
      await holder.query("BEGIN");
      await holder.query(`LOCK TABLE billing.backend_billing_${table} IN ACCESS EXCLUSIVE MODE`);
      await sleep(hold);
      await holder.query("ROLLBACK");
      await sleep(300);
    }
    await holder.end();
    const idle = await leftOpen(first);
    for (const name of Object.keys(TIMEOUTS)) {
      await ask(server, `ALTER SYSTEM RESET ${name}`);
    }
    await ask(server, "SELECT pg_reload_conf()");
    return {
      rows: [
        ["tables held, and ms each", `${TABLES.length}, ${hold}`],
        ["a transaction left open", idle.ended, "ended by the server, and not counted"],
      ],
      wrong: idle.counted === 0 ? [] : ["A use is counted whose transaction was ended"],
    };
  });

/** The application takes something and forgets its transaction. */
async function leftOpen({ pool, store }: Shop["first"]) {
  const client = await pool.connect();
  client.on("error", () => {});
  const [entityId, key] = ["org_forgotten", "forgotten"];
  await client.query("BEGIN");
  await store.in(client).consume({ entityId, feature: "credits", key, amount: 1 });
  await sleep(2_500);
  const ended = await client.query("COMMIT").then(
    () => "committed",
    () => "ended",
  );
  client.release(true);
  const { rowCount } = await pool.query(
    "SELECT 1 FROM billing.backend_billing_usage_records WHERE key = $1",
    [key],
  );
  return { ended, counted: rowCount ?? 0 };
}
