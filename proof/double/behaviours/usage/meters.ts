/** Meters: what is used, counted once, and billed in arrears. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import { idOf, last, seconds, statusOf } from "../../harness/read.js";
import { docs, reference } from "../../harness/sources.js";
import type { World } from "../../harness/world.js";

const EVENT = "api_requests";

const createMeter = ({ stripe }: World) =>
  stripe.billing.meters.create({
    display_name: "Requests",
    event_name: EVENT,
    default_aggregation: { formula: "sum" },
  });

/** A subscription to a price of one dollar for each request. */
async function metered(world: World) {
  const meter = await createMeter(world);
  const price = await world.price(100, {
    recurring: { interval: "month", usage_type: "metered", meter: meter.id },
  });
  const subscription = await world.subscribe(0, { items: [{ price }] });
  const customer = idOf(subscription.customer);
  const use = (value: number, more: Partial<Stripe.Billing.MeterEventCreateParams> = {}) =>
    world.stripe.billing.meterEvents.create({
      event_name: EVENT,
      payload: { stripe_customer_id: customer, value: String(value) },
      ...more,
    });
  return { meter, customer, use };
}

export const meters: Theme = {
  name: "Meters",
  behaviours: [
    {
      name: "what was used is billed at the end of the period",
      source: docs("billing/subscriptions/usage-based/recording-usage"),
      expected: 500,
      async see(world) {
        const { customer, use } = await metered(world);
        await use(2);
        await use(3);
        await world.double.clock.advance({ days: 29 });
        return last(await world.invoices(customer)).total;
      },
    },
    {
      name: "an identifier counts once in 24 hours",
      source: reference("billing/meter-event/create#identifier"),
      expected: 500,
      async see(world) {
        const { customer, use } = await metered(world);
        await use(5, { identifier: "once" });
        await statusOf(use(5, { identifier: "once" }));
        await world.double.clock.advance({ days: 29 });
        return last(await world.invoices(customer)).total;
      },
    },
    {
      name: "times are at most 35 days old and five minutes ahead",
      source: reference("billing/meter-event/create#timestamp"),
      expected: { old: 400, within: 200, ahead: 400 },
      async see(world) {
        const { use } = await metered(world);
        const at = (text: string) => statusOf(use(1, { timestamp: seconds(text) }));
        return {
          old: await at("2025-12-26T10:00:00Z"),
          within: await at("2026-01-31T10:04:00Z"),
          ahead: await at("2026-01-31T10:06:00Z"),
        };
      },
    },
    {
      name: "a meter's event name is its own",
      source: docs("billing/subscriptions/usage-based/meters/configure"),
      expected: 400,
      async see(world) {
        await createMeter(world);
        return statusOf(createMeter(world));
      },
    },
    {
      name: "a meter that is deactivated takes no more events",
      source: reference("billing/meter/deactivate"),
      expected: { status: "inactive", event: 400 },
      async see(world) {
        const { meter, use } = await metered(world);
        const { status } = await world.stripe.billing.meters.deactivate(meter.id);
        return { status, event: await statusOf(use(1)) };
      },
    },
  ],
};
