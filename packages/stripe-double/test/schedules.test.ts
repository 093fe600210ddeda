// Facts: Stripe's documentation of subscription schedules, its SDK's types, and where a test names
// one, a public thread that quotes Stripe's answer.
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { phaseTimes } from "../src/billing/schedules/times.js";
import {
  changeCard,
  DAY,
  errorOf,
  eventsOf,
  openShop,
  payer,
  type Rig,
  raisedBy,
  rig,
  START,
} from "./kit.js";

/** One month after the start. */
const FEBRUARY = Date.parse("2026-02-15T10:00:00Z") / 1000;
const MARCH = Date.parse("2026-03-15T10:00:00Z") / 1000;
const month = { interval: "month", interval_count: 1 } as const;

async function subscribed({ stripe }: Rig) {
  const shop = await openShop(stripe);
  const cheap = await stripe.prices.create({
    product: shop.product.id,
    currency: "usd",
    unit_amount: 500,
    recurring: { interval: "month" },
  });
  const customer = await payer(stripe);
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: shop.monthly.id }],
  });
  return { ...shop, cheap, customer, subscription };
}

/** A schedule that takes a subscription of 20 dollars a month down to 5 at the end of its period. */
async function downgraded(world: Rig, params: Stripe.SubscriptionScheduleUpdateParams = {}) {
  const known = await subscribed(world);
  const { stripe } = world;
  const { id } = await stripe.subscriptionSchedules.create({
    from_subscription: known.subscription.id,
  });
  const phases: Stripe.SubscriptionScheduleUpdateParams.Phase[] = [
    { items: [{ price: known.monthly.id, quantity: 1 }], start_date: START, end_date: FEBRUARY },
    { items: [{ price: known.cheap.id, quantity: 2 }], duration: month },
  ];
  const schedule = await stripe.subscriptionSchedules.update(id, { phases, ...params });
  return { ...known, phases, schedule };
}

async function totals(stripe: Stripe, customer: string) {
  const { data } = await stripe.invoices.list({ customer });
  return data.map(({ total, billing_reason: reason }) => [reason, total]).reverse();
}

describe("the times of phases", () => {
  const usual = month;
  it.each([
    ["one interval of the price by default", [{ usual }], [[START, FEBRUARY]]],
    [
      "until the next one begins",
      [{ usual }, { usual, start: MARCH }],
      [
        [START, MARCH],
        [MARCH, Date.parse("2026-04-15T10:00:00Z") / 1000],
      ],
    ],
    ["a duration", [{ usual, length: { ...month, interval_count: 2 } }], [[START, MARCH]]],
    ["an end", [{ usual, end: START + DAY }], [[START, START + DAY]]],
  ])("%s", (_, asked, expected) => {
    const times = phaseTimes(START, asked);
    expect(times.map(({ start, end }) => [start, end])).toEqual(expected);
  });

  it.each([
    [
      "a gap",
      [
        { usual, end: START + DAY },
        { usual, start: START + 2 * DAY },
      ],
    ],
    ["an end before the start", [{ usual, end: START - 1 }]],
    ["an end and a duration", [{ usual, end: FEBRUARY, length: month }]],
  ])("%s is refused", (_, asked) => {
    expect(() => phaseTimes(START, asked)).toThrow();
  });
});

describe("a schedule made from a subscription", () => {
  it("has its period as its only phase, and the subscription names it", async () => {
    const world = await rig();
    const { subscription, monthly } = await subscribed(world);
    const { stripe } = world;
    const events = await raisedBy(stripe, () =>
      stripe.subscriptionSchedules.create({ from_subscription: subscription.id }),
    );
    const [schedule] = (await stripe.subscriptionSchedules.list()).data;
    expect(schedule).toMatchObject({
      status: "active",
      subscription: subscription.id,
      end_behavior: "release",
      current_phase: { start_date: START, end_date: FEBRUARY },
      phases: [
        {
          start_date: START,
          end_date: FEBRUARY,
          items: [{ price: monthly.id, plan: monthly.id, quantity: 1 }],
          proration_behavior: "create_prorations",
        },
      ],
    });
    expect(events).toEqual(["customer.subscription.updated", "subscription_schedule.created"]);
    const expandable = await stripe.subscriptions.retrieve(subscription.id, {
      expand: ["schedule.phases"],
    });
    expect(expandable.schedule).toMatchObject({ id: schedule?.id, status: "active" });
  });

  it("takes no other parameter, as the SDK's types say", async () => {
    const world = await rig();
    const { subscription } = await subscribed(world);
    const error = await errorOf(
      world.stripe.subscriptionSchedules.create({
        from_subscription: subscription.id,
        metadata: { plan: "pro" },
      }),
    );
    expect(error).toMatchObject({ statusCode: 400, param: "metadata" });
  });

  it("is not modelled for a subscription that is paused", async () => {
    const world = await rig();
    const { subscription } = await subscribed(world);
    await world.stripe.subscriptions.pause(subscription.id);
    const made = world.stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
    expect((await errorOf(made)).statusCode).toBe(501);
  });

  it("is refused for a subscription that has one: BasedHardware/omi#7649", async () => {
    const world = await rig();
    const { subscription } = await downgraded(world);
    const again = world.stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
    expect((await errorOf(again)).message).toBe(
      `You cannot migrate a subscription that is already attached to a schedule: \`${subscription.id}\``,
    );
  });
});

describe("the course of a schedule", () => {
  it("changes the price with the period, without a proration, and then lets go", async () => {
    const world = await rig();
    const { stripe, double } = world;
    const { customer, subscription, schedule, cheap } = await downgraded(world);
    await double.clock.advanceTo((FEBRUARY - 1) * 1000);
    const preview = await stripe.invoices.createPreview({ subscription: subscription.id });
    expect(preview.total).toBe(1000);
    const events = await raisedBy(stripe, () => double.clock.advance({ seconds: 1 }));
    expect(events).toEqual([
      "customer.subscription.updated",
      "subscription_schedule.updated",
      "invoice.created",
      "customer.subscription.updated",
    ]);
    await double.clock.advance({ hours: 2 });
    expect(await totals(stripe, customer.id)).toEqual([
      ["subscription_create", 2000],
      ["subscription_cycle", 1000],
    ]);
    const renewed = await stripe.subscriptions.retrieve(subscription.id);
    expect(renewed.items.data).toMatchObject([
      { price: { id: cheap.id }, quantity: 2, current_period_end: MARCH },
    ]);
    await double.clock.advance({ days: 30 });
    expect(await stripe.subscriptionSchedules.retrieve(schedule.id)).toMatchObject({
      status: "released",
      released_at: MARCH,
      released_subscription: subscription.id,
      subscription: null,
      current_phase: null,
    });
    const free = await stripe.subscriptions.retrieve(subscription.id);
    expect(free).toMatchObject({ status: "active", schedule: null, cancel_at: null });
    // Those of the beginning are older than 30 days.
    const types = (await eventsOf(stripe)).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith("subscription_schedule."))).toEqual([
      "subscription_schedule.expiring",
      "subscription_schedule.released",
    ]);
  });

  it("prorates a phase that begins within the period, as an update would", async () => {
    const world = await rig({ now: "2026-04-01T00:00:00Z" });
    const { stripe, double } = world;
    const april = Date.parse("2026-04-01T00:00:00Z") / 1000;
    const { customer, subscription, monthly, cheap } = await subscribed(world);
    const { id } = await stripe.subscriptionSchedules.create({
      from_subscription: subscription.id,
    });
    const half = april + 15 * DAY;
    await stripe.subscriptionSchedules.update(id, {
      phases: [
        { items: [{ price: monthly.id }], start_date: april, end_date: half },
        { items: [{ price: cheap.id }], end_date: april + 30 * DAY },
      ],
    });
    await double.clock.advance({ days: 16 });
    const { data } = await stripe.invoiceItems.list({ customer: customer.id, pending: true });
    expect(data.map(({ amount }) => amount).sort((a, b) => a - b)).toEqual([-1000, 250]);
  });

  it("cancels at the end of its last phase if it is told to", async () => {
    const world = await rig();
    const { stripe, double } = world;
    const { subscription, schedule } = await downgraded(world, { end_behavior: "cancel" });
    const before = await stripe.subscriptions.retrieve(subscription.id);
    expect(before.cancel_at).toBe(MARCH);
    await double.clock.advance({ days: 70 });
    expect(await stripe.subscriptionSchedules.retrieve(schedule.id)).toMatchObject({
      status: "completed",
      completed_at: MARCH,
    });
    const after = await stripe.subscriptions.retrieve(subscription.id);
    expect(after).toMatchObject({ status: "canceled", ended_at: MARCH });
  });

  it("begins a new cycle where a phase asks for it", async () => {
    const world = await rig({ now: "2026-04-01T00:00:00Z" });
    const { stripe, double } = world;
    const april = Date.parse("2026-04-01T00:00:00Z") / 1000;
    const { customer, subscription, monthly } = await subscribed(world);
    const { id } = await stripe.subscriptionSchedules.create({
      from_subscription: subscription.id,
    });
    await stripe.subscriptionSchedules.update(id, {
      phases: [
        { items: [{ price: monthly.id }], start_date: april, end_date: april + 15 * DAY },
        {
          items: [{ price: monthly.id }],
          duration: month,
          billing_cycle_anchor: "phase_start",
          proration_behavior: "always_invoice",
        },
      ],
    });
    await double.clock.advance({ days: 15 });
    expect(await totals(stripe, customer.id)).toEqual([
      ["subscription_create", 2000],
      ["subscription_update", 1000],
    ]);
  });

  it("gives and takes discounts and metadata with its phases", async () => {
    const world = await rig();
    const { stripe, double } = world;
    const { customer, monthly } = await subscribed(world);
    const coupon = await stripe.coupons.create({ percent_off: 50, duration: "forever" });
    const schedule = await stripe.subscriptionSchedules.create({
      customer: customer.id,
      start_date: "now",
      phases: [
        {
          items: [{ price: monthly.id }],
          discounts: [{ coupon: coupon.id }],
          metadata: { offer: "half" },
          duration: month,
        },
        { items: [{ price: monthly.id }], duration: month, metadata: { offer: "" } },
      ],
    });
    const id = String(schedule.subscription);
    expect((await stripe.subscriptions.retrieve(id)).metadata).toEqual({ offer: "half" });
    await double.clock.advance({ days: 32 });
    expect((await stripe.subscriptions.retrieve(id)).metadata).toEqual({});
    const { data } = await stripe.invoices.list({ subscription: id });
    expect(data.map(({ total }) => total).reverse()).toEqual([1000, 2000]);
  });
});

describe("a schedule that starts a subscription", () => {
  it("waits for its start, and its first invoice is a draft: API reference, subscriptions/create", async () => {
    const world = await rig();
    const { stripe, double } = world;
    const { customer, monthly } = await subscribed(world);
    const fee = await stripe.prices.create({
      product: String(monthly.product),
      currency: "usd",
      unit_amount: 300,
    });
    const schedule = await stripe.subscriptionSchedules.create({
      customer: customer.id,
      start_date: START + 10 * DAY,
      end_behavior: "cancel",
      phases: [
        {
          items: [{ price: monthly.id, quantity: 3 }],
          add_invoice_items: [{ price: fee.id }],
          duration: { interval: "month", interval_count: 2 },
        },
      ],
    });
    expect(schedule).toMatchObject({ status: "not_started", subscription: null });
    const waiting = await stripe.subscriptionSchedules.list({ scheduled: true });
    expect(waiting.data.map(({ id }) => id)).toEqual([schedule.id]);
    const events = await raisedBy(stripe, () => double.clock.advance({ days: 10 }));
    expect(events).toEqual([
      "invoiceitem.created",
      "invoice.created",
      "customer.subscription.created",
      "subscription_schedule.updated",
    ]);
    const { subscription } = await stripe.subscriptionSchedules.retrieve(schedule.id);
    const made = await stripe.subscriptions.retrieve(String(subscription), {
      expand: ["latest_invoice"],
    });
    expect(made).toMatchObject({
      status: "active",
      schedule: schedule.id,
      latest_invoice: { status: "draft", total: 6300, billing_reason: "subscription_create" },
    });
    await double.clock.advance({ hours: 2 });
    const [invoice] = (await stripe.invoices.list({ subscription: made.id })).data;
    expect(invoice).toMatchObject({ status: "paid", amount_paid: 6300 });
    await double.clock.advance({ days: 80 });
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe("canceled");
  });

  it("holds the customer to its currency: restrictcontentpro/restrict-content-pro#382", async () => {
    const { stripe } = await rig();
    const { product, monthly } = await openShop(stripe);
    const customer = await payer(stripe);
    await stripe.subscriptionSchedules.create({
      customer: customer.id,
      start_date: FEBRUARY,
      phases: [{ items: [{ price: monthly.id }] }],
    });
    const euro = await stripe.prices.create({
      product: product.id,
      currency: "eur",
      unit_amount: 500,
      recurring: { interval: "month" },
    });
    const other = stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: euro.id }],
    });
    expect((await errorOf(other)).message).toContain("subscription schedule");
  });

  it("can begin with a trial", async () => {
    const world = await rig();
    const { stripe } = world;
    const { customer, monthly } = await subscribed(world);
    const { subscription } = await stripe.subscriptionSchedules.create({
      customer: customer.id,
      phases: [
        { items: [{ price: monthly.id }], trial: true, duration: { interval: "week" } },
        { items: [{ price: monthly.id }], duration: month },
      ],
    });
    const made = await stripe.subscriptions.retrieve(String(subscription));
    expect(made).toMatchObject({ status: "trialing", trial_end: START + 7 * DAY });
  });
});

describe("changing a schedule", () => {
  it("changes the current phase at once, with a proration unless told otherwise", async () => {
    const world = await rig({ now: "2026-04-01T00:00:00Z" });
    const { stripe, double } = world;
    const april = Date.parse("2026-04-01T00:00:00Z") / 1000;
    const { customer, subscription, cheap } = await subscribed(world);
    const { id } = await stripe.subscriptionSchedules.create({
      from_subscription: subscription.id,
    });
    await double.clock.advance({ days: 15 });
    const phases = [
      { items: [{ price: cheap.id }], start_date: april, end_date: april + 30 * DAY },
    ];
    await stripe.subscriptionSchedules.update(id, { phases });
    const { data } = await stripe.invoiceItems.list({ customer: customer.id, pending: true });
    expect(data.map(({ amount }) => amount).sort((a, b) => a - b)).toEqual([-1000, 250]);
    const changed = await stripe.subscriptions.retrieve(subscription.id);
    expect(changed.items.data[0]?.price.id).toBe(cheap.id);
  });

  it("enters the next phase at once when the current one is to end now", async () => {
    const world = await rig();
    const { stripe, double } = world;
    const { subscription, schedule, monthly, cheap } = await downgraded(world);
    await double.clock.advance({ days: 3 });
    const after = await stripe.subscriptionSchedules.update(schedule.id, {
      phases: [
        { items: [{ price: monthly.id }], start_date: START, end_date: "now" },
        { items: [{ price: cheap.id }], duration: month },
      ],
    });
    expect(after.current_phase?.start_date).toBe(START + 3 * DAY);
    const changed = await stripe.subscriptions.retrieve(subscription.id);
    expect(changed.items.data[0]?.price.id).toBe(cheap.id);
  });

  it.each([
    [
      "another start of the current phase: tierrun/tier#93",
      { start_date: "now" as const, end_date: FEBRUARY },
      "You can not modify the start date of the current phase.",
    ],
    [
      "no start at all: stripe/stripe-dotnet#1754",
      { end_date: FEBRUARY },
      "The subscription schedule update is missing at least one phase with a `start_date` to anchor end dates to.",
    ],
  ])("refuses %s", async (_, times, message) => {
    const world = await rig();
    const { schedule, monthly } = await downgraded(world);
    await world.double.clock.advance({ days: 1 });
    const phases = [{ items: [{ price: monthly.id }], ...times }];
    const error = await errorOf(world.stripe.subscriptionSchedules.update(schedule.id, { phases }));
    expect(error).toMatchObject({ statusCode: 400, message });
  });

  it("refuses an eleventh phase: docs, subscription schedules", async () => {
    const world = await rig();
    const { schedule, monthly } = await downgraded(world);
    const items = [{ price: monthly.id }];
    const phases = Array.from({ length: 11 }, (_, index) => ({
      items,
      duration: month,
      ...(index === 0 ? { start_date: START } : {}),
    }));
    const error = await errorOf(world.stripe.subscriptionSchedules.update(schedule.id, { phases }));
    expect(error.statusCode).toBe(400);
  });

  it("takes iterations from versions that have them: changelog 2025-09-30.clover, remove iterations", async () => {
    const world = await rig();
    const { schedule, monthly } = await downgraded(world);
    const phase: Stripe.SubscriptionScheduleUpdateParams.Phase & { iterations: number } = {
      items: [{ price: monthly.id }],
      start_date: START,
      iterations: 2,
    };
    const params = { phases: [phase] };
    const { subscriptionSchedules } = world.stripe;
    const old = { apiVersion: "2024-06-20" };
    const after = await subscriptionSchedules.update(schedule.id, params, old);
    expect(after.phases[0]?.end_date).toBe(MARCH);
    const error = await errorOf(subscriptionSchedules.update(schedule.id, params));
    expect(error).toMatchObject({ code: "parameter_unknown" });
  });
});

describe("ending a schedule by hand", () => {
  it("release leaves the subscription as it is, and only once", async () => {
    const world = await rig();
    const { stripe, double } = world;
    const { subscription, schedule, monthly } = await downgraded(world, { end_behavior: "cancel" });
    const events = await raisedBy(stripe, () => stripe.subscriptionSchedules.release(schedule.id));
    expect(events).toEqual(["customer.subscription.updated", "subscription_schedule.released"]);
    await double.clock.advance({ days: 40 });
    const free = await stripe.subscriptions.retrieve(subscription.id);
    expect(free).toMatchObject({ schedule: null, cancel_at: null, status: "active" });
    expect(free.items.data[0]?.price.id).toBe(monthly.id);
    const again = await errorOf(stripe.subscriptionSchedules.release(schedule.id));
    expect(again.statusCode).toBe(400);
  });

  it("takes up the end of its subscription, and takes it away with itself", async () => {
    const world = await rig();
    const { stripe } = world;
    const { subscription } = await subscribed(world);
    await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    const schedule = await stripe.subscriptionSchedules.create({
      from_subscription: subscription.id,
    });
    expect(schedule).toMatchObject({
      end_behavior: "cancel",
      current_phase: { end_date: FEBRUARY },
    });
    await stripe.subscriptionSchedules.release(schedule.id);
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
    });
  });

  it("release keeps the end that the schedule gave, if asked to", async () => {
    const world = await rig();
    const { stripe } = world;
    const { subscription, schedule } = await downgraded(world, { end_behavior: "cancel" });
    await stripe.subscriptionSchedules.release(schedule.id, { preserve_cancel_date: true });
    expect((await stripe.subscriptions.retrieve(subscription.id)).cancel_at).toBe(MARCH);
  });

  it("cancel ends the subscription and credits what is left, by default: SDK types", async () => {
    const world = await rig({ now: "2026-04-01T00:00:00Z" });
    const { stripe, double } = world;
    const { customer, subscription } = await subscribed(world);
    const { id } = await stripe.subscriptionSchedules.create({
      from_subscription: subscription.id,
    });
    await double.clock.advance({ days: 15 });
    const canceled = await stripe.subscriptionSchedules.cancel(id);
    expect(canceled).toMatchObject({ status: "canceled", current_phase: null });
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("canceled");
    expect((await totals(stripe, customer.id)).at(-1)).toEqual(["subscription_update", -1000]);
  });

  it("is over with its subscription, or its customer", async () => {
    const world = await rig();
    const { stripe } = world;
    const { customer, monthly, subscription, schedule } = await downgraded(world);
    const later = await stripe.subscriptionSchedules.create({
      customer: customer.id,
      start_date: FEBRUARY,
      phases: [{ items: [{ price: monthly.id }] }],
    });
    const events = await raisedBy(stripe, () => stripe.subscriptions.cancel(subscription.id));
    expect(events).toEqual(["customer.subscription.deleted", "subscription_schedule.canceled"]);
    const gone = await raisedBy(stripe, () => stripe.customers.del(customer.id));
    expect(gone).toEqual(["subscription_schedule.canceled", "customer.deleted"]);
    for (const { id } of [schedule, later]) {
      expect((await stripe.subscriptionSchedules.retrieve(id)).status).toBe("canceled");
    }
  });

  it("is aborted with a subscription that nobody paid for: SDK types, events", async () => {
    const world = await rig();
    const { stripe, double } = world;
    const { customer, schedule, phases } = await downgraded(world);
    const [, next] = phases;
    await stripe.subscriptionSchedules.update(schedule.id, {
      phases: [...phases, { items: next?.items ?? [], duration: month }],
    });
    await changeCard(stripe, customer.id, "pm_card_chargeCustomerFail");
    await double.clock.advance({ days: 50 });
    const after = await stripe.subscriptionSchedules.retrieve(schedule.id);
    expect(after.status).toBe("canceled");
    const types = (await eventsOf(stripe)).map(({ type }) => type);
    expect(types).toContain("subscription_schedule.aborted");
  });
});

describe("a subscription with a schedule", () => {
  it.each([
    ["cancel_at_period_end", { cancel_at_period_end: true }],
    ["cancel_at", { cancel_at: MARCH + DAY }],
  ])("refuses %s: laravel/cashier-stripe#1748", async (_, change) => {
    const world = await rig();
    const { subscription, schedule } = await downgraded(world);
    const error = await errorOf(world.stripe.subscriptions.update(subscription.id, change));
    expect(error).toMatchObject({
      statusCode: 400,
      message: `The subscription is managed by the subscription schedule \`${schedule.id}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
    });
  });

  it("cannot be paused: docs, pause subscriptions", async () => {
    const world = await rig();
    const { subscription } = await downgraded(world);
    const error = await errorOf(world.stripe.subscriptions.pause(subscription.id));
    expect(error.statusCode).toBe(400);
  });

  it("takes other items, and the phases to come stay: bitwarden/server#8035", async () => {
    const world = await rig();
    const { stripe, double } = world;
    const { subscription, schedule, monthly, cheap } = await downgraded(world);
    await double.clock.advance({ days: 5 });
    const [item] = subscription.items.data;
    await stripe.subscriptions.update(subscription.id, {
      items: [{ id: item?.id ?? "", quantity: 4 }],
    });
    const { phases } = await stripe.subscriptionSchedules.retrieve(schedule.id);
    expect(
      phases.map(({ start_date, end_date, items }) => [
        start_date,
        end_date,
        items[0]?.price,
        items[0]?.quantity,
      ]),
    ).toEqual([
      [START, START + 5 * DAY, monthly.id, 1],
      [START + 5 * DAY, FEBRUARY, monthly.id, 4],
      [FEBRUARY, MARCH, cheap.id, 2],
    ]);
    await double.clock.advance({ days: 27 });
    const renewed = await stripe.subscriptions.retrieve(subscription.id);
    expect(renewed.items.data[0]).toMatchObject({ price: { id: cheap.id }, quantity: 2 });
  });
});
