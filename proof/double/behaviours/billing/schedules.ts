/** Subscription schedules and pauses: what is to happen later, and what is stopped. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import { first, idOf, last, statusOf } from "../../harness/read.js";
import { docs, reference } from "../../harness/sources.js";
import type { World } from "../../harness/world.js";

/** A subscription of 30 dollars that a schedule takes down to 10 at the end of its period. */
async function downgraded({ stripe, price, subscribe }: World) {
  const subscription = await subscribe(3000);
  const schedule = await stripe.subscriptionSchedules.create({
    from_subscription: subscription.id,
  });
  const now = first(schedule.phases);
  await stripe.subscriptionSchedules.update(schedule.id, {
    end_behavior: "release",
    phases: [
      {
        items: [{ price: idOf(first(now.items).price), quantity: 1 }],
        start_date: now.start_date,
        end_date: now.end_date,
      },
      {
        items: [{ price: await price(1000), quantity: 1 }],
        duration: { interval: "month", interval_count: 1 },
      },
    ],
  });
  return { subscription, schedule };
}

const amountOf = ({ items }: Stripe.Subscription) => first(items).price.unit_amount;

export const schedules: Theme = {
  name: "Schedules and pauses",
  behaviours: [
    {
      name: "made from a subscription it has the current period as its phase",
      source: docs("billing/subscriptions/subscription-schedules"),
      expected: { status: "active", phases: 1, attached: true },
      async see({ stripe, subscribe }) {
        const { id } = await subscribe(1000);
        const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id });
        const { schedule: attached } = await stripe.subscriptions.retrieve(id);
        return {
          status: schedule.status,
          phases: schedule.phases.length,
          attached: attached === schedule.id,
        };
      },
    },
    {
      name: "a downgrade at the period's end costs its new price from then on",
      source: docs(
        "billing/subscriptions/subscription-schedules/use-cases#downgrading-subscriptions",
      ),
      expected: { before: 3000, after: 1000, totals: [3000, 1000] },
      async see(world) {
        const { subscription } = await downgraded(world);
        const amount = async () =>
          amountOf(await world.stripe.subscriptions.retrieve(subscription.id));
        const before = await amount();
        await world.double.clock.advance({ days: 29 });
        const totals = (await world.invoices(idOf(subscription.customer))).map(
          ({ total }) => total,
        );
        return { before, after: await amount(), totals };
      },
    },
    {
      name: "after its last phase it lets the subscription go on by itself",
      source: docs("billing/subscriptions/subscription-schedules#completing-a-schedule"),
      expected: { schedule: "released", subscription: "active", attached: false },
      async see(world) {
        const { subscription, schedule } = await downgraded(world);
        await world.double.clock.advance({ days: 61 });
        const now = await world.stripe.subscriptions.retrieve(subscription.id);
        return {
          schedule: (await world.stripe.subscriptionSchedules.retrieve(schedule.id)).status,
          subscription: now.status,
          attached: now.schedule !== null,
        };
      },
    },
    {
      name: "released it changes nothing more",
      source: reference("subscription_schedules/release"),
      expected: { status: "released", amount: 3000 },
      async see(world) {
        const { subscription, schedule } = await downgraded(world);
        const { status } = await world.stripe.subscriptionSchedules.release(schedule.id);
        await world.double.clock.advance({ days: 29 });
        const now = await world.stripe.subscriptions.retrieve(subscription.id);
        return { status, amount: amountOf(now) };
      },
    },
    {
      name: "canceled it cancels its subscription",
      source: reference("subscription_schedules/cancel"),
      expected: { schedule: "canceled", subscription: "canceled" },
      async see(world) {
        const { subscription, schedule } = await downgraded(world);
        const { status } = await world.stripe.subscriptionSchedules.cancel(schedule.id);
        const now = await world.stripe.subscriptions.retrieve(subscription.id);
        return { schedule: status, subscription: now.status };
      },
    },
    {
      name: "a subscription can be paused, and is then not billed",
      source: docs("billing/subscriptions/pause"),
      expected: { status: "paused", told: 1, invoices: 1 },
      async see({ double, stripe, subscribe, events, invoices }) {
        const { id, customer } = await subscribe(1000);
        const { status } = await stripe.subscriptions.pause(id);
        const told = (await events("customer.subscription.paused")).length;
        await double.clock.advance({ days: 40 });
        return { status, told, invoices: (await invoices(idOf(customer))).length };
      },
    },
    {
      name: "one with a schedule cannot be paused",
      source: docs("billing/subscriptions/pause"),
      expected: 400,
      async see(world) {
        const { subscription } = await downgraded(world);
        return statusOf(world.stripe.subscriptions.pause(subscription.id));
      },
    },
    {
      name: "customers of a test clock are in no plain list, and live by it",
      source: docs("billing/testing/test-clocks"),
      expected: { plain: 0, byClock: 1, renewals: 2 },
      async see({ double, stripe, customer, subscribe, invoices }) {
        const clock = await stripe.testHelpers.testClocks.create({
          frozen_time: double.clock.seconds(),
        });
        const payer = await customer("pm_card_visa", { test_clock: clock.id });
        await subscribe(1000, { customer: payer });
        const month = 29 * 86_400;
        await stripe.testHelpers.testClocks.advance(clock.id, {
          frozen_time: clock.frozen_time + month,
        });
        await double.settle();
        const { data: byClock } = await stripe.customers.list({ test_clock: clock.id });
        const renewed = await invoices(payer);
        return {
          plain: (await stripe.customers.list()).data.length,
          byClock: byClock.length,
          renewals: last(renewed).billing_reason === "subscription_cycle" ? renewed.length : 0,
        };
      },
    },
  ],
};
