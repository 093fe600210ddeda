/** What a change in the middle of a period costs, to the cent, and how its lines read. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import { amountsOf, expanded, first, idOf, last, periodEnd } from "../../harness/read.js";
import { docs, payload, reference, types } from "../../harness/sources.js";
import { APRIL_1, type World } from "../../harness/world.js";

type Change = Partial<Stripe.SubscriptionUpdateParams>;

/** Subscribes to a price, lets half of the period pass, and changes to another one. */
async function changedAtHalf(
  { double, stripe, price, subscribe }: World,
  from: number,
  to: number,
  change: Change = {},
): Promise<Stripe.Subscription> {
  const { id, items } = await subscribe(from);
  await double.clock.advance({ days: 15 });
  return stripe.subscriptions.update(id, {
    items: [{ id: first(items).id, price: await price(to) }],
    expand: ["latest_invoice"],
    ...change,
  });
}

export const prorations: Theme = {
  name: "Prorations",
  behaviours: [
    {
      name: "to the second: a change at exactly half",
      source: docs("billing/subscriptions/prorations#how-prorations-work"),
      now: APRIL_1,
      expected: [-500, 1500],
      see: async (world) =>
        amountsOf(await world.pendingItems(await changedAtHalf(world, 1000, 3000))),
    },
    {
      name: "rounded to the nearest cent",
      source: docs("billing/subscriptions/prorations#how-prorations-work"),
      now: APRIL_1,
      expected: [-667, 2000],
      async see(world) {
        const { double, stripe, price, subscribe } = world;
        const { id, items } = await subscribe(1000);
        await double.clock.advance({ days: 10 });
        const changed = await stripe.subscriptions.update(id, {
          items: [{ id: first(items).id, price: await price(3000) }],
        });
        return amountsOf(await world.pendingItems(changed));
      },
    },
    {
      name: "wording of the lines of a change",
      source: payload("a recorded invoice: Remaining time on Gold plan after 01 Sep 2020"),
      now: APRIL_1,
      expected: ["Remaining time on Pro after 16 Apr 2026", "Unused time on Pro after 16 Apr 2026"],
      async see(world) {
        const items = await world.pendingItems(await changedAtHalf(world, 1000, 3000));
        return items.map(({ description }) => description).sort();
      },
    },
    {
      name: "wording of the line of a period",
      source: payload("recorded invoices: 1 × Gold Special (at $20.00 / month)"),
      expected: "1 × Pro (at $10.00 / month)",
      async see({ subscribe }) {
        const { latest_invoice } = await subscribe(1000, { expand: ["latest_invoice"] });
        return first(expanded(latest_invoice).lines).description;
      },
    },
    {
      name: "a credit is of what was debited, not of the price now",
      source: docs("billing/subscriptions/billing-mode"),
      now: APRIL_1,
      expected: [-500, 500],
      async see(world) {
        const { double, stripe, price, subscribe } = world;
        const cheap = await price(1000);
        const { id, items } = await subscribe(0, { items: [{ price: cheap }] });
        const item = first(items).id;
        const dear = await price(3000);
        await stripe.subscriptions.update(id, {
          items: [{ id: item, price: dear }],
          proration_behavior: "none",
        });
        await double.clock.advance({ days: 15 });
        const back = { items: [{ id: item, price: cheap }] };
        return amountsOf(await world.pendingItems(await stripe.subscriptions.update(id, back)));
      },
    },
    {
      name: "another interval starts a period and is billed at once",
      source: docs("billing/subscriptions/prorations#when-prorations-apply"),
      now: APRIL_1,
      expected: { status: "paid", total: 9500, end: "2027-04-16T00:00:00Z" },
      async see({ double, stripe, price, subscribe }) {
        const { id, items } = await subscribe(1000);
        const yearly = await price(10_000, { recurring: { interval: "year" } });
        await double.clock.advance({ days: 15 });
        const changed = await stripe.subscriptions.update(id, {
          items: [{ id: first(items).id, price: yearly }],
          expand: ["latest_invoice"],
        });
        const { status, total } = expanded(changed.latest_invoice);
        return { status, total, end: periodEnd(changed) };
      },
    },
    {
      name: "a downgrade invoiced at once is a credit on the balance",
      source: docs("billing/customer/balance"),
      now: APRIL_1,
      expected: { status: "paid", due: 0, total: -1000, balance: -1000 },
      async see(world) {
        const changed = await changedAtHalf(world, 3000, 1000, {
          proration_behavior: "always_invoice",
        });
        const { status, amount_due: due, total } = expanded(changed.latest_invoice);
        const payer = await world.stripe.customers.retrieve(idOf(changed.customer));
        return { status, due, total, balance: payer.deleted ? null : payer.balance };
      },
    },
    {
      name: "another quantity credits all and charges all",
      source: docs("billing/subscriptions/quantities"),
      now: APRIL_1,
      expected: [-1000, 2500],
      async see(world) {
        const { double, stripe, price, subscribe } = world;
        const { id, items } = await subscribe(0, {
          items: [{ price: await price(1000), quantity: 2 }],
        });
        await double.clock.advance({ days: 15 });
        const more = { items: [{ id: first(items).id, quantity: 5 }] };
        return amountsOf(await world.pendingItems(await stripe.subscriptions.update(id, more)));
      },
    },
    {
      name: "by default it waits for the next invoice",
      source: reference("subscriptions/update#proration_behavior"),
      now: APRIL_1,
      expected: { now: 1, renewal: 4000, lines: 3 },
      async see(world) {
        const { double, invoices } = world;
        const customer = idOf((await changedAtHalf(world, 1000, 3000)).customer);
        const now = (await invoices(customer)).length;
        await double.clock.advance({ days: 16 });
        const { total, lines } = last(await invoices(customer));
        return { now, renewal: total, lines: lines.data.length };
      },
    },
    {
      name: "none costs nothing until the renewal",
      source: reference("subscriptions/update#proration_behavior"),
      now: APRIL_1,
      expected: { items: 0, renewal: 3000 },
      async see(world) {
        const changed = await changedAtHalf(world, 1000, 3000, { proration_behavior: "none" });
        const items = (await world.pendingItems(changed)).length;
        await world.double.clock.advance({ days: 16 });
        return { items, renewal: last(await world.invoices(idOf(changed.customer))).total };
      },
    },
    {
      name: "an added item is charged for the rest",
      source: docs("billing/subscriptions/multiple-products"),
      now: APRIL_1,
      expected: [1500],
      async see(world) {
        const { double, stripe, price, subscribe } = world;
        const { id } = await subscribe(1000);
        await double.clock.advance({ days: 15 });
        const items = [{ price: await price(3000) }];
        return amountsOf(
          await world.pendingItems(await stripe.subscriptions.update(id, { items })),
        );
      },
    },
    {
      name: "another discount alone prorates nothing",
      source: docs("billing/subscriptions/prorations#when-prorations-apply"),
      now: APRIL_1,
      expected: 0,
      async see(world) {
        const { double, stripe, subscribe } = world;
        const { id } = await subscribe(1000);
        await double.clock.advance({ days: 15 });
        const coupon = await stripe.coupons.create({ percent_off: 50, duration: "forever" });
        const discounts = [{ coupon: coupon.id }];
        return (await world.pendingItems(await stripe.subscriptions.update(id, { discounts })))
          .length;
      },
    },
    {
      name: "an unpaid period is credited as if it were paid",
      source: docs("billing/subscriptions/prorations#unpaid-invoices"),
      now: APRIL_1,
      expected: { status: "past_due", amounts: [-750, 2250] },
      async see(world) {
        const { double, stripe, price, subscribe, useCard } = world;
        const { id, items, customer } = await subscribe(1000);
        await useCard(idOf(customer), "pm_card_chargeCustomerFail");
        await double.clock.advanceTo("2026-05-08T18:00:00Z"); // a quarter of May
        const { status } = await stripe.subscriptions.retrieve(id);
        const changed = await stripe.subscriptions.update(id, {
          items: [{ id: first(items).id, price: await price(3000) }],
        });
        return { status, amounts: amountsOf(await world.pendingItems(changed)) };
      },
    },
    {
      name: "lines of a change say that they are prorations",
      source: types("InvoiceLineItem.parent, of an invoice item or of a subscription's item"),
      now: APRIL_1,
      expected: [true, true],
      async see(world) {
        const changed = await changedAtHalf(world, 1000, 3000, {
          proration_behavior: "always_invoice",
        });
        return expanded(changed.latest_invoice).lines.data.map(({ parent }) => {
          const item = parent?.invoice_item_details ?? parent?.subscription_item_details;
          return item?.proration;
        });
      },
    },
    {
      name: "an upgrade invoiced at once is charged at once",
      source: docs("billing/subscriptions/upgrade-downgrade"),
      now: APRIL_1,
      expected: { reason: "subscription_update", status: "paid", paid: 1000 },
      async see(world) {
        const changed = await changedAtHalf(world, 1000, 3000, {
          proration_behavior: "always_invoice",
        });
        const { billing_reason: reason, status, amount_paid } = expanded(changed.latest_invoice);
        return { reason, status, paid: amount_paid };
      },
    },
  ],
};
