/**
 * A standby that was cut off for a while takes over from a primary that dies under load, so that what
 * was answered meanwhile is lost. Catch-up repairs the mirror; what it cannot repair is counted.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openAddress } from "../address.js";
import { codeOf } from "../application.js";
import { type Load, startLoad } from "../load.js";
import { described, found, type Outcome, type Scene, sum } from "../outcome.js";
import { crash, partition, promote, startServer, startStandby } from "../pair.js";
import { catchUp, openShop, type Shop } from "../shop.js";
import {
  differences,
  lostEvents,
  lostUses,
  metered,
  wrongBooks,
  wrongEntities,
} from "../verify.js";

export async function asynchronous(scene: Scene): Promise<Outcome> {
  const { tools, seed, isShort, isBroken, say } = scene;
  const primary = await startServer(tools.binaries);
  const address = await openAddress(primary.url);
  const ended = [primary];
  const shop = await openShop({ url: address.url, seed, isHurried: isShort });
  try {
    const standby = await startStandby(tools.binaries, primary, false);
    ended.push(standby);
    const load = startLoad(shop, seed);
    await sleep(isShort ? 3_000 : 15_000);
    await partition(standby);
    const gap = isShort ? 6_000 : 30_000;
    say(`the standby is cut off for ${gap / 1000} s`);
    await sleep(gap);
    crash(primary);
    await promote(standby);
    await address.point(standby.url);
    const from = load.calls.done;
    while (load.calls.done < from + 30) await sleep(20);
    await load.stop();
    await shop.settle();
    say("the standby has taken over");

    const lost = {
      events: (await lostEvents(shop)).length,
      uses: await lostUses(shop, load),
      rows: (await differences(shop)).length,
    };
    const wrong = lost.events > 0 && lost.rows > 0 ? [] : ["Nothing was lost, so nothing is shown"];
    wrong.push(...found("second pages were sold", await soldAgain(shop, load)));
    const took = isBroken ? 0 : await catchUp(shop);
    say(`catch-up took ${took} ms`);
    const differ = await differences(shop);
    wrong.push(...found("rows differ after catch-up", differ));
    for (const [entityId, customerId] of load.customers) {
      const again = await shop.first.setup({ entityId });
      if (again.customerId !== customerId) wrong.push(`${entityId} has another customer`);
    }
    const entities = await wrongEntities(shop, load);
    wrong.push(
      ...found("entities are wrong", entities),
      ...found("entries of the books are wrong", await wrongBooks(shop)),
    );
    const unrepaired = await lostUses(shop, load);
    // Whoever did not hear of it sends its key again: in the tables it counts once.
    for (const use of unrepaired) await shop.first.store.consume(use);
    await shop.settle();
    wrong.push(...found("uses are not counted by their keys", await lostUses(shop, load)));
    const twice = mailedTwice(shop);
    const calls = sum(load.used.filter(({ feature }) => feature === "calls").map((u) => u.amount));
    const atMeter = await metered(shop);
    if (atMeter < calls) wrong.push(`Stripe counted ${atMeter} calls, less than ${calls}`);
    return {
      rows: [
        ["seconds that the standby was behind", gap / 1000],
        ["events acknowledged", shop.acknowledged.size],
        ["acknowledged events lost", lost.events, "repaired by catch-up"],
        [
          "rows that differed, before and after catch-up",
          `${lost.rows}, ${differ.length}`,
          "0 after",
        ],
        ["catch-up, ms", took],
        ["customers, subscriptions", `${load.customers.size}, ${load.buyers.size}`],
        ["entities with two of either, or another's", entities.length, "0"],
        ["uses lost of those answered", `${lost.uses.length} of ${load.used.length}`],
        ["uses lost after catch-up", unrepaired.length, "not repaired"],
        ["calls that Stripe counted twice after their keys came again", atMeter - calls],
        ["things told twice outside of the database", `${twice.all} of ${shop.sent.length}`],
        ["of these under another key", twice.otherKey],
        ["calls that failed and were repeated", described(load.calls.failed)],
      ],
      wrong,
      notes: [
        "What an asynchronous standby had not received is lost. The mirror, links of customers and tellings come back by catch-up; usage and what else only this database knew do not.",
      ],
    };
  } finally {
    await shop.close();
    await address.stop();
    for (const server of ended) await server.stop();
  }
}

/** Buyers that are given another page though they paid one, before catch-up has read anything. */
async function soldAgain({ first }: Shop, { buyers }: Load): Promise<string[]> {
  const sold: string[] = [];
  for (const entityId of buyers) {
    const answer = await first.replica.checkout(entityId).then(({ kind }) => kind, codeOf);
    if (answer !== "already_subscribed") sold.push(`${entityId}: ${answer}`);
  }
  return sold;
}

/** What handlers did outside of the database for the same thing once more. */
function mailedTwice({ sent }: Shop) {
  const keys = new Map<string, string[]>();
  for (const { name, about, key } of sent) {
    const known = keys.get(`${name} ${about}`) ?? [];
    keys.set(`${name} ${about}`, [...known, key]);
  }
  const twice = [...keys.values()].filter((all) => all.length > 1);
  return { all: twice.length, otherKey: twice.filter((all) => new Set(all).size > 1).length };
}
