/** Selling to one person, or to one organisation, that clicks more than once. */
import type { Family } from "../harness/scenario.js";
import { checkOnce, checkPayable, type Given, type Shopper, shopper } from "../harness/shopper.js";

/** People pay every page that they have, in this order; one that is closed stays unpaid. */
async function payAll(person: Shopper, pages: readonly Given[]): Promise<void> {
  for (const page of pages) await person.pay(page);
}

const SELLING = { about: [], needs: ["selling"], sells: true } as const;

export const twoTabs: Family = {
  name: "two-tabs",
  title: "Two tabs",
  why: "The most reported defect of billing is one person who pays for two subscriptions.",
  scenarios: [
    {
      name: "two-clicks-at-once",
      what: 'Somebody clicks "Subscribe" in two tabs at the same moment, and pays in both.',
      must: "Both are answered; there is one subscription, and one was paid for.",
      ...SELLING,
      play: async (t) => {
        const [ada, price] = [await shopper(t), await t.price()];
        const pages = await Promise.all([ada.click(price), ada.click(price)]);
        await payAll(ada, pages);
        await checkOnce(t, pages);
      },
    },
    {
      name: "two-owners",
      what: "Two owners of an organisation click at the same moment, each answered by an instance of its own where the subject can have two, and both pay.",
      must: "Both are answered; there is one subscription, and one was paid for.",
      ...SELLING,
      needs: ["selling", "organisations"],
      play: async (t) => {
        const org = await shopper(t, { entityId: "org_1", email: "office@example.com" });
        const price = await t.price();
        const on = t.subject.abilities.includes("kill") ? await t.another() : t.instance();
        const pages = await Promise.all([org.click(price), org.click(price, { on })]);
        await payAll(org, pages);
        await checkOnce(t, pages);
      },
    },
    {
      name: "webhook-late",
      what: "Somebody pays and closes the tab; before any webhook arrives they click again, and pay what they are given.",
      must: "There is one subscription, and one was paid for.",
      ...SELLING,
      play: async (t) => {
        const [ada, price] = [await shopper(t), await t.price()];
        const first = await ada.click(price);
        await ada.pay(first);
        await ada.pay(await ada.click(price), { price });
        await checkOnce(t, [first]);
      },
    },
    {
      name: "another-plan-first-paid-last",
      what: "Somebody opens one plan in a tab and another plan in a second one; they pay the second, then the first.",
      must: "The second page can be paid; there is one subscription, and one was paid for.",
      ...SELLING,
      play: async (t) => {
        const [ada, basic, pro] = [await shopper(t), await t.price(), await t.price()];
        const [first, second] = [await ada.click(basic), await ada.click(pro)];
        await checkPayable(t, ada, second);
        await ada.pay(first);
        await checkOnce(t, [first]);
      },
    },
    {
      name: "another-plan-first-paid-first",
      what: "Somebody opens one plan in a tab and another plan in a second one; they pay the first, then the second.",
      must: "There is one subscription, and one was paid for.",
      ...SELLING,
      play: async (t) => {
        const [ada, basic, pro] = [await shopper(t), await t.price(), await t.price()];
        const pages = [await ada.click(basic), await ada.click(pro)];
        await payAll(ada, pages);
        await checkOnce(t, pages);
      },
    },
    {
      name: "page-left-open",
      what: "A page is left open; in another tab the person chooses another plan and subscribes, all webhooks arrive, and later the first page is paid, too.",
      must: "There is one subscription, and one was paid for.",
      ...SELLING,
      play: async (t) => {
        const [ada, basic, pro] = [await shopper(t), await t.price(), await t.price()];
        const left = await ada.click(basic);
        const page = await ada.click(pro);
        await checkPayable(t, ada, page);
        await t.deliver();
        await t.settle();
        await ada.pay(left);
        await checkOnce(t, [left, page]);
      },
    },
    {
      name: "same-key",
      what: "A double click sends the same idempotency key twice at once; the person then chooses another plan, goes back to the first with the same key, and pays.",
      must: "All are answered; the last page can be paid, and there is one subscription.",
      ...SELLING,
      needs: ["selling", "idempotency keys"],
      play: async (t) => {
        const [ada, basic, pro] = [await shopper(t), await t.price(), await t.price()];
        const key = { idempotencyKey: "order-1" };
        const pages = await Promise.all([ada.click(basic, key), ada.click(basic, key)]);
        pages.push(await ada.click(pro, { idempotencyKey: "order-2" }));
        const last = await ada.click(basic, key);
        await checkPayable(t, ada, last);
        await payAll(ada, pages);
        await checkOnce(t, pages);
      },
    },
    {
      name: "crowd",
      what: "Twelve clicks at once ask for three plans, and every page that anybody gets is paid.",
      must: "All are answered; there is one subscription, and one was paid for.",
      ...SELLING,
      play: async (t) => {
        const ada = await shopper(t);
        const plans = [await t.price(), await t.price(), await t.price()];
        const pages = await Promise.all(
          [...plans, ...plans, ...plans, ...plans].map((plan) => ada.click(plan)),
        );
        await payAll(ada, pages);
        await checkOnce(t, pages);
      },
    },
    {
      name: "slow-stripe",
      what: "Stripe takes two seconds to make a page; the person clicks again meanwhile, and pays both.",
      must: "Both are answered; there is one subscription, and one was paid for.",
      ...SELLING,
      play: async (t) => {
        const [ada, price] = [await shopper(t), await t.price()];
        t.fault({
          fault: "latency",
          on: "POST /v1/checkout/sessions",
          milliseconds: 2000,
          times: 1,
        });
        const first = ada.click(price);
        await t.later();
        const pages = await Promise.all([first, ada.click(price)]);
        await payAll(ada, pages);
        await checkOnce(t, pages);
      },
    },
    {
      name: "answer-lost",
      what: "Stripe makes the page and the connection breaks before the answer; the person clicks until they are given a page.",
      must: "It can be paid; there is one subscription.",
      ...SELLING,
      play: async (t) => {
        const [ada, price] = [await shopper(t), await t.price()];
        t.fault({ fault: "cut_after", on: "POST /v1/checkout/sessions", times: 1 });
        let page = await ada.click(price);
        if (page.url === undefined) page = await ada.click(price);
        await checkPayable(t, ada, page);
        await checkOnce(t, [page]);
      },
    },
    {
      name: "clicked-when-subscribed",
      what: "Somebody is subscribed, and all webhooks have arrived; they click at the same plan and at another one, and pay what they are given.",
      must: "There is one subscription, and one was paid for.",
      ...SELLING,
      play: async (t) => {
        const [ada, basic, pro] = [await shopper(t), await t.price(), await t.price()];
        await ada.subscribe(basic);
        await ada.pay(await ada.click(basic), { price: basic });
        await t.deliver();
        await ada.pay(await ada.click(pro), { price: pro });
        await checkOnce(t);
      },
    },
    {
      name: "never-paid",
      what: "Somebody opens a page and leaves it, opens another plan and leaves that, and comes back to the first.",
      must: "The last page can be paid; there is one subscription.",
      ...SELLING,
      play: async (t) => {
        const [ada, basic, pro] = [await shopper(t), await t.price(), await t.price()];
        const pages = [await ada.click(basic), await ada.click(pro)];
        await t.deliver();
        await t.later();
        await checkPayable(t, ada, await ada.click(basic));
        await checkOnce(t, pages);
      },
    },
  ],
};
