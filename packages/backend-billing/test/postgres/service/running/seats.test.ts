// Seats follow the members: what is sent to Stripe, and when. No webhook comes.
import { describe, expect, it } from "vitest";
import { followSeats } from "../../../../src/core/subscriptions/seats/follow.js";
import { applications, billingError } from "../kit.js";
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
import {
  billingOf,
  openTeam,
  PER_SEAT,
  quantityOf,
  settle,
  tell,
  UPDATE,
  updates,
} from "./seats-kit.js";

const open = applications();

describe("changes of the seats", () => {
  it("of ten seconds are one update, invoiced at once, and the tables know it", async () => {
    const team = await openTeam(open);
    const { app, id } = team;
    for (let member = 0; member < 50; member++) {
      team.members++;
      await tell(app);
      await app.double.clock.advance({ milliseconds: 100 });
    }
    await app.double.clock.advance({ milliseconds: 4_900 });
    expect(await followSeats(app.core)).toBe(0);
    await app.double.clock.advance({ milliseconds: 100 });
    expect(await followSeats(app.core)).toBe(1);
    expect([team.counts, updates(app)]).toEqual([1, 1]);
    expect(await quantityOf(team)).toBe(51);
    expect(await rowOf(app, id)).toEqual(await truthOf(app, id));
    const invoice = app.double.objects("invoice").at(-1);
    expect(invoice).toMatchObject({ billing_reason: "subscription_update", status: "paid" });
    expect(await app.b.store.records("seats", "", 1)).toEqual([]);
  });

  it("are sent once in ten seconds, however they come", async () => {
    const team = await openTeam(open);
    const { app } = team;
    for (let second = 0; second < 60; second++) {
      team.members++;
      await tell(app);
      await app.double.clock.advance({ seconds: 1 });
      await followSeats(app.core);
    }
    await settle(app);
    expect(await quantityOf(team)).toBe(61);
    const times = app.double.requests
      .recent()
      .flatMap(({ signature, at }) => (signature === UPDATE ? [at] : []));
    expect(times.length).toBeGreaterThan(3);
    for (const [index, at] of times.entries()) {
      expect(at - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(10_000);
    }
  });

  it("send nothing where the quantity is the count, and one where there is no member", async () => {
    const team = await openTeam(open, { members: 3 });
    await tell(team.app);
    await settle(team.app);
    expect([team.counts, updates(team.app)]).toEqual([1, 0]);
    team.members = 0;
    await tell(team.app);
    await settle(team.app);
    expect(await quantityOf(team)).toBe(1);
  });

  it("reach the item per seat alone: not the others, and not those by use", async () => {
    const team = await openTeam(open, { members: 2 });
    const { app, shop, id } = team;
    const calls = await meteredPrice(app, String(shop.pro.product), 1);
    const items = [{ price: shop.support.id, quantity: 7 }, { price: calls.id }];
    await app.stripe.subscriptions.update(id, { items });
    team.members = 5;
    await tell(app);
    await settle(app);
    expect(itemsOf(await app.stripe.subscriptions.retrieve(id))).toEqual([
      [shop.pro.id, 5],
      [shop.support.id, 7],
      [calls.id, undefined],
    ]);
  });

  it("do nothing for a plan that is not per seat: Stripe is not asked", async () => {
    const app = await open(deaf({ config: { seats: async () => 9 } }));
    const shop = await openShop(app);
    await subscriber(app, [{ price: shop.pro.id, quantity: 2 }]);
    await billingOf(app).refresh({ entityId });
    await app.core.store.offers([shop.pro.id]);
    await app.b.sync();
    await settle(app);
    app.double.requests.clear();
    await tell(app);
    await settle(app);
    expect(app.double.requests.count()).toBe(0);
  });

  it("are refused where the application counts none", async () => {
    const app = await open(deaf());
    for (const call of [
      () => app.b.billing.seatsChanged({ entityId }),
      () => app.a.stripe.seatsChanged({ entityId }),
      () => app.b.store.seatsChanged({ entityId }),
      () => app.b.store.in(app.pool).seatsChanged({ entityId }),
    ]) {
      expect((await billingError(call())).code).toBe("invalid_config");
    }
    const counting = await open(deaf({ config: { seats: async () => 1 } }));
    const nameless = counting.b.store.seatsChanged({ entityId: "" });
    expect((await billingError(nameless)).code).toBe("invalid_argument");
  });
});

describe("what is planned", () => {
  it("has the count too, in every phase", async () => {
    const team = await openTeam(open, { members: 2 });
    const { app, shop, id } = team;
    await app.stripe.products.update(String(shop.basic.product), { metadata: PER_SEAT });
    const scheduled = await billingOf(app).change({
      entityId,
      priceId: shop.basic.id,
      at: "period_end",
    });
    expect(scheduled.subscription.next).toMatchObject({ quantity: 2 });
    team.members = 6;
    await tell(app);
    await settle(app);
    const [now] = await app.b.store.subscriptionsOf(entityId);
    expect(now).toMatchObject({ quantity: 6, next: { priceId: shop.basic.id, quantity: 6 } });
    const [schedule] = app.double.objects("subscription_schedule");
    const planned = (schedule?.phases ?? []).slice(-2);
    expect(planned.map(({ items }) => items[0]?.quantity)).toEqual([6, 6]);
    await app.double.clock.advance({ days: 32 });
    expect(itemsOf(await app.stripe.subscriptions.retrieve(id))).toEqual([[shop.basic.id, 6]]);
  });

  it("to become per seat has the count, and the plan until then keeps its own", async () => {
    const team = await openTeam(open, { members: 4 });
    const { app, shop, id } = team;
    await billingOf(app).change({ entityId, priceId: shop.basic.id, quantity: 1 });
    await settle(app);
    await billingOf(app).change({ entityId, priceId: shop.pro.id, at: "period_end" });
    team.members = 8;
    await tell(app);
    await settle(app);
    const [now] = await app.b.store.subscriptionsOf(entityId);
    expect(now).toMatchObject({ quantity: 1, next: { priceId: shop.pro.id, quantity: 8 } });
    team.members = 9;
    await app.double.clock.advance({ days: 32 });
    await billingOf(app).refresh({ entityId }); // the plan begins: that is counted by itself
    await settle(app);
    expect(itemsOf(await app.stripe.subscriptions.retrieve(id))).toEqual([[shop.pro.id, 9]]);
  });

  it("elsewhere, with several changes, is left alone, and so is its subscription", async () => {
    const team = await openTeam(open, { members: 2 });
    const { app, shop, id } = team;
    const schedules = app.stripe.subscriptionSchedules;
    const made = await schedules.create({ from_subscription: id });
    const items = [{ price: shop.pro.id, quantity: 2 }];
    const [first] = made.phases;
    await schedules.update(made.id, {
      phases: [
        { items, start_date: first?.start_date ?? 0, end_date: first?.end_date ?? 0 },
        { items, duration: { interval: "month" } },
        { items, duration: { interval: "month" } },
      ],
    });
    team.members = 5;
    await tell(app);
    await settle(app);
    expect(await quantityOf(team)).toBe(2);
    expect(app.log.some((line) => line.startsWith("Seats are not sent"))).toBe(true);
  });
});

describe("a subscription that begins", () => {
  it("is counted, once it is paid for", async () => {
    const app = await open(deaf({ config: { seats: async () => 12 } }));
    const shop = await openShop(app);
    await app.stripe.products.update(String(shop.pro.product), { metadata: PER_SEAT });
    const { id, latest_invoice } = await subscriber(app, [{ price: shop.pro.id, quantity: 3 }], {
      payment_behavior: "default_incomplete",
    });
    await billingOf(app).refresh({ entityId });
    expect(await app.b.store.records("seats", "", 10)).toEqual([]);
    await app.stripe.invoices.pay(String(latest_invoice));
    await billingOf(app).refresh({ entityId });
    expect(await app.b.store.records("seats", "", 10)).toHaveLength(1);
    await settle(app);
    expect(await quantityOf({ app, id })).toBe(12);
    await billingOf(app).refresh({ entityId });
    expect(await app.b.store.records("seats", "", 10)).toEqual([]);
  });

  it("of a customer that is linked later is counted then; of a stranger's, never", async () => {
    const app = await open(deaf({ config: { seats: async () => 4 } }));
    const shop = await openShop(app);
    await app.stripe.products.update(String(shop.pro.product), { metadata: PER_SEAT });
    const made = async (metadata: { [key: string]: string }) => {
      const { id: customer } = await app.stripe.customers.create({ metadata });
      await useCard(app, customer, "pm_card_visa");
      const items = [{ price: shop.pro.id, quantity: 1 }];
      return (await app.stripe.subscriptions.create({ customer, items })).id;
    };
    const [late, strange] = [await made({}), await made({})];
    await app.b.sync();
    await app.double.clock.advance({ seconds: 10 });
    await followSeats(app.core);
    const { customer } = await app.stripe.subscriptions.retrieve(late);
    await app.stripe.customers.update(String(customer), { metadata: { entityId } });
    await app.b.sync();
    await settle(app);
    expect(await quantityOf({ app, id: late })).toBe(4);
    expect(await quantityOf({ app, id: strange })).toBe(1);
  });

  it("sells the count, where the call does not say how many", async () => {
    const app = await open(deaf({ config: { seats: async () => 7 } }));
    const shop = await openShop(app);
    await app.stripe.products.update(String(shop.pro.product), { metadata: PER_SEAT });
    const urls = { successUrl: `${app.url}/welcome`, cancelUrl: `${app.url}/pricing` };
    const sold = async (of: string, order: { priceId: string; quantity?: number }) => {
      await app.b.checkout({ entityId: of, ...order, ...urls });
      const session = app.double.objects("checkout.session").at(-1);
      const { data } = await app.stripe.checkout.sessions.listLineItems(session?.id ?? "");
      return data.map(({ quantity }) => quantity);
    };
    expect(await sold("org_1", { priceId: shop.pro.id })).toEqual([7]);
    expect(await sold("org_2", { priceId: shop.pro.id, quantity: 2 })).toEqual([2]);
    expect(await sold("org_3", { priceId: shop.basic.id })).toEqual([1]);
  });
});

describe("a change of plan", () => {
  it("to one per seat is previewed and made with the count", async () => {
    const team = await openTeam(open, { members: 4 });
    const { app, shop } = team;
    await billingOf(app).change({ entityId, priceId: shop.basic.id, quantity: 1 });
    await settle(app);
    team.members = 5;
    const { quote } = await billingOf(app).preview({ entityId, priceId: shop.pro.id });
    const changed = await billingOf(app).change({ entityId, priceId: shop.pro.id, quote });
    expect(changed.subscription).toMatchObject({ priceId: shop.pro.id, quantity: 5 });
    team.members = 6; // while the tables knew of no plan per seat, so that only the change told of it
    await settle(app);
    expect(await quantityOf(team)).toBe(6);
  });
});
