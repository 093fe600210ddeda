/** Meters: what is used, counted once, and billed in arrears. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import { first, idOf, last, refusal, seconds, statusOf } from "../../harness/read.js";
import { docs, reference, thread, types } from "../../harness/sources.js";
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
  return { meter, customer, price, subscription, use };
}

/** Half a month with ten requests at one dollar, then four at two dollars until the period is over. */
async function switched(world: World, type: "classic" | "flexible"): Promise<number> {
  const { stripe, double, price } = world;
  const meter = await createMeter(world);
  const recurring = { interval: "month", usage_type: "metered", meter: meter.id } as const;
  const [one, two] = [await price(100, { recurring }), await price(200, { recurring })];
  const params = { items: [{ price: one }], billing_mode: { type } };
  const subscription = await world.subscribe(0, params);
  const customer = idOf(subscription.customer);
  const use = (value: string) =>
    stripe.billing.meterEvents.create({
      event_name: EVENT,
      payload: { stripe_customer_id: customer, value },
    });
  await use("10");
  await double.clock.advance({ days: 14 });
  const { id } = first(subscription.items);
  await stripe.subscriptions.update(subscription.id, { items: [{ id, price: two }] });
  await double.clock.advance({ hours: 1 });
  await use("4");
  await double.clock.advance({ days: 15 });
  return last(await world.invoices(customer)).total;
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
      name: "an identifier that is used again is refused, in these words",
      source: thread(
        "neosync, otoroshi: applications compare the message of a repeated identifier",
      ),
      expected: { status: 400, message: "An event already exists with identifier once." },
      async see(world) {
        const { use } = await metered(world);
        await use(1, { identifier: "once" });
        const { status, message } = await refusal(use(1, { identifier: "once" }));
        return { status, message };
      },
    },
    {
      name: "usage of the last period counts until its invoice is finalized",
      source: docs("billing/subscriptions/usage-based/configure-grace-period"),
      expected: { draft: 0, final: 700 },
      async see(world) {
        const { customer, use } = await metered(world);
        await world.double.clock.advance({ days: 28 });
        await use(7, { timestamp: seconds("2026-02-28T09:00:00Z") });
        const draft = last(await world.invoices(customer)).total;
        await world.double.clock.advance({ hours: 1 });
        return { draft, final: last(await world.invoices(customer)).total };
      },
    },
    {
      name: "less than nothing is billed as nothing",
      source: docs("billing/subscriptions/usage-based/recording-usage-api"),
      expected: 0,
      async see(world) {
        const { customer, use } = await metered(world);
        await use(2);
        await use(-5);
        await world.double.clock.advance({ days: 29 });
        return last(await world.invoices(customer)).total;
      },
    },
    {
      name: "flexible mode invoices nothing before anything was used",
      source: docs("billing/subscriptions/billing-mode/compare#suppress-zero-amount-line-items"),
      expected: { status: "active", invoices: 0 },
      async see(world) {
        const { customer, subscription } = await metered(world);
        const invoices = (await world.invoices(customer)).length;
        return { status: subscription.status, invoices };
      },
    },
    {
      name: "classic mode shows a line of nothing at first",
      source: docs("billing/subscriptions/billing-mode/compare#suppress-zero-amount-line-items"),
      expected: [0],
      async see(world) {
        const meter = await createMeter(world);
        const recurring = { interval: "month", usage_type: "metered", meter: meter.id } as const;
        const items = [{ price: await world.price(100, { recurring }) }];
        const mode = { billing_mode: { type: "classic" as const } };
        const { customer } = await world.subscribe(0, { items, ...mode });
        const { lines } = last(await world.invoices(idOf(customer)));
        return lines.data.map(({ amount }) => amount);
      },
    },
    {
      name: "flexible mode bills usage at the price of its time",
      source: docs("billing/subscriptions/billing-mode/compare#bill-usage-based-items"),
      expected: 10 * 100 + 4 * 200,
      see: (world) => switched(world, "flexible"),
    },
    {
      name: "classic mode bills only what was used since the price changed",
      source: docs("billing/subscriptions/billing-mode/compare#bill-usage-based-items"),
      expected: 4 * 200,
      see: (world) => switched(world, "classic"),
    },
    {
      name: "a subscription that ends with its period bills what was used",
      source: docs("billing/subscriptions/usage-based/manage-billing-setup#cancel"),
      expected: { status: "canceled", total: 300 },
      async see(world) {
        const { customer, subscription, use } = await metered(world);
        await world.stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
        await use(3);
        await world.double.clock.advance({ days: 29 });
        const { status } = await world.stripe.subscriptions.retrieve(subscription.id);
        return { status, total: last(await world.invoices(customer)).total };
      },
    },
    {
      name: "canceling at once discards what was used",
      source: docs("billing/subscriptions/cancel#canceling"),
      expected: 0,
      async see(world) {
        const { customer, subscription, use } = await metered(world);
        await use(3);
        await world.stripe.subscriptions.cancel(subscription.id);
        await world.double.clock.advance({ days: 29 });
        return (await world.invoices(customer)).length;
      },
    },
    {
      name: "an event of an unknown customer is taken, and reported later",
      source: docs("billing/subscriptions/usage-based/recording-usage-api#handle-errors"),
      expected: { status: 200, code: "meter_event_customer_not_found", count: 1 },
      async see(world) {
        const { meter, use } = await metered(world);
        const payload = { stripe_customer_id: "cus_unknown", value: "1" };
        const status = await statusOf(use(1, { payload }));
        await world.double.clock.advance({ minutes: 1 });
        const { events } = world.stripe.v2.core;
        const event = first((await events.list({ object_id: meter.id })).data);
        if (event.type !== "v1.billing.meter.error_report_triggered") return { status };
        const { code, error_count: count } = first(event.data.reason.error_types);
        return { status, code, count };
      },
    },
    {
      name: "an event is taken back within a day",
      source: types("MeterEventAdjustmentCreateParams.Cancel.identifier"),
      expected: { total: 200, late: 400 },
      async see(world) {
        const { customer, use } = await metered(world);
        const cancel = (identifier: string) =>
          world.stripe.billing.meterEventAdjustments.create({
            event_name: EVENT,
            type: "cancel",
            cancel: { identifier },
          });
        await use(5, { identifier: "wrong" });
        await use(2, { identifier: "right" });
        await cancel("wrong");
        await world.double.clock.advance({ days: 2 });
        const late = await statusOf(cancel("right"));
        await world.double.clock.advance({ days: 27 });
        return { total: last(await world.invoices(customer)).total, late };
      },
    },
    {
      name: "a summary wants whole minutes",
      source: types("MeterListEventSummariesParams.start_time"),
      expected: { whole: 200, odd: 400 },
      async see(world) {
        const { meter, customer } = await metered(world);
        const start = seconds("2026-01-31T09:00:00Z");
        const ask = (start_time: number) =>
          world.stripe.billing.meters.listEventSummaries(meter.id, {
            customer,
            start_time,
            end_time: start + 3600,
          });
        return { whole: await statusOf(ask(start)), odd: await statusOf(ask(start + 7)) };
      },
    },
    {
      name: "a meter that is switched off cannot be given to a price",
      source: reference("billing/meter/deactivate"),
      expected: 400,
      async see(world) {
        const { id: meter } = await createMeter(world);
        await world.stripe.billing.meters.deactivate(meter);
        const recurring = { interval: "month", usage_type: "metered", meter } as const;
        return statusOf(world.price(100, { recurring }));
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
