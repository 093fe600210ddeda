/**
 * A synchronous standby takes over from a primary that dies under load, behind PgBouncer. What was
 * answered is there, without reading anything from Stripe again: webhooks that failed are sent again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { startPgbouncer } from "../../../support/postgres/pgbouncer.js";
import { startLoad } from "../load.js";
import { described, found, type Outcome, type Scene, sum } from "../outcome.js";
import { crash, promote, startServer, startStandby } from "../pair.js";
import { openShop } from "../shop.js";
import {
  differences,
  lostEvents,
  lostUses,
  metered,
  wrongBooks,
  wrongEntities,
} from "../verify.js";

export async function synchronous({
  tools,
  seed,
  isShort,
  isBroken,
  say,
}: Scene): Promise<Outcome> {
  let primary = await startServer(tools.binaries);
  const bouncer = await startPgbouncer(tools.pgbouncer, primary.url);
  const ended = [primary];
  const shop = await openShop({ url: bouncer.url, seed, isFaulty: isBroken, isHurried: isShort });
  try {
    const load = startLoad(shop, seed);
    const outages: number[] = [];
    const rounds = isShort ? 1 : 5;
    for (let round = 0; round < rounds; round++) {
      const standby = await startStandby(tools.binaries, primary, true);
      ended.push(standby);
      say("a standby follows");
      await sleep(isShort ? 4_000 : 8_000);
      load.pace.longest = 0;
      crash(primary);
      await promote(standby);
      say("the primary is dead, and the standby promoted");
      await bouncer.point(standby.url);
      primary = standby;
      const from = load.calls.done;
      while (load.calls.done < from + 50) await sleep(20);
      outages.push(load.pace.longest);
      say(`failover ${round + 1}: ${load.pace.longest} ms without an answer`);
    }
    await load.stop();
    await shop.settle();
    say("all is delivered and told");

    const calls = sum(load.used.filter(({ feature }) => feature === "calls").map((u) => u.amount));
    const wrong = [
      ...found("acknowledged events are lost", await lostEvents(shop)),
      ...found("answered uses are lost", await lostUses(shop, load)),
      ...found("entities are wrong", await wrongEntities(shop, load)),
      ...found("entries of the books are wrong", await wrongBooks(shop)),
      ...found("rows differ from Stripe's", await differences(shop)),
    ];
    const atMeter = await metered(shop);
    wrong.push(...(atMeter === calls ? [] : [`Stripe counted ${atMeter} calls, not ${calls}`]));
    return {
      rows: [
        ["failovers", rounds],
        [
          "events acknowledged, lost",
          `${shop.acknowledged.size}, ${(await lostEvents(shop)).length}`,
          "none lost",
        ],
        ["customers set up", load.customers.size, "one each"],
        ["subscriptions bought", load.buyers.size, "one each"],
        ["uses answered", load.used.length, "each counted once"],
        ["calls at Stripe's meter", `${atMeter} of ${calls}`, "equal"],
        ["longest time without any answer, ms", Math.max(...outages)],
        ["webhooks by status", described(shop.statuses)],
        ["calls that failed and were repeated", described(load.calls.failed)],
      ],
      wrong,
    };
  } finally {
    await shop.close();
    await bouncer.stop();
    for (const server of ended) await server.stop();
  }
}
