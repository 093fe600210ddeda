// Facts: Stripe's documentation of test clocks and its SDK's types, and the threads that are named.
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { createTestTime } from "../src/world/test-time.js";
import {
  ask,
  client,
  DAY,
  errorOf,
  eventsOf,
  idsOf,
  openShop,
  payer,
  type Rig,
  raisedBy,
  receiver,
  rig,
  START,
} from "./kit.js";

/** A clock that stands two years ahead of the double's own. */
const AHEAD = Date.parse("2028-01-15T10:00:00Z") / 1000;

async function clocked({ stripe }: Rig, frozen_time = AHEAD) {
  const shop = await openShop(stripe);
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time, name: "Renewals" });
  const customer = await stripe.customers.create({
    email: "ada@example.com",
    payment_method: "pm_card_visa",
    invoice_settings: { default_payment_method: "pm_card_visa" },
    test_clock: clock.id,
  });
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: shop.monthly.id }],
  });
  return { ...shop, clock, customer, subscription };
}

it("the time of a clock runs what is due in order, each at its own time", () => {
  const ran: [string, number][] = [];
  const queued: (() => void)[] = [];
  const time = createTestTime(
    1000,
    (act) => queued.push(act),
    (_, act) => act(),
  );
  const note = (name: string) => () => ran.push([name, time.now()]);
  time.schedule(3000, note("late"));
  time.schedule(2000, () => {
    note("early")();
    time.schedule(2500, note("between"));
  });
  time.schedule(2000, note("second"));
  time.schedule(2200, note("never"))();
  time.schedule(1000, note("now"));
  expect(ran).toEqual([]);
  for (const act of queued) act();
  time.moveTo(2999);
  expect(ran).toEqual([
    ["now", 1000],
    ["early", 2000],
    ["second", 2000],
    ["between", 2500],
  ]);
  expect([time.now(), time.seconds()]).toEqual([2999, 2]);
  time.stop();
  time.moveTo(9000);
  expect(ran).toHaveLength(4);
});

describe("a test clock", () => {
  it("is made, read, listed, and gone after 30 days (stripe/stripe-python#789)", async () => {
    const { double, stripe } = await rig();
    const { testClocks } = stripe.testHelpers;
    const clock = await testClocks.create({ frozen_time: AHEAD });
    expect(clock).toMatchObject({
      object: "test_helpers.test_clock",
      created: START,
      deletes_after: START + 30 * DAY,
      frozen_time: AHEAD,
      name: null,
      status: "ready",
    });
    expect(clock.id).toMatch(/^clock_/);
    expect(idsOf(await testClocks.list())).toEqual([clock.id]);
    await double.clock.advance({ days: 30 });
    expect((await errorOf(testClocks.retrieve(clock.id))).statusCode).toBe(404);
  });

  it("is for test mode alone", async () => {
    const { double } = await rig();
    const live = client(double, double.liveSecretKey);
    const made = live.testHelpers.testClocks.create({ frozen_time: AHEAD });
    expect((await errorOf(made)).statusCode).toBe(400);
  });

  it("is the time of its customers, and of nothing else", async () => {
    const world = await rig();
    const { stripe } = world;
    const { clock, customer, subscription, monthly } = await clocked(world);
    expect(customer).toMatchObject({ created: AHEAD, test_clock: clock.id });
    expect(subscription).toMatchObject({ created: AHEAD, test_clock: clock.id, status: "active" });
    const invoice = await stripe.invoices.retrieve(String(subscription.latest_invoice));
    expect(invoice).toMatchObject({ created: AHEAD, test_clock: clock.id, status: "paid" });
    const other = await payer(stripe);
    const usual = await stripe.subscriptions.create({
      customer: other.id,
      items: [{ price: monthly.id }],
    });
    expect(usual).toMatchObject({ created: START, test_clock: null });
  });

  it("does not date payment intents (stripe/stripe-python#1183, remi-stripe)", async () => {
    const world = await rig();
    const { customer } = await clocked(world);
    const { data } = await world.stripe.paymentIntents.list({ customer: customer.id });
    expect(data.map(({ created }) => created)).toEqual([START]);
  });

  it("advances: it says so, what falls due happens, and then it is ready", async () => {
    const world = await rig();
    const { double, stripe } = world;
    const { clock, customer, subscription } = await clocked(world);
    const target = Date.parse("2028-02-15T12:00:00Z") / 1000;
    const { testClocks } = stripe.testHelpers;
    const raised = await raisedBy(stripe, async () => {
      const answer = await testClocks.advance(clock.id, { frozen_time: target });
      expect(answer).toMatchObject({
        status: "advancing",
        frozen_time: AHEAD,
        status_details: { advancing: { target_frozen_time: target } },
      });
      await double.settle();
    });
    expect(raised[0]).toBe("test_helpers.test_clock.advancing");
    expect(raised).toContain("invoice.upcoming");
    expect(raised).toContain("invoice.paid");
    expect(raised.at(-1)).toBe("test_helpers.test_clock.ready");
    expect(await testClocks.retrieve(clock.id)).toMatchObject({
      status: "ready",
      frozen_time: target,
      status_details: {},
    });
    const { data } = await stripe.invoices.list({ customer: customer.id });
    expect(data.map(({ billing_reason, status }) => [billing_reason, status])).toEqual([
      ["subscription_cycle", "paid"],
      ["subscription_create", "paid"],
    ]);
    const renewed = await stripe.subscriptions.retrieve(subscription.id);
    expect(renewed.items.data[0]?.current_period_start).toBe(
      Date.parse("2028-02-15T10:00:00Z") / 1000,
    );
  });

  it("is not moved by the double's own clock", async () => {
    const world = await rig();
    const { double, stripe } = world;
    const { customer } = await clocked(world, START);
    await double.clock.advance({ days: 29 });
    expect((await stripe.invoices.list({ customer: customer.id })).data).toHaveLength(1);
  });

  it("delivers the events of what happens, in order", async () => {
    const world = await rig();
    const { double, stripe } = world;
    const { types } = await receiver(world);
    const { clock } = await clocked(world);
    const target = AHEAD + 20 * DAY;
    await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: target });
    await double.settle();
    expect(types().slice(-2)).toEqual([
      "test_helpers.test_clock.advancing",
      "test_helpers.test_clock.ready",
    ]);
  });

  it.each([
    ["into the past", (now: number) => now - 1],
    ["not at all", (now: number) => now],
    ["by more than two intervals", (now: number) => now + 61 * DAY],
  ])("is not advanced %s (API reference: test_clocks/advance)", async (_, to) => {
    const world = await rig();
    const { clock } = await clocked(world);
    const advanced = world.stripe.testHelpers.testClocks.advance(clock.id, {
      frozen_time: to(AHEAD),
    });
    expect(await errorOf(advanced)).toMatchObject({ statusCode: 400, param: "frozen_time" });
  });

  it("without a subscription goes up to two years ahead", async () => {
    const { stripe } = await rig();
    const { testClocks } = stripe.testHelpers;
    const { id } = await testClocks.create({ frozen_time: START });
    const far = testClocks.advance(id, { frozen_time: START + 731 * DAY });
    expect((await errorOf(far)).statusCode).toBe(400);
    const near = await testClocks.advance(id, { frozen_time: START + 730 * DAY });
    expect(near.status).toBe("advancing");
  });

  it("has three customers at most, with three subscriptions each", async () => {
    const world = await rig();
    const { stripe } = world;
    const { clock, customer, monthly } = await clocked(world);
    const more = () => stripe.customers.create({ test_clock: clock.id });
    await more();
    await more();
    expect(await errorOf(more())).toMatchObject({ statusCode: 400, param: "test_clock" });
    const subscribe = () =>
      stripe.subscriptions.create({ customer: customer.id, items: [{ price: monthly.id }] });
    await subscribe();
    await subscribe();
    expect((await errorOf(subscribe())).statusCode).toBe(400);
  });

  it("takes its customers with it when it is deleted", async () => {
    const world = await rig();
    const { stripe } = world;
    const { clock, customer, subscription } = await clocked(world);
    const deleted = await stripe.testHelpers.testClocks.del(clock.id);
    expect(deleted).toMatchObject({ id: clock.id, deleted: true });
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true });
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("canceled");
    const types = (await eventsOf(stripe)).map(({ type }) => type);
    expect(types.slice(-3)).toEqual([
      "customer.subscription.deleted",
      "customer.deleted",
      "test_helpers.test_clock.deleted",
    ]);
  });

  it("can take up a customer that there is (changelog 2026-05-27: test clock creation)", async () => {
    const { stripe } = await rig();
    const { monthly } = await openShop(stripe);
    const customer = await payer(stripe);
    const clock = await stripe.testHelpers.testClocks.create({
      frozen_time: AHEAD,
      customer: customer.id,
    });
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ test_clock: clock.id });
    const made = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: monthly.id }],
    });
    expect(made.created).toBe(AHEAD);
  });
});

describe("what lives by a clock", () => {
  it("is in no plain list (SDK types; stripe/stripe-cli#1314, jsteele-stripe)", async () => {
    const world = await rig();
    const { stripe } = world;
    const { clock, customer, subscription, monthly } = await clocked(world);
    const schedule = await stripe.subscriptionSchedules.create({
      customer: customer.id,
      start_date: AHEAD + DAY,
      phases: [{ items: [{ price: monthly.id }] }],
    });
    for (const hidden of [
      stripe.customers.list(),
      stripe.customers.list({ email: "ada@example.com" }),
      stripe.subscriptions.list(),
      stripe.subscriptionSchedules.list(),
    ]) {
      expect((await hidden).data).toEqual([]);
    }
    const byClock = { test_clock: clock.id };
    const byCustomer = { customer: customer.id };
    expect(idsOf(await stripe.customers.list(byClock))).toEqual([customer.id]);
    expect(idsOf(await stripe.subscriptions.list(byClock))).toEqual([subscription.id]);
    expect(idsOf(await stripe.subscriptions.list(byCustomer))).toEqual([subscription.id]);
    expect(idsOf(await stripe.subscriptionSchedules.list(byCustomer))).toEqual([schedule.id]);
  });

  it("is listed by its own dates, whatever was made before it", async () => {
    const world = await rig();
    const { stripe } = world;
    const { monthly, subscription } = await clocked(world);
    const other = await payer(stripe);
    const usual = await stripe.subscriptions.create({
      customer: other.id,
      items: [{ price: monthly.id }],
    });
    const made = (created: Stripe.RangeQueryParam) => stripe.invoices.list({ created });
    expect(idsOf(await made({ gte: AHEAD }))).toEqual([subscription.latest_invoice]);
    expect(idsOf(await made({ lt: AHEAD }))).toEqual([usual.latest_invoice]);
  });

  it("shows its clock when that is expanded, and cannot change it (stripe/stripe-python#789)", async () => {
    const world = await rig();
    const { clock, customer } = await clocked(world);
    const whole = await world.stripe.customers.retrieve(customer.id, { expand: ["test_clock"] });
    expect(whole).toMatchObject({ test_clock: { id: clock.id, frozen_time: AHEAD } });
    const { status, body } = await ask(world.double, `/v1/customers/${customer.id}`, {
      method: "POST",
      body: `test_clock=${clock.id}`,
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { message: "Received unknown parameter: test_clock" } });
  });

  it("follows its schedule and its checkout by the same time", async () => {
    const world = await rig();
    const { double, stripe } = world;
    const { clock, customer, monthly } = await clocked(world);
    const session = await stripe.checkout.sessions.create({
      mode: "subscription",
      customer: customer.id,
      line_items: [{ price: monthly.id, quantity: 1 }],
      success_url: "https://app.example",
    });
    double.dashboard.payCheckout(session.id);
    const { subscription } = await stripe.checkout.sessions.retrieve(session.id);
    expect((await stripe.subscriptions.retrieve(String(subscription))).created).toBe(AHEAD);
    const schedule = await stripe.subscriptionSchedules.create({
      customer: customer.id,
      start_date: AHEAD + DAY,
      phases: [{ items: [{ price: monthly.id }] }],
    });
    await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: AHEAD + 2 * DAY });
    await double.settle();
    expect((await stripe.subscriptionSchedules.retrieve(schedule.id)).status).toBe("active");
  });
});
