/** What follows a first checkout: late news, failed payments, changes of mind and of plans. */
import type { Family } from "../harness/scenario.js";
import { checkOnce, checkPayable, shopper } from "../harness/shopper.js";
import type { Stage } from "../harness/stage.js";

const SELLING = { about: [], needs: ["selling"], sells: true } as const;
const READING = { about: ["subscription"], judged: "by itself", sells: true } as const;

/** Nothing that waits will ever arrive. */
const loseAll = (t: Stage) => t.lose(t.held());

/** The card is refused when the subscription is to cost more, and it is past due. */
async function fallBehind(t: Stage, id: string): Promise<void> {
  const { customer, items } = await t.stripe.subscriptions.retrieve(id);
  const card = await t.stripe.paymentMethods.attach("pm_card_chargeCustomerFail", {
    customer: typeof customer === "string" ? customer : customer.id,
  });
  await t.stripe.subscriptions.update(id, { default_payment_method: card.id });
  const { status } = await t.stripe.subscriptions.update(id, {
    items: [{ id: items.data[0]?.id ?? "", quantity: 2 }],
    proration_behavior: "always_invoice",
    payment_behavior: "allow_incomplete",
  });
  if (status !== "past_due") throw new Error(`It is ${status}`);
}

export const afterCheckout: Family = {
  name: "after-checkout",
  title: "After checkout",
  why: "The webhook of a first payment is late or lost, cards are refused, and people change their minds.",
  scenarios: [
    {
      name: "back-and-clicked-again",
      what: 'Somebody pays, is sent back before any webhook, sees the button "Subscribe" and clicks it; they pay what they are given.',
      must: "There is one subscription, and one was paid for.",
      ...SELLING,
      needs: ["selling", "return route"],
      play: async (t) => {
        const [ada, price] = [await shopper(t), await t.price()];
        const page = await ada.click(price);
        await ada.pay(page);
        await ada.comeBack(page);
        await ada.pay(await ada.click(price), { price });
        await checkOnce(t, [page]);
      },
    },
    {
      name: "webhooks-lost",
      what: "Somebody pays and comes back; none of the webhooks ever arrives.",
      must: "The copy has the active subscription, and a second click sells nothing.",
      ...READING,
      needs: ["selling", "return route"],
      play: async (t) => {
        const [ada, price] = [await shopper(t), await t.price()];
        const page = await ada.click(price);
        await ada.pay(page);
        loseAll(t);
        await ada.comeBack(page);
        t.check((await ada.row())?.status === "active", "the copy has no active subscription");
        await ada.pay(await ada.click(price), { price });
        await checkOnce(t, [page]);
      },
    },
    {
      name: "past-due",
      what: 'A card is refused, the subscription is past due, and the person clicks "Subscribe" and pays what they are given.',
      must: "There is one subscription, and one was paid for.",
      ...SELLING,
      play: async (t) => {
        const [ada, price] = [await shopper(t), await t.price()];
        const { id } = await ada.subscribe(price);
        await t.later();
        await fallBehind(t, id);
        await t.deliver();
        await t.settle();
        await ada.pay(await ada.click(price), { price });
        await checkOnce(t);
      },
    },
    {
      name: "ending-and-clicked",
      what: 'A subscription is set to end with its period; the person clicks "Subscribe" and pays what they are given.',
      must: "There is one subscription, and one was paid for.",
      ...SELLING,
      play: async (t) => {
        const [ada, price] = [await shopper(t), await t.price()];
        const { id } = await ada.subscribe(price);
        await t.later();
        await t.stripe.subscriptions.update(id, { cancel_at_period_end: true });
        await t.deliver();
        await t.settle();
        await ada.pay(await ada.click(price), { price });
        await checkOnce(t);
      },
    },
    {
      name: "canceled-and-back",
      what: "A subscription is canceled, and before that webhook arrives the person clicks again.",
      must: "They are given a page that can be paid, and have one subscription.",
      ...SELLING,
      play: async (t) => {
        const [ada, price] = [await shopper(t), await t.price()];
        const { id } = await ada.subscribe(price);
        await t.later();
        await t.stripe.subscriptions.cancel(id);
        await checkPayable(t, ada, await ada.click(price));
        await checkOnce(t, [], { bought: 2 });
      },
    },
    {
      name: "trial-once",
      what: "Somebody has a trial, cancels it, and subscribes again.",
      must: "The second subscription has no trial, and is paid for at once.",
      ...SELLING,
      needs: ["selling", "one trial"],
      play: async (t) => {
        const ada = await shopper(t);
        const price = await t.price({ lookup_key: "trial" });
        const { id, status } = await ada.subscribe(price, { trialDays: 14 });
        if (status !== "trialing") throw new Error(`The first subscription is ${status}`);
        await t.later();
        await t.stripe.subscriptions.cancel(id);
        await t.deliver();
        await t.settle();
        await t.later();
        const again = await ada.subscribe(price, { trialDays: 14 });
        t.check(again.trial_end === null, "a second trial was given");
        await checkOnce(t, [], { bought: 2 });
      },
    },
    {
      name: "plan-changed",
      what: "Somebody changes to another plan through the application; its webhooks are lost.",
      must: "There is one subscription, on the new plan, and the copy says so at once.",
      ...READING,
      needs: ["selling", "plan changes"],
      play: async (t) => {
        const ada = await shopper(t);
        const [basic, pro] = [await t.price(), await t.price({ unit_amount: 3000 })];
        await ada.subscribe(basic);
        await t.later();
        const order = { ...ada.entity, price: pro, successUrl: `${t.url}/welcome` };
        await ada.pay((await t.instance().changePlan?.(order)) ?? {}, { price: pro });
        loseAll(t);
        const [live] = t.double.objects("subscription");
        const sold = live?.items.data[0]?.price.id;
        t.check(sold === pro.id, "the plan has not changed at Stripe");
        const row = await ada.row();
        const known = row?.price === pro.id || row?.plan === pro.lookup_key;
        t.check(known, `the copy still has ${String(row?.plan ?? "the old plan")}`);
        await checkOnce(t);
      },
    },
    {
      name: "seats",
      what: "A team of one has three members now, and the application says so; the webhooks are lost.",
      must: "Three seats are paid for at Stripe, and the copy says so.",
      ...READING,
      needs: ["selling", "seats"],
      play: async (t) => {
        const ada = await shopper(t);
        const price = await t.price({ metadata: { billing_per_seat: "true" } });
        await ada.subscribe(price);
        await t.later();
        await ada.pay((await t.instance().setSeats?.(ada.entity, 3)) ?? {}, { price });
        loseAll(t);
        const [live] = t.double.objects("subscription");
        const seats = live?.items.data[0]?.quantity;
        t.check(seats === 3, `there are ${seats} seats at Stripe`);
        t.check((await ada.row())?.quantity === 3, "the copy has another number of seats");
        await checkOnce(t);
      },
    },
    {
      name: "canceled-by-the-application",
      what: "Somebody cancels at the end of the period through the application; its webhooks are lost.",
      must: "The subscription ends with its period, and the copy says so at once.",
      ...READING,
      needs: ["selling", "cancelling"],
      play: async (t) => {
        const [ada, price] = [await shopper(t), await t.price()];
        await ada.subscribe(price);
        await t.later();
        await ada.pay((await t.instance().cancel?.(ada.entity)) ?? {});
        loseAll(t);
        const ends = t.double
          .objects("subscription")
          .every((each) => each.cancel_at_period_end || each.cancel_at !== null);
        t.check(ends, "it does not end at Stripe");
        const row = await ada.row();
        const known = row?.cancel_at_period_end === true || typeof row?.cancel_at === "number";
        t.check(known, "the copy does not say that it ends");
        await checkOnce(t);
      },
    },
    {
      name: "declined-then-another-try",
      what: "A card is declined on the page; the person goes back, clicks again, pays with another card, and then pays the first page, too.",
      must: "The second page can be paid; there is one subscription, and one was paid for.",
      ...SELLING,
      play: async (t) => {
        const [ada, price] = [await shopper(t), await t.price()];
        const first = await ada.click(price);
        await ada.pay(first, { card: "4000000000000002" });
        await t.deliver();
        await checkPayable(t, ada, await ada.click(price));
        await ada.pay(first);
        await checkOnce(t, [first]);
      },
    },
    {
      name: "incomplete",
      what: "A subscription was made without its first payment, and waits; the person clicks at another plan and pays that, and then the first invoice, too.",
      must: "They are not locked out, and have one subscription.",
      ...SELLING,
      play: async (t) => {
        const [ada, basic, pro] = [await shopper(t), await t.price(), await t.price()];
        const customer = await t.setupPatiently(ada.entity);
        const { latest_invoice: invoice } = await t.stripe.subscriptions.create({
          customer,
          items: [{ price: basic.id }],
          payment_behavior: "default_incomplete",
        });
        await t.deliver();
        await t.settle();
        await checkPayable(t, ada, await ada.click(pro));
        await ada.payInvoice(String(typeof invoice === "string" ? invoice : invoice?.id));
        await checkOnce(t);
      },
    },
    {
      name: "made-in-the-dashboard",
      what: 'Support makes a subscription in the dashboard, and its webhook arrives; the person clicks "Subscribe" and pays what they are given.',
      must: "There is one subscription.",
      ...SELLING,
      play: async (t) => {
        const [ada, price] = [await shopper(t), await t.price()];
        const customer = await t.setupPatiently(ada.entity);
        await t.subscribe({ customer, prices: [price] });
        await t.deliver();
        await t.settle();
        await ada.pay(await ada.click(price), { price });
        await checkOnce(t);
      },
    },
  ],
};
