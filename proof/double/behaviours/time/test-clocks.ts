/** Test clocks: time that a test moves through the API. */
import type { Theme } from "../../harness/behaviour.js";
import { first, idOf, iso, last, seconds, statusOf } from "../../harness/read.js";
import { changelog, docs, reference, thread, types } from "../../harness/sources.js";
import type { World } from "../../harness/world.js";

const THEN = seconds("2028-01-15T10:00:00Z");
const DAY = 86_400;

/** A customer with a monthly subscription, who lives two years ahead. */
async function simulated({ stripe, customer, subscribe }: World) {
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: THEN });
  const payer = await customer("pm_card_visa", { test_clock: clock.id });
  const subscription = await subscribe(1000, { customer: payer });
  return { clock, payer, subscription };
}

export const testClocks: Theme = {
  name: "Test clocks",
  behaviours: [
    {
      name: "what is made for their customers is of their time",
      source: docs("billing/testing/test-clocks/api-advanced-usage#setup-simulation"),
      expected: { subscription: "2028-01-15T10:00:00Z", attached: true },
      async see(world) {
        const { clock, subscription } = await simulated(world);
        return {
          subscription: iso(subscription.created),
          attached: subscription.test_clock === clock.id,
        };
      },
    },
    {
      name: "payment intents are of today",
      source: thread("stripe/stripe-python#1183, remi-stripe: expected behaviour today"),
      expected: true,
      async see(world) {
        const { payer } = await simulated(world);
        const { data } = await world.stripe.paymentIntents.list({ customer: payer });
        return first(data).created === world.double.clock.seconds();
      },
    },
    {
      name: "one that advances says so, and then that it is ready",
      source: reference("test_clocks/advance"),
      expected: {
        answer: "advancing",
        after: "ready",
        frozen: "2028-01-20T10:00:00Z",
        events: ["test_helpers.test_clock.advancing", "test_helpers.test_clock.ready"],
      },
      async see(world) {
        const { clock } = await simulated(world);
        const { testClocks: clocks } = world.stripe.testHelpers;
        const { status } = await clocks.advance(clock.id, { frozen_time: THEN + 5 * DAY });
        await world.double.settle();
        const after = await clocks.retrieve(clock.id);
        const told = (await world.events()).map(({ type }) => type).slice(-2);
        return {
          answer: status,
          after: after.status,
          frozen: iso(after.frozen_time),
          events: told,
        };
      },
    },
    {
      name: "they go two intervals ahead at most, and never back",
      source: reference("test_clocks/advance#frozen_time"),
      expected: { back: 400, far: 400, near: 200 },
      async see(world) {
        const { clock } = await simulated(world);
        const advance = (days: number) =>
          statusOf(
            world.stripe.testHelpers.testClocks.advance(clock.id, {
              frozen_time: THEN + days * DAY,
            }),
          );
        return { back: await advance(-1), far: await advance(61), near: await advance(60) };
      },
    },
    {
      name: "they last thirty days",
      source: thread("stripe/stripe-python#789: deletes_after of a clock"),
      expected: 30 * DAY,
      async see({ stripe }) {
        const made = await stripe.testHelpers.testClocks.create({ frozen_time: THEN });
        return made.deletes_after - made.created;
      },
    },
    {
      name: "deleting one deletes its customers",
      source: docs("billing/testing/test-clocks/api-advanced-usage#delete-clock"),
      expected: { clock: true, customer: true, told: "test_helpers.test_clock.deleted" },
      async see(world) {
        const { clock, payer } = await simulated(world);
        const { deleted } = await world.stripe.testHelpers.testClocks.del(clock.id);
        const customer = await world.stripe.customers.retrieve(payer);
        return {
          clock: deleted,
          customer: customer.deleted === true,
          told: last(await world.events()).type,
        };
      },
    },
    {
      name: "a customer cannot be moved to one",
      source: thread("stripe/stripe-python#789: received unknown parameter: test_clock"),
      expected: 400,
      async see({ stripe, customer }) {
        const { id } = await stripe.testHelpers.testClocks.create({ frozen_time: THEN });
        const params: object = { test_clock: id };
        return statusOf(stripe.customers.update(await customer(), params));
      },
    },
    {
      name: "but one can be made for a customer",
      source: changelog("2026-05-27: adds customer to the creation of test clocks"),
      expected: true,
      async see({ stripe, customer }) {
        const payer = await customer();
        const clock = await stripe.testHelpers.testClocks.create({
          frozen_time: THEN,
          customer: payer,
        });
        const after = await stripe.customers.retrieve(payer);
        return !after.deleted && idOf(after.test_clock) === clock.id;
      },
    },
    {
      name: "their subscriptions are listed by clock or by customer only",
      source: types("SubscriptionListParams.test_clock"),
      expected: { plain: 0, clock: 1, customer: 1 },
      async see(world) {
        const { clock, payer } = await simulated(world);
        const { subscriptions } = world.stripe;
        return {
          plain: (await subscriptions.list()).data.length,
          clock: (await subscriptions.list({ test_clock: clock.id })).data.length,
          customer: (await subscriptions.list({ customer: payer })).data.length,
        };
      },
    },
  ],
};
