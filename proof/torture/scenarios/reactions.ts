/** What the application is told by hooks: how often, in which order, and whatever happens meanwhile. */

import { atEase, checkNamed, listener, toldOf } from "../harness/listener.js";
import type { Family, Scenario } from "../harness/scenario.js";
import { shopper } from "../harness/shopper.js";
import { CREATED, DELETED, UPDATED } from "./ordering.js";
import { troubles } from "./reactions-in-trouble.js";

/** What is told is judged; whether the rows are right is what the other families are about. */
const HEARD = { about: ["subscription"], judged: "by itself" } as const satisfies Partial<Scenario>;

const deliveries: readonly Scenario[] = [
  {
    name: "a-new-plan",
    what: "A subscription moves to another plan, and the news of it arrive once.",
    must: "The application is told of the new plan once.",
    ...HEARD,
    needs: ["hooks"],
    play: async (t) => {
      const ada = await listener(t);
      await ada.checkTold(await ada.move(), 1);
    },
  },
  {
    name: "a-life",
    what: "A subscription starts, moves to another plan and is canceled, and all news arrive in order.",
    must: "The application is told of the start, the plan and the end, in this order, once each.",
    ...HEARD,
    needs: ["hooks", "hooks by name"],
    play: async (t) => {
      const { subscription, move, cancel } = await listener(t);
      await move();
      await cancel();
      await atEase(t);
      const names = t.inbox.done
        .filter((news) => news.subscription === subscription.id)
        .map(({ name }) => name);
      const told = names.join(", ");
      t.check(told === "started, changed, ended", `it was told: ${told || "nothing"}`);
    },
  },
  {
    name: "change-twice",
    what: "The news of another plan arrive twice, a second apart.",
    must: "The application is told once.",
    ...HEARD,
    needs: ["hooks"],
    play: async (t) => {
      const ada = await listener(t);
      const plan = await ada.move();
      const news = t.held(UPDATED);
      await t.deliver(news);
      await t.later();
      await t.deliver(news);
      await ada.checkTold(plan, 1);
    },
  },
  {
    name: "start-twice",
    what: "The news of a start arrive twice, a second apart.",
    must: "The application is told of the start once.",
    ...HEARD,
    needs: ["hooks", "hooks by name"],
    play: async (t) => {
      await t.subscribe();
      const news = t.held(CREATED);
      await t.deliver(news);
      await t.later();
      await t.deliver(news);
      await atEase(t);
      checkNamed(t, t.inbox.done, "started");
    },
  },
  {
    name: "start-at-once",
    what: "The news of five starts arrive four times each, all at the same moment.",
    must: "The application is told of each start once.",
    ...HEARD,
    needs: ["hooks", "hooks by name"],
    play: async (t) => {
      const all = [];
      for (let i = 0; i < 5; i++) all.push(await t.subscribe());
      const creations = t.held(CREATED);
      await t.deliver(t.held().filter((each) => !creations.includes(each)));
      await t.deliverAtOnce([...creations, ...creations, ...creations, ...creations]);
      await atEase(t);
      for (const { id } of all) {
        const told = t.inbox.done.filter(({ subscription }) => subscription === id);
        checkNamed(t, told, "started");
      }
    },
  },
  {
    name: "end-twice",
    what: "The news of an end arrive twice, a second apart.",
    must: "The application is told of the end once.",
    ...HEARD,
    needs: ["hooks", "hooks by name"],
    play: async (t) => {
      const ada = await listener(t);
      await ada.cancel();
      const news = t.held(DELETED);
      await t.deliver(news);
      await t.later();
      await t.deliver(news);
      await atEase(t);
      checkNamed(t, ada.told(), "ended");
    },
  },
  {
    name: "last-one-first",
    what: "A subscription moves to a second plan and to a third, seconds apart; the news arrive last one first.",
    must: "What the application is told last is the third plan.",
    ...HEARD,
    needs: ["hooks"],
    play: async (t) => {
      const ada = await listener(t);
      await ada.move();
      const third = await ada.move();
      await t.deliverLastFirst();
      await ada.checkLast(third);
    },
  },
  {
    name: "sent-again",
    what: "An old move to another plan is sent again from the dashboard after a newer one.",
    must: "What the application is told last is the newer plan.",
    ...HEARD,
    needs: ["hooks"],
    play: async (t) => {
      const ada = await listener(t);
      await ada.move();
      const [old] = t.held(UPDATED);
      await t.deliver();
      const newer = await ada.move();
      await t.deliver();
      t.double.deliveries.resend(old?.event ?? "");
      await ada.checkLast(newer);
    },
  },
  {
    name: "start-after-a-change",
    what: "In an account that was never copied a subscription starts and moves to another plan; the news arrive last one first.",
    must: "The application is told of the start once.",
    ...HEARD,
    needs: ["hooks", "hooks by name"],
    play: async (t) => {
      const { id, items } = await t.subscribe();
      const price = await t.price();
      await t.later();
      const change = { items: [{ id: items.data[0]?.id ?? "", price: price.id }] };
      await t.stripe.subscriptions.update(id, { ...change, proration_behavior: "none" });
      await t.deliver(t.held(UPDATED));
      await t.deliver(t.held(CREATED));
      await atEase(t);
      checkNamed(t, t.inbox.done, "started");
    },
  },
  {
    name: "after-the-end",
    what: "A subscription is canceled; the news of a plan from before arrive afterwards.",
    must: "The application is told nothing after the end.",
    ...HEARD,
    needs: ["hooks", "hooks by name"],
    play: async (t) => {
      const ada = await listener(t);
      await ada.move();
      await ada.cancel();
      await t.deliver(t.held(DELETED));
      await atEase(t);
      checkNamed(t, ada.told(), "ended");
      t.check(ada.told().at(-1)?.name === "ended", "the application was told of a plan afterwards");
    },
  },
  {
    name: "checkout",
    what: "Somebody subscribes by checkout; the events of session, subscription, invoice and payment arrive in order.",
    must: "The application is told of one start.",
    ...HEARD,
    needs: ["hooks", "hooks by name", "selling"],
    sells: true,
    play: async (t) => {
      const [ada, price] = [await shopper(t), await t.price()];
      await ada.subscribe(price);
      await atEase(t);
      checkNamed(t, t.inbox.done, "started");
    },
  },
  {
    name: "checkout-backwards",
    what: "The same; the events arrive twice, last one first.",
    must: "The application is told of one start.",
    ...HEARD,
    needs: ["hooks", "hooks by name", "selling"],
    sells: true,
    play: async (t) => {
      const [ada, price] = [await shopper(t), await t.price()];
      await t.deliver();
      const paid = await ada.pay(await ada.click(price));
      if (paid !== "paid") throw new Error(`The page is ${paid}`);
      await t.deliver([...t.held()].reverse().flatMap((each) => [each, each]));
      await atEase(t);
      checkNamed(t, t.inbox.done, "started");
    },
  },
  {
    name: "back-before-the-webhook",
    what: "Somebody pays in checkout and is sent back to the application; then the webhooks arrive.",
    must: "The application is told of one start.",
    ...HEARD,
    needs: ["hooks", "hooks by name", "return route"],
    sells: true,
    play: async (t) => {
      const [ada, price] = [await shopper(t), await t.price()];
      await t.deliver();
      const page = await ada.click(price);
      await ada.pay(page);
      await ada.comeBack(page);
      await atEase(t);
      checkNamed(t, t.inbox.done, "started");
    },
  },
  {
    name: "by-the-application",
    what: "Somebody changes to another plan through the application; then its webhooks arrive.",
    must: "The application is told of the new plan once.",
    ...HEARD,
    needs: ["hooks", "selling", "plan changes"],
    sells: true,
    play: async (t) => {
      const ada = await shopper(t);
      const [basic, pro] = [await t.price(), await t.price({ unit_amount: 3000 })];
      await ada.subscribe(basic);
      await t.later();
      const order = { ...ada.entity, price: pro, successUrl: `${t.url}/welcome` };
      await ada.pay((await t.instance().changePlan?.(order)) ?? {}, { price: pro });
      await atEase(t);
      const count = t.inbox.done.filter(({ price }) => price === pro.id).length;
      t.check(count === 1, toldOf("the new plan", count));
    },
  },
];

export const reactions: Family = {
  name: "reactions",
  title: "Reactions",
  why: "An application sends mails and opens doors by what hooks tell it, and can take neither back.",
  scenarios: [...deliveries, ...troubles],
};
