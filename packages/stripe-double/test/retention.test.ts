import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { DAY, eventsOf, openShop, payer, type Rig, receiver, rig } from "./kit.js";
import { bareWorld, errorOf } from "./money-kit.js";

interface Dump {
  readonly accounts: readonly { readonly events: readonly unknown[] }[];
  readonly deliveries: readonly unknown[];
}

/** How many events and deliveries a double holds. */
function held({ double }: Rig): { events: number; deliveries: number } {
  const { accounts, deliveries } = JSON.parse(double.dump()) as Dump;
  return { events: accounts.flatMap(({ events }) => events).length, deliveries: deliveries.length };
}

async function weekly(stripe: Stripe): Promise<Stripe.Subscription> {
  const { product } = await openShop(stripe);
  const price = await stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 500,
    recurring: { interval: "week" },
  });
  const customer = await payer(stripe);
  return stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
}

// docs.stripe.com/api/events: "we only guarantee access to events through the Retrieve Event API for 30 days"
describe("events and deliveries", () => {
  it("of more than 30 days ago are let go, so that a year of renewals takes no more than a season", async () => {
    const it = await rig();
    const { received } = await receiver(it);
    await weekly(it.stripe);
    await it.double.clock.advance({ days: 90 });
    const season = held(it);
    for (let month = 0; month < 9; month++) await it.double.clock.advance({ days: 30 });
    const year = held(it);
    expect(received.length).toBeGreaterThan(52 * 4); // so there was something to let go
    expect(year.events).toBeLessThanOrEqual(season.events);
    expect(year.deliveries).toBeLessThanOrEqual(season.deliveries);
    const events = await eventsOf(it.stripe);
    expect(new Set(events.map(({ id }) => id))).toEqual(
      new Set(received.slice(-events.length).map(({ event }) => event.id)),
    );
  });

  it("of version 2 of the API are let go as well", () => {
    const { world, clock } = bareWorld();
    const sizes = Array.from({ length: 12 }, () => {
      for (let day = 0; day < 30; day++) {
        clock.stepTo(clock.now() + DAY * 1000);
        world.notify("v1.billing.meter.no_meter_found", {});
      }
      return world.notices.size;
    });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(61);
  });

  it("that wait are kept, however old", async () => {
    const it = await rig({ delivery: "held" });
    await receiver(it);
    await it.stripe.customers.create({});
    const [first] = it.double.deliveries.held();
    await it.double.clock.advance({ days: 40 });
    await it.stripe.customers.create({});
    await it.double.clock.advance({ days: 40 });
    await it.stripe.customers.create({});
    expect(it.double.deliveries.held().map(({ id }) => id)[0]).toBe(first?.id);
  });
});

// docs.stripe.com/billing/subscriptions/test-data-retention: 90 days, and for good after 30 more
describe("subscriptions of test mode", () => {
  it("live on after 90 days, unless the policy is applied", async () => {
    const it = await rig();
    const { id } = await weekly(it.stripe);
    await it.double.clock.advance({ days: 89 });
    it.double.dashboard.applyRetentionPolicy();
    expect((await it.stripe.subscriptions.retrieve(id)).status).toBe("active");
    await it.double.clock.advance({ days: 2 });
    expect((await it.stripe.subscriptions.retrieve(id)).status).toBe("active");
    it.double.dashboard.applyRetentionPolicy();
    const ended = await it.stripe.subscriptions.retrieve(id);
    expect(ended.status).toBe("canceled");
    expect(ended.cancellation_details?.reason).toBe("canceled_by_retention_policy");
    const types = (await eventsOf(it.stripe)).map(({ type }) => type);
    expect(types).toContain("customer.subscription.deleted");
  });

  it("are gone for good 30 days later, with their invoices and without an event", async () => {
    const it = await rig();
    const { id, latest_invoice: invoice } = await weekly(it.stripe);
    await it.double.clock.advance({ days: 91 });
    it.double.dashboard.applyRetentionPolicy();
    await it.double.clock.advance({ days: 29 });
    it.double.dashboard.applyRetentionPolicy();
    expect((await it.stripe.subscriptions.retrieve(id)).status).toBe("canceled");
    await it.double.clock.advance({ days: 2 });
    it.double.dashboard.applyRetentionPolicy();
    expect((await errorOf(it.stripe.subscriptions.retrieve(id))).code).toBe("resource_missing");
    expect((await errorOf(it.stripe.invoices.retrieve(String(invoice)))).code).toBe(
      "resource_missing",
    );
    expect(await eventsOf(it.stripe)).toEqual([]);
  });
});
