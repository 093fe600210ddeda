/** A server that refuses for a while, under load; and one that is read-only. */
import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresServer } from "../../../support/postgres/server.js";
import { codeOf } from "../application.js";
import { type Load, startLoad } from "../load.js";
import { described, found, type Outcome, type Row, type Scene } from "../outcome.js";
import { set, startServer } from "../pair.js";
import { openShop, type Shop } from "../shop.js";
import { differences, lostEvents, lostUses, wrongBooks, wrongEntities } from "../verify.js";

export interface Refusal {
  readonly rows: readonly Row[];
  readonly wrong: readonly string[];
}

type Refusing = (server: PostgresServer, shop: Shop, load: Load) => Promise<Refusal>;

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
    const { rows, wrong } = await refuse(server, shop, load);
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
