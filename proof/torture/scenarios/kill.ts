/** The process dies without a word, by `kill -9`, and is started again on the same data. */
import type { Family, Scenario } from "../harness/scenario.js";
import { TooSlow } from "../harness/stage.js";
import { UPDATED } from "./ordering.js";

/** Killed while it copies, and started again after so many minutes. */
const copying = (minutes: number): Pick<Scenario, "about" | "needs" | "ownProcess" | "play"> => ({
  about: ["customer"],
  needs: ["backfill", "kill"],
  ownProcess: true,
  play: async (t) => {
    t.customers(3000);
    const pages = () => t.gate.asked.filter(({ url }) => url.includes("limit=100")).length;
    const before = t.backfill().then(
      () => false,
      () => true,
    );
    for (const end = Date.now() + 30_000; pages() < 8 && Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await t.kill();
    const isCutOff = await before;
    if (!isCutOff) throw new TooSlow(); // it was done before it could be killed
    await new Promise((resolve) => setTimeout(resolve, minutes * 60_000));
    await t.restart();
    await t.backfill();
  },
});

export const kill: Family = {
  name: "kill",
  title: "Kill and restart",
  why: "Deployments, out-of-memory kills and crashes end a process between any two steps.",
  scenarios: [
    {
      name: "backfill",
      what: "The process is killed in the middle of copying 3,000 customers, and started again at once.",
      must: "Once the backfill says that it is complete, all of them are there.",
      ...copying(0),
    },
    {
      name: "backfill-minutes-later",
      what: "The same, but started again six minutes later.",
      must: "Once the backfill says that it is complete, all of them are there.",
      slow: true,
      ...copying(6),
    },
    {
      name: "after-the-answer",
      what: "Three changes within one second arrive last one first; the process is killed right after its last 2xx.",
      must: "What was acknowledged is not lost: the last change stands.",
      about: ["subscription"],
      needs: ["kill"],
      ownProcess: true,
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        await t.settle();
        await t.later();
        await t.inOneSecond(async () => {
          for (const seats of [2, 3, 4]) await t.seats(subscription, seats);
        });
        await t.deliver([...t.held(UPDATED)].reverse());
        await t.kill();
        await t.restart();
        await t.later();
        await t.subscribe(); // life goes on
        await t.deliver();
      },
    },
    {
      name: "in-mid-delivery",
      what: "Forty-five events arrive at once, and the process is killed while it handles them; Stripe delivers again what got no answer.",
      must: "Every subscription is as after its last change.",
      about: ["subscription"],
      needs: ["kill"],
      ownProcess: true,
      play: async (t) => {
        const all = [];
        for (let i = 0; i < 15; i++) all.push(await t.subscribe());
        await t.deliver();
        for (const seats of [2, 3, 4]) {
          await t.later();
          for (const each of all) await t.seats(each, seats);
        }
        const delivering = t.deliverAtOnce(t.held());
        await new Promise((resolve) => setTimeout(resolve, 40));
        await t.kill();
        await delivering;
        await t.restart();
      },
    },
    {
      name: "setup",
      what: "The process is killed after Stripe has created the customer and before the answer is there; setup is called again.",
      must: "There is one customer at Stripe, and the entity has it.",
      about: ["customer"],
      needs: ["setup", "kill"],
      ownProcess: true,
      play: async (t) => {
        const answer = t.gate.hold(/^POST \/v1\/customers$/);
        const before = t.setup({ entityId: "user_1", email: "ada@example.com" }).catch(() => {});
        await answer.caught;
        await t.kill();
        answer.release();
        await before;
        await t.restart();
        const customer = await t.setupPatiently({ entityId: "user_1", email: "ada@example.com" });
        t.checkOneCustomer(customer);
      },
    },
  ],
};
