// What waits for the end of the period, and how it is taken back; ends and pauses. No webhook comes.
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { type App, applications, billingError } from "../kit.js";
import {
  deaf,
  entityId,
  itemsOf,
  meteredPrice,
  openShop,
  rowOf,
  subscriber,
  truthOf,
  useCard,
} from "./kit.js";

const open = applications();

async function subscribed(quantity = 3) {
  const app = await open(deaf());
  const shop = await openShop(app);
  const made = await subscriber(app, [{ price: shop.pro.id, quantity }], {
    metadata: { team: "blue" },
  });
  await app.double.clock.advance({ days: 10 });
  const end = made.items.data[0]?.current_period_end ?? 0;
  return { app, shop, id: made.id, customer: String(made.customer), end, billing: app.b.billing };
}

/** That the tables hold what Stripe has of the subscription and its schedules. */
async function isMirrored(app: App, id: string): Promise<void> {
  expect(await rowOf(app, id)).toEqual(await truthOf(app, id));
  for (const schedule of app.double.objects("subscription_schedule")) {
    const row = await app.b.store.row("subscription_schedules", schedule.id);
    expect(row?.stripe.status).toBe(schedule.status);
  }
}

describe("a change at the end of the period", () => {
  it("costs nothing now, is shown as what comes, and is made when the period ends", async () => {
    const { app, shop, id, end, billing } = await subscribed();
    const changed = await billing.change({ entityId, priceId: shop.basic.id, at: "period_end" });
    expect(changed).toMatchObject({
      state: "scheduled",
      subscription: {
        priceId: shop.pro.id,
        next: { at: end * 1000, priceId: shop.basic.id, quantity: 3 },
      },
    });
    expect(app.double.objects("invoice")).toHaveLength(1);
    await isMirrored(app, id);
    await app.double.clock.advance({ days: 22 });
    const [now] = await billing.refresh({ entityId });
    expect(now).toMatchObject({ priceId: shop.basic.id, quantity: 3, next: null });
    expect(app.double.objects("invoice").at(-1)?.total).toBe(3_000);
    // The schedule lets go after one period.
    await app.double.clock.advance({ days: 31 });
    expect((await app.stripe.subscriptions.retrieve(id)).schedule).toBeNull();
  });

  it("keeps what the subscription has: its discount, its collection, its metadata", async () => {
    const { app, shop, id, billing } = await subscribed();
    const coupon = await app.stripe.coupons.create({ percent_off: 50, duration: "forever" });
    await app.stripe.subscriptions.update(id, { discounts: [{ coupon: coupon.id }] });
    await billing.change({ entityId, priceId: shop.basic.id, at: "period_end" });
    await app.double.clock.advance({ days: 22 });
    const now = await app.stripe.subscriptions.retrieve(id);
    expect(now).toMatchObject({ metadata: { team: "blue" }, discounts: [expect.anything()] });
    expect(app.double.objects("invoice").at(-1)?.total).toBe(1_500);
  });

  it("to another interval begins its period then", async () => {
    const { app, shop, id, end, billing } = await subscribed(1);
    const shown = await billing.preview({ entityId, priceId: shop.yearly.id, at: "period_end" });
    expect(shown).toMatchObject({ dueNow: 0, next: { at: end * 1000, amount: 30_000 } });
    await billing.change({ entityId, priceId: shop.yearly.id, at: "period_end" });
    await app.double.clock.advance({ days: 22 });
    const now = await app.stripe.subscriptions.retrieve(id);
    expect(itemsOf(now)).toEqual([[shop.yearly.id, 1]]);
    expect(app.double.objects("invoice").at(-1)?.total).toBe(30_000);
  });

  it("is replaced by another one, and taken back by the plan that there is, or by resume", async () => {
    const { app, shop, id, billing } = await subscribed();
    await billing.change({ entityId, priceId: shop.basic.id, at: "period_end" });
    const again = await billing.change({ entityId, quantity: 5, at: "period_end" });
    expect(again.subscription.next).toMatchObject({ priceId: shop.pro.id, quantity: 5 });
    const kept = await billing.resume({ entityId });
    expect(kept).toMatchObject({ next: null, priceId: shop.pro.id, quantity: 3 });
    await isMirrored(app, id);
    await billing.change({ entityId, priceId: shop.basic.id, at: "period_end" });
    const same = await billing.change({ entityId, priceId: shop.pro.id });
    expect(same).toMatchObject({ state: "changed", subscription: { next: null } });
    await isMirrored(app, id);
  });

  it("gives way to a change now; a quantity now holds for it, too", async () => {
    const { app, shop, id, billing } = await subscribed();
    await billing.preview({ entityId, priceId: shop.pro.id }); // the tables know both prices then
    await billing.change({ entityId, priceId: shop.basic.id, at: "period_end" });
    const more = await billing.change({ entityId, quantity: 6 });
    expect(more).toMatchObject({
      state: "changed",
      subscription: { quantity: 6, next: { priceId: shop.basic.id, quantity: 6 } },
    });
    await isMirrored(app, id);
    const yearly = await billing.change({ entityId, priceId: shop.yearly.id });
    expect(yearly.subscription).toMatchObject({ priceId: shop.yearly.id, quantity: 6, next: null });
    await isMirrored(app, id);
  });

  it.each(["now", "period_end"] as const)(
    "of the quantity is taken back by the quantity that there is, asked for at %s",
    async (at) => {
      const { app, shop, id, billing } = await subscribed();
      await billing.change({ entityId, quantity: 5, at: "period_end" });
      const same = await billing.change({ entityId, quantity: 3, at });
      expect(same).toMatchObject({ state: "changed", subscription: { quantity: 3, next: null } });
      await isMirrored(app, id);
      await app.double.clock.advance({ days: 22 });
      expect(itemsOf(await app.stripe.subscriptions.retrieve(id))).toEqual([[shop.pro.id, 3]]);
      expect(app.double.objects("invoice").at(-1)?.total).toBe(9_000);
    },
  );

  it("has the quantity of now after a second try, where the first did not reach it", async () => {
    const { app, shop, id, billing } = await subscribed();
    await billing.change({ entityId, priceId: shop.basic.id, at: "period_end" });
    const on = "POST /v1/subscription_schedules/:schedule";
    app.double.faults.add({ fault: "error_before", status: 500, on });
    const failed = await billingError(billing.change({ entityId, quantity: 6 }));
    expect(failed.code).toBe("provider_error");
    app.double.faults.clear();
    const invoices = app.double.objects("invoice").length;
    const again = await billing.change({ entityId, quantity: 6 });
    expect(again.subscription).toMatchObject({
      quantity: 6,
      next: { priceId: shop.basic.id, quantity: 6 },
    });
    expect(app.double.objects("invoice")).toHaveLength(invoices);
    await isMirrored(app, id);
  });

  it("stays as it was where a change now is declined", async () => {
    const { app, shop, id, customer, billing } = await subscribed();
    await billing.change({ entityId, priceId: shop.basic.id, at: "period_end" });
    await useCard(app, customer, "pm_card_chargeCustomerFail");
    const error = await billingError(billing.change({ entityId, priceId: shop.yearly.id }));
    expect(error.code).toBe("payment_failed");
    const [now] = await billing.refresh({ entityId });
    expect(now).toMatchObject({ priceId: shop.pro.id, next: { priceId: shop.basic.id } });
    await isMirrored(app, id);
  });
});

describe("a schedule of others", () => {
  /** As the dashboard makes one: this period as it is, then a month of each price. */
  async function planned(
    { app, shop, id, end }: Awaited<ReturnType<typeof subscribed>>,
    then: readonly string[],
    more: Stripe.SubscriptionScheduleUpdateParams = {},
  ): Promise<void> {
    const schedules = app.stripe.subscriptionSchedules;
    const made = await schedules.create({ from_subscription: id });
    const items = (price: string) => [{ price, quantity: 3 }];
    const months = then.map((price) => ({
      items: items(price),
      duration: { interval: "month" } as const,
    }));
    const start_date = made.phases[0]?.start_date ?? 0;
    await schedules.update(made.id, {
      ...more,
      phases: [{ items: items(shop.pro.id), start_date, end_date: end }, ...months],
    });
  }

  it("that plans more than one change is not touched", async () => {
    const of = await subscribed();
    const { app, shop, billing } = of;
    await planned(of, [shop.basic.id, shop.pro.id]);
    const before = JSON.stringify(app.double.objects("subscription_schedule"));
    for (const call of [
      () => billing.change({ entityId, priceId: shop.basic.id }),
      () => billing.change({ entityId, quantity: 1, at: "period_end" }),
      () => billing.cancel({ entityId }),
      () => billing.resume({ entityId }),
    ]) {
      expect((await billingError(call())).code).toBe("schedule_not_ours");
    }
    expect(JSON.stringify(app.double.objects("subscription_schedule"))).toBe(before);
  });

  it("keeps its end where another price would take it back", async () => {
    const of = await subscribed();
    const { app, shop, id, billing } = of;
    await planned(of, [shop.basic.id], { end_behavior: "cancel" });
    const before = JSON.stringify(app.double.objects("subscription_schedule"));
    for (const at of ["now", "period_end"] as const) {
      const error = await billingError(billing.change({ entityId, priceId: shop.yearly.id, at }));
      expect(error.code).toBe("invalid_argument");
      expect(error.message).toContain("Nothing was changed");
    }
    expect(JSON.stringify(app.double.objects("subscription_schedule"))).toBe(before);
    const { subscription } = await billing.change({ entityId, quantity: 5 });
    expect(subscription).toMatchObject({ quantity: 5, next: { priceId: shop.basic.id } });
    expect(app.double.objects("subscription_schedule").at(-1)?.end_behavior).toBe("cancel");
    await isMirrored(app, id);
  });
});

describe("a change that waits for another item", () => {
  async function downgraded() {
    const app = await open(deaf());
    const shop = await openShop(app);
    const { id, items } = await subscriber(app, [
      { price: shop.pro.id, quantity: 1 },
      { price: shop.support.id, quantity: 1 },
    ]);
    const { billing } = app.b;
    await billing.change({ entityId, priceId: shop.basic.id, at: "period_end" });
    return { app, shop, id, itemId: items.data[1]?.id, billing };
  }

  it("has no other quantity because an add-on has", async () => {
    const { app, shop, id, itemId, billing } = await downgraded();
    await billing.change({ entityId, quantity: 4, itemId });
    await app.double.clock.advance({ days: 40 });
    await billing.refresh({ entityId });
    expect(new Map(itemsOf(await app.stripe.subscriptions.retrieve(id)))).toEqual(
      new Map([
        [shop.basic.id, 1],
        [shop.support.id, 4],
      ]),
    );
  });

  it("is not taken back without a word", async () => {
    const { app, shop, itemId, billing } = await downgraded();
    for (const args of [
      { priceId: shop.pro.id, itemId },
      { quantity: 4, itemId, at: "period_end" as const },
    ]) {
      const error = await billingError(billing.change({ entityId, ...args }));
      expect(error).toMatchObject({ code: "invalid_argument", message: /Another item/ });
    }
    const schedule = app.double.objects("subscription_schedule").at(-1);
    expect(schedule).toMatchObject({ status: "active" });
  });
});

it("the same call with its quote ends what it began, where Stripe failed in between", async () => {
  const { app, shop, id, billing } = await subscribed();
  await billing.change({ entityId, priceId: shop.basic.id, at: "period_end" });
  const args = { entityId, priceId: shop.yearly.id };
  const { quote } = await billing.preview(args);
  const on = "POST /v1/subscription_schedules/:schedule/release";
  app.double.faults.add({ fault: "error_before", status: 500, on });
  expect((await billingError(billing.change({ ...args, quote }))).code).toBe("provider_error");
  app.double.faults.clear();
  const invoices = app.double.objects("invoice").length;
  const { subscription } = await billing.change({ ...args, quote });
  expect(subscription).toMatchObject({ priceId: shop.yearly.id, next: null });
  expect(app.double.objects("invoice")).toHaveLength(invoices);
  expect((await app.stripe.subscriptions.retrieve(id)).schedule).toBeNull();
});

it("an end with the period takes the place of a later one", async () => {
  const { app, id, end, billing } = await subscribed();
  await app.stripe.subscriptions.update(id, { cancel_at: end + 90 * 86_400 });
  expect(await billing.cancel({ entityId })).toMatchObject({ endsAt: end * 1000 });
  const before = app.double.requests.count("POST /v1/subscriptions/:subscription");
  expect(await billing.cancel({ entityId })).toMatchObject({ endsAt: end * 1000 });
  expect(app.double.requests.count("POST /v1/subscriptions/:subscription")).toBe(before);
  await isMirrored(app, id);
});

describe("an end", () => {
  it("comes with the period, and is taken back", async () => {
    const { app, id, end, billing } = await subscribed();
    expect(await billing.cancel({ entityId })).toMatchObject({
      endsAt: end * 1000,
      renewsAt: null,
      access: true,
    });
    await isMirrored(app, id);
    expect(await billing.cancel({ entityId })).toMatchObject({ endsAt: end * 1000 });
    expect(await billing.resume({ entityId })).toMatchObject({ endsAt: null });
    await isMirrored(app, id);
  });

  it("takes the place of a scheduled change", async () => {
    const { app, shop, id, end, billing } = await subscribed();
    await billing.change({ entityId, priceId: shop.basic.id, at: "period_end" });
    const ended = await billing.cancel({ entityId });
    expect(ended).toMatchObject({ endsAt: end * 1000, next: null, priceId: shop.pro.id });
    await isMirrored(app, id);
  });

  it("stays: a change with the period is refused, and one now is made until then", async () => {
    const { app, shop, id, end, billing } = await subscribed();
    await billing.cancel({ entityId });
    for (const wanted of [{ quantity: 2 }, { quantity: 3 }, { priceId: shop.basic.id }]) {
      const args = { entityId, ...wanted, at: "period_end" } as const;
      for (const call of [() => billing.change(args), () => billing.preview(args)]) {
        const error = await billingError(call());
        expect(error).toMatchObject({ code: "invalid_argument", status: 400, expose: true });
        expect(error.message).toContain("`resume`");
      }
    }
    expect(app.double.objects("subscription_schedule")).toEqual([]);
    const now = await billing.change({ entityId, priceId: shop.basic.id });
    expect(now).toMatchObject({
      state: "changed",
      subscription: { priceId: shop.basic.id, endsAt: end * 1000 },
    });
    await isMirrored(app, id);
    await billing.resume({ entityId });
    const later = await billing.change({ entityId, quantity: 2, at: "period_end" });
    expect(later.subscription).toMatchObject({ endsAt: null, next: { quantity: 2 } });
  });

  it("now is final, and what was used is invoiced", async () => {
    const { app, shop, id, billing } = await subscribed();
    const calls = await meteredPrice(app, String(shop.pro.product), 100);
    const { customer } = await app.stripe.subscriptions.update(id, {
      items: [{ price: calls.id }],
    });
    await app.stripe.billing.meterEvents.create({
      event_name: "calls",
      payload: { stripe_customer_id: String(customer), value: "7" },
    });
    await app.double.clock.advance({ hours: 1 });
    const ended = await billing.cancel({ entityId, at: "now" });
    expect(ended).toMatchObject({ status: "canceled", access: false });
    expect(app.double.objects("invoice").at(-1)).toMatchObject({ total: 700 });
    await isMirrored(app, id);
    const again = await billingError(billing.cancel({ entityId }));
    expect(again.code).toBe("not_subscribed");
  });
});

it("a pause of the collection ends", async () => {
  const { app, id, billing } = await subscribed();
  await app.stripe.subscriptions.update(id, { pause_collection: { behavior: "void" } });
  expect(await billing.resume({ entityId })).toMatchObject({ access: true });
  expect((await app.stripe.subscriptions.retrieve(id)).pause_collection).toBeNull();
  await isMirrored(app, id);
});
