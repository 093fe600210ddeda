/** Hooks that fail, wait or die, and news that no webhook brings. A part of the family of reactions. */
import { truth } from "../harness/facts.js";
import { atEase, checkNamed, listener, often } from "../harness/listener.js";
import { sleep } from "../harness/patience.js";
import type { Scenario } from "../harness/scenario.js";
import { differences } from "../harness/verdict.js";
import { CREATED, UPDATED } from "./ordering.js";

const HEARD = { about: ["subscription"], judged: "by itself" } as const satisfies Partial<Scenario>;

/** How long Stripe's checkout keeps somebody waiting for the answer to a webhook. */
const STRIPE_WAITS = 10_000;

export const troubles: readonly Scenario[] = [
  {
    name: "hook-fails-once",
    what: "The hook throws when it is told of another plan, and would not a second time.",
    must: "The application is told again.",
    ...HEARD,
    needs: ["hooks"],
    long: true,
    play: async (t) => {
      const ada = await listener(t);
      const plan = await ada.move();
      t.inbox.fail(({ price }) => price === plan.id, 1);
      await ada.checkTold(plan, 1);
    },
  },
  {
    name: "start-fails-once",
    what: "The hook throws when it is told of a start, and would not a second time.",
    must: "The application is told of the start again.",
    ...HEARD,
    needs: ["hooks", "hooks by name"],
    long: true,
    play: async (t) => {
      t.inbox.fail(() => true, 1);
      await t.subscribe();
      await atEase(t);
      checkNamed(t, t.inbox.done, "started");
    },
  },
  {
    name: "written-once",
    what: "The hook writes a row in the transaction that it was given, and throws after that; a second time it would not.",
    must: "The row is there once.",
    ...HEARD,
    needs: ["hooks", "hooks in a transaction"],
    long: true,
    play: async (t) => {
      const ada = await listener(t);
      const plan = await ada.move();
      t.inbox.fail(({ price }) => price === plan.id, 1);
      await atEase(t);
      const written = (await t.instance().written?.()) ?? [];
      const count = written.filter(({ price }) => price === plan.id).length;
      t.check(count === 1, count === 0 ? "the row is not there" : `it is there ${often(count)}`);
    },
  },
  {
    name: "next-while-one-fails",
    what: "A subscription moves to a second plan, for which the hook throws once, and then to a third.",
    must: "What the application is told last is the third plan.",
    ...HEARD,
    needs: ["hooks"],
    long: true,
    play: async (t) => {
      const ada = await listener(t);
      const second = await ada.move();
      t.inbox.fail(({ price }) => price === second.id, 1);
      await t.deliver(t.held(UPDATED));
      const third = await ada.move();
      await t.deliver(t.held(UPDATED).slice(-1));
      await ada.checkLast(third);
    },
  },
  {
    name: "others-while-one-fails",
    what: "The hook throws whenever it is told of one subscription; another one moves to another plan.",
    must: "The application is told of the other one.",
    ...HEARD,
    needs: ["hooks"],
    long: true,
    play: async (t) => {
      const [ada, bob] = [await listener(t), await listener(t)];
      t.inbox.fail(({ subscription }) => subscription === ada.subscription.id);
      await ada.move();
      await t.deliver();
      const plan = await bob.move();
      await t.deliver();
      const told = await t.inbox.eventually(({ price }) => price === plan.id);
      t.check(told, "the application was not told of the other subscription");
      t.inbox.mend();
    },
  },
  {
    name: "rows-while-it-fails",
    what: "The hook throws whenever it is told; a subscription moves to another plan.",
    must: "The row has the new plan all the same.",
    ...HEARD,
    needs: ["hooks"],
    long: true,
    play: async (t) => {
      const ada = await listener(t);
      t.inbox.fail(() => true);
      await ada.move();
      await t.deliver();
      const rows = await t.instance().rows("subscription");
      for (const wrong of differences(
        "subscription",
        await truth(t.stripe, "subscription"),
        rows,
      )) {
        t.check(false, wrong);
      }
      t.inbox.mend();
    },
  },
  {
    name: "slow-hook",
    what: "The hook has to wait for a service, for longer than Stripe's checkout waits for the answer to a webhook.",
    must: "The webhook is answered meanwhile, and the application is told once.",
    ...HEARD,
    needs: ["hooks", "hooks that wait"],
    play: async (t) => {
      const ada = await listener(t);
      const plan = await ada.move();
      const hook = t.inbox.hold();
      let answered = false;
      const answers = t.deliver(t.held(UPDATED)).then(() => {
        answered = true;
      });
      await hook.caught;
      await Promise.race([answers, sleep(STRIPE_WAITS)]);
      t.check(answered, "the webhook was not answered while the hook was at work");
      hook.release();
      await answers;
      await ada.checkTold(plan, 1);
    },
  },
  {
    name: "killed-in-a-change",
    what: "The process is killed while the hook is told of another plan, and started again; Stripe delivers again what got no answer.",
    must: "The application is told again.",
    ...HEARD,
    needs: ["hooks", "hooks that wait", "kill"],
    ownProcess: true,
    play: async (t) => {
      const ada = await listener(t);
      const plan = await ada.move();
      const hook = t.inbox.hold();
      const delivering = t.deliver(t.held(UPDATED));
      await hook.caught;
      await t.kill();
      await delivering;
      await t.restart();
      await ada.checkTold(plan, 1);
    },
  },
  {
    name: "killed-in-a-start",
    what: "The same while the hook is told of a start.",
    must: "The application is told of the start again.",
    ...HEARD,
    needs: ["hooks", "hooks by name", "hooks that wait", "kill"],
    ownProcess: true,
    play: async (t) => {
      await t.subscribe();
      const hook = t.inbox.hold();
      const delivering = t.deliver(t.held(CREATED));
      await hook.caught;
      await t.kill();
      await delivering;
      await t.restart();
      await atEase(t);
      checkNamed(t, t.inbox.done, "started");
    },
  },
  {
    name: "never-delivered",
    what: "A subscription moves to another plan, and no webhook ever arrives; a repair finds it.",
    must: "The application is told of the new plan once.",
    ...HEARD,
    needs: ["hooks", "repair"],
    play: async (t) => {
      const ada = await listener(t);
      await t.backfill();
      await atEase(t);
      const plan = await ada.move();
      t.lose(t.held());
      await t.later();
      await t.repair();
      await ada.checkTold(plan, 1);
    },
  },
  {
    name: "end-never-delivered",
    what: "A subscription is canceled, and no webhook ever arrives; a repair finds it.",
    must: "The application is told of the end once.",
    ...HEARD,
    needs: ["hooks", "hooks by name", "repair"],
    play: async (t) => {
      const ada = await listener(t);
      await t.backfill();
      await ada.cancel();
      t.lose(t.held());
      await t.later();
      await t.repair();
      await atEase(t);
      checkNamed(t, ada.told(), "ended");
    },
  },
  {
    name: "delivered-after-all",
    what: "A subscription moves to another plan, which a repair finds; then its webhook arrives after all.",
    must: "The application is told of the new plan once.",
    ...HEARD,
    needs: ["hooks", "repair"],
    play: async (t) => {
      const ada = await listener(t);
      await t.backfill();
      const plan = await ada.move();
      await t.later();
      await t.repair();
      await atEase(t);
      await t.later();
      await t.deliver();
      await ada.checkTold(plan, 1);
    },
  },
  {
    name: "nothing-new",
    what: "A repair finds everything as it was.",
    must: "The application is told nothing.",
    ...HEARD,
    needs: ["hooks", "repair"],
    play: async (t) => {
      const ada = await listener(t);
      await t.backfill();
      await atEase(t);
      const before = ada.told().length;
      await t.later();
      await t.repair();
      await atEase(t);
      const count = ada.told().length - before;
      t.check(count === 0, `the application was told ${often(count)}`);
    },
  },
  {
    name: "first-copy",
    what: "An account with three subscriptions is copied for the first time; their webhooks were sent long ago.",
    must: "The application is told of none of them.",
    ...HEARD,
    needs: ["hooks", "backfill"],
    play: async (t) => {
      for (let i = 0; i < 3; i++) await t.subscribe();
      t.lose(t.held());
      await t.backfill();
      await atEase(t);
      const count = t.inbox.done.length;
      t.check(count === 0, `the application was told ${often(count)}`);
    },
  },
];
