/** What people use up of what they pay for: counted once, never below zero, given once for a period. */
import { called, consumer } from "../harness/consumer.js";
import { atEase } from "../harness/listener.js";
import { sleep } from "../harness/patience.js";
import type { Family, Scenario } from "../harness/scenario.js";
import { bills } from "./usage-billed.js";

/** What is left is judged; whether the rows are right is what the other families are about. */
const USED = { about: ["subscription"], judged: "by itself" } as const satisfies Partial<Scenario>;
/** Seconds until a period ends: enough for what has to happen before. */
const SOON = 12;

const takings: readonly Scenario[] = [
  {
    name: "same-key-twice",
    what: "An application takes 3 of 10 units, is not told that it did, and does the same again.",
    must: "They are counted once.",
    ...USED,
    needs: ["usage"],
    play: async (t) => {
      const ada = await consumer(t);
      t.check(await ada.take(3, "request_1"), "what is included could not be taken");
      t.check(await ada.take(3, "request_1"), "the repetition was refused");
      await ada.checkLeft(7, "after a repetition");
    },
  },
  {
    name: "same-key-at-once",
    what: "Ten processes take 3 of 10 units for the same request at the same moment.",
    must: "They are counted once.",
    ...USED,
    needs: ["usage"],
    play: async (t) => {
      const ada = await consumer(t);
      const all = Array.from({ length: 10 }, () => ada.take(3, "request_1"));
      await Promise.allSettled(all);
      await ada.checkLeft(7, "after ten repetitions at once");
    },
  },
  {
    name: "last-unit",
    what: "One unit is left, and twenty requests want it at the same moment.",
    must: "One of them gets it, and nothing is below zero.",
    ...USED,
    needs: ["usage"],
    play: async (t) => {
      const ada = await consumer(t);
      await ada.take(9, "before");
      const all = Array.from({ length: 20 }, (_, at) => ada.take(1, `request_${at}`));
      const got = (await Promise.allSettled(all)).filter(
        (each) => each.status === "fulfilled" && each.value,
      ).length;
      t.check(got === 1, `${got} requests got the last unit`);
      await ada.checkLeft(0, "after twenty requests at once");
    },
  },
  {
    name: "too-much",
    what: "Of 10 units 8 are taken, and then 8 more are asked for.",
    must: "They are refused, and 2 are left.",
    ...USED,
    needs: ["usage"],
    play: async (t) => {
      const ada = await consumer(t);
      await ada.take(8, "request_1");
      t.check(!(await ada.take(8, "request_2")), "more was taken than there was");
      await ada.checkLeft(2, "after a refusal");
      t.check(await ada.take(2, "request_3"), "what was left could not be taken");
    },
  },
  {
    name: "rolled-back",
    what: "The application takes units in its own transaction, which is rolled back.",
    must: "Nothing was taken.",
    ...USED,
    needs: ["usage", "usage in a transaction"],
    play: async (t) => {
      const ada = await consumer(t);
      const { entityId } = ada;
      await called(t, "takeInVain")({ entityId, amount: 4, key: "request_1" });
      await ada.checkLeft(10, "after a transaction that was rolled back");
      t.check(await ada.take(4, "request_1"), "the request could not be done again");
      await ada.checkLeft(6, "after the request was done again");
    },
  },
  {
    name: "units-that-ended",
    what: "Somebody is given 5 units until a time, and wants them afterwards.",
    must: "They are there until then, and not spent afterwards.",
    ...USED,
    needs: ["usage", "units that end"],
    play: async (t) => {
      const ada = await consumer(t);
      const { entityId } = ada;
      await called(t, "give")({ entityId, amount: 5, key: "gift" }, 4_000);
      await ada.checkLeft(15, "before the gift ended");
      await sleep(4_100);
      await ada.checkLeft(10, "after the gift ended");
      t.check(!(await ada.take(11, "request_1")), "a unit was spent that had ended");
    },
  },
  {
    name: "refunded-pack",
    what: "Somebody buys 30 more units, uses none of them, and the payment is refunded.",
    must: "They are given once, and taken back.",
    ...USED,
    needs: ["usage", "packs"],
    sells: true,
    play: async (t) => {
      const ada = await consumer(t);
      const { price } = ada.shop.pack;
      const order = { entityId: ada.entityId, price, successUrl: `${t.url}/welcome` };
      const { url = "" } = await called(t, "buyPack")(order);
      t.payCheckout(/cs_test_\w+/.exec(url)?.[0] ?? "");
      await t.deliver(t.held().flatMap((each) => [each, each]));
      await atEase(t);
      await ada.checkLeft(40, "after the purchase");
      const [charge] = (await t.stripe.charges.list({ customer: ada.customer })).data;
      await t.later();
      await t.stripe.refunds.create({ charge: charge?.id ?? "" });
      await t.deliver(t.held().flatMap((each) => [each, each]));
      await atEase(t);
      await ada.checkLeft(10, "after the refund");
    },
  },
];

const periods: readonly Scenario[] = [
  {
    name: "renewal",
    what: "All units are used up; the subscription renews, is paid, and the news arrive in order.",
    must: "All units of the plan are there again.",
    ...USED,
    needs: ["usage"],
    play: async (t) => {
      const ada = await consumer(t, { within: SOON });
      await ada.take(10, "request_1");
      await ada.renew();
      await ada.collect();
      await atEase(t);
      await ada.checkLeft(10, "after the renewal");
    },
  },
  {
    name: "renewal-twice",
    what: "The news of a renewal arrive; 4 units are used; the same news arrive again.",
    must: "6 units are left.",
    ...USED,
    needs: ["usage"],
    play: async (t) => {
      const ada = await consumer(t, { within: SOON });
      await ada.take(7, "request_1");
      await ada.renew();
      await ada.collect();
      const news = t.held();
      await atEase(t);
      await ada.take(4, "request_2");
      await t.deliver(news);
      await atEase(t);
      await ada.checkLeft(6, "after the news came twice");
    },
  },
  {
    name: "renewal-backwards",
    what: "The news of a renewal arrive last one first, each four times at the same moment.",
    must: "The units of the plan are there once.",
    ...USED,
    needs: ["usage"],
    play: async (t) => {
      const ada = await consumer(t, { within: SOON });
      await ada.take(7, "request_1");
      await ada.renew();
      await ada.collect();
      for (const each of [...t.held()].reverse()) await t.deliverAtOnce([each, each, each, each]);
      await atEase(t);
      await ada.checkLeft(10, "after the renewal");
    },
  },
  {
    name: "renewal-untold",
    what: "All units are used up and the period is over; Stripe has renewed it, and its news are late.",
    must: "The next period's units can be taken, and are not given again when the news arrive.",
    ...USED,
    needs: ["usage"],
    play: async (t) => {
      const ada = await consumer(t, { within: SOON });
      await ada.take(10, "request_1");
      await ada.renew();
      t.check(await ada.take(4, "request_2"), "it was refused in a period that had begun");
      await ada.collect();
      await atEase(t);
      await ada.checkLeft(6, "after the news arrived");
    },
  },
  {
    name: "renewal-not-paid",
    what: "All units are used up; the card is declined at the renewal, and pays a week later.",
    must: "The next units are given when they are paid for.",
    ...USED,
    needs: ["usage"],
    play: async (t) => {
      const ada = await consumer(t, { within: SOON });
      await ada.take(10, "request_1");
      await ada.putCard("bad");
      await ada.renew();
      await ada.collect();
      await atEase(t);
      await ada.checkLeft(0, "while the payment is late");
      await ada.putCard("good");
      const { data } = await t.stripe.invoices.list({ customer: ada.customer, status: "open" });
      for (const { id } of data) await t.stripe.invoices.pay(id);
      await atEase(t);
      await ada.checkLeft(10, "after it was paid");
    },
  },
  {
    name: "upgrade",
    what: "Of 10 units 4 are used; the subscription moves to a plan with 50.",
    must: "The better plan's units are there, and not those of both.",
    ...USED,
    needs: ["usage"],
    play: async (t) => {
      const ada = await consumer(t);
      await ada.take(4, "request_1");
      await ada.move(ada.shop.large);
      // Some take what was used off the new plan's units, and some begin anew: it is paid for.
      const left = await ada.left();
      t.check(left === 46 || left === 50, `${left} units are left of a plan with 50`);
    },
  },
  {
    name: "to-and-fro",
    what: "Somebody with 50 units moves to the lesser plan and back three times, and uses 20 units each time.",
    must: "No more than 50 units were taken in the period.",
    ...USED,
    needs: ["usage"],
    play: async (t) => {
      const ada = await consumer(t, { plan: "large" });
      let taken = 0;
      for (let round = 0; round < 4; round++) {
        if (await ada.take(20, `request_${round}`)) taken += 20;
        await ada.move(ada.shop.small);
        await ada.move(ada.shop.large);
      }
      t.check(taken <= 50, `${taken} units of 50 were taken`);
      t.check((await ada.left()) >= 0, "the balance is below zero");
    },
  },
  {
    name: "downgrade",
    what: "Of 50 units 4 are used; the subscription moves to a plan with 10, and then renews.",
    must: "Nothing is below zero, and after the renewal 10 units are there.",
    ...USED,
    needs: ["usage"],
    play: async (t) => {
      const ada = await consumer(t, { plan: "large", within: SOON });
      await ada.take(4, "request_1");
      await ada.move(ada.shop.small);
      t.check((await ada.left()) >= 0, "the balance is below zero");
      await ada.renew();
      await ada.collect();
      await atEase(t);
      await ada.checkLeft(10, "after the renewal");
    },
  },
];

export const usage: Family = {
  name: "usage",
  title: "Usage and credits",
  why: "What is used up is money: counted twice it is the customer's, given twice it is yours.",
  scenarios: [...takings, ...periods, ...bills],
};
