// Seats follow the members whatever fails meanwhile: workers that die, Stripe, the count, and cards.
import { describe, expect, it } from "vitest";
import { createRuntime, type Runtime } from "../../../../src/core/runtime/runtime.js";
import { followSeats } from "../../../../src/core/subscriptions/seats/follow.js";
import { type App, applications } from "../kit.js";
import { entityId, rowOf, truthOf, useCard } from "./kit.js";
import {
  billingOf,
  openTeam,
  quantityOf,
  settle,
  type Team,
  tell,
  UPDATE,
  updates,
} from "./seats-kit.js";

const open = applications();
const READ = "GET /v1/subscriptions/:subscription";
const never = () => new Promise<never>(() => {});

/** Another process of the application; it dies where `seats` never answers. */
const process = ({ app }: Team, seats: () => Promise<number>): Runtime =>
  createRuntime(app.config, {
    store: app.b.store,
    baseUrl: () => app.url,
    wake: () => {},
    now: app.double.clock.now,
    seats,
  });

describe("a change that comes while the seats are sent", () => {
  it("is counted once more", async () => {
    const team = await openTeam(open);
    const { app } = team;
    team.members = 2;
    await tell(app);
    team.onCount = async () => {
      if (team.counts > 1) return;
      team.members = 3;
      await tell(app);
    };
    await app.double.clock.advance({ seconds: 10 });
    await followSeats(app.core);
    expect(await quantityOf(team)).toBe(2);
    await settle(app);
    expect(await quantityOf(team)).toBe(3);
  });

  it("is not told before its transaction commits, and not at all if it does not", async () => {
    const team = await openTeam(open);
    const { app } = team;
    const client = await app.pool.connect();
    try {
      for (const [end, expected] of [
        ["ROLLBACK", 0],
        ["COMMIT", 1],
      ] as const) {
        await client.query("BEGIN");
        const { seatsChanged } = app.b.store.in(client);
        await seatsChanged({ entityId });
        await seatsChanged({ entityId });
        expect(await app.b.store.records("seats", "", 10)).toEqual([]);
        await client.query(end);
        expect(await app.b.store.records("seats", "", 10)).toHaveLength(expected);
      }
      const [record] = await app.b.store.records("seats", "", 10);
      expect(record).toMatchObject({ revision: 2, data: {}, ref: null });
    } finally {
      client.release();
    }
  });

  it("stands in one statement that reads nothing before", async () => {
    const team = await openTeam(open);
    const { app } = team;
    const statements: string[] = [];
    const tx = {
      query: (text: string, values?: unknown[]) => {
        statements.push(text);
        return app.pool.query(text, values);
      },
    };
    await app.b.store.in(tx).seatsChanged({ entityId });
    expect(statements).toEqual([expect.stringMatching(/^INSERT INTO .* ON CONFLICT/s)]);
  });
});

describe("a worker that dies", () => {
  it.each(["counting", "sending"])("while it is %s leaves the seats to another one", async (at) => {
    const team = await openTeam(open);
    const { app } = team;
    team.members = 4;
    await tell(app);
    await app.double.clock.advance({ seconds: 10 });
    if (at === "counting") void followSeats(process(team, never));
    else {
      app.double.faults.add({ fault: "cut_after", on: UPDATE });
      await followSeats(process(team, async () => 2)); // what it counted is old by now
      app.double.faults.clear();
    }
    await app.double.clock.advance({ seconds: 5 });
    await tell(app);
    await settle(app);
    expect(await quantityOf(team)).toBe(4);
    expect(await rowOf(app, team.id)).toEqual(await truthOf(app, team.id));
  });

  it("and is not dead sends nothing after its turn", async () => {
    const team = await openTeam(open);
    const { app } = team;
    team.members = 4;
    await tell(app);
    await app.double.clock.advance({ seconds: 10 });
    let wakeUp = (_: number) => {};
    const slow = followSeats(
      process(
        team,
        () =>
          new Promise((resolve) => {
            wakeUp = resolve;
          }),
      ),
    );
    await expect
      .poll(async () => (await app.b.store.record("setting", `seats ${entityId}`))?.data)
      .toMatchObject({ isOpen: true, until: expect.any(Number) });
    await settle(app);
    expect(await quantityOf(team)).toBe(4);
    wakeUp(2);
    await slow;
    expect(await quantityOf(team)).toBe(4);
  });

  it("and one more at the same time make one update", async () => {
    const team = await openTeam(open);
    const { app } = team;
    team.members = 4;
    await tell(app);
    await app.b.store.commit({
      source: "record",
      now: app.double.clock.now(),
      units: [{ requests: [{ kind: "seats", id: `subscription ${team.id}`, due: 0, data: {} }] }],
    });
    await app.double.clock.advance({ seconds: 10 });
    const seats = async () => team.members;
    await Promise.all([1, 2, 3].map(() => followSeats(process(team, seats))));
    await settle(app);
    expect([await quantityOf(team), updates(app)]).toEqual([4, 1]);
  });
});

/** A team with two subscriptions, whose count is to be sent. */
async function openTwo() {
  const team = await openTeam(open);
  const { app, shop, billing } = team;
  const { customer } = await app.stripe.subscriptions.retrieve(team.id);
  const items = [{ price: shop.pro.id, quantity: 1 }];
  const other = await app.stripe.subscriptions.create({ customer: String(customer), items });
  await billing.refresh({ entityId });
  await settle(app);
  team.members = 2;
  await tell(app);
  await app.double.clock.advance({ seconds: 10 });
  app.double.requests.clear();
  return { team, other: other.id };
}

describe("a failure", () => {
  it("of Stripe is logged and tried again, less often each time", async () => {
    const team = await openTeam(open);
    const { app } = team;
    team.members = 2;
    await tell(app);
    app.double.faults.add({ fault: "error_before", status: 500, on: UPDATE });
    const tried: number[] = [];
    for (let second = 0; second < 150; second++) {
      await app.double.clock.advance({ seconds: 1 });
      const before = updates(app);
      await followSeats(app.core);
      if (updates(app) > before) tried.push(second + 1);
    }
    expect(tried).toEqual([10, 20, 40, 80]);
    expect(app.log).toContain("Seats could not be counted or sent; trying again");
    app.double.faults.clear();
    await settle(app);
    expect(await quantityOf(team)).toBe(2);
  });

  it("of one subscription does not keep the count from another", async () => {
    const { team, other } = await openTwo();
    const { app } = team;
    app.double.faults.add({ fault: "error_before", status: 400, on: UPDATE, times: 1 });
    await followSeats(app.core);
    const both = [await quantityOf(team), await quantityOf({ app, id: other })];
    expect(both.sort()).toEqual([1, 2]);
    expect(app.log).toContain("Seats could not be counted or sent; trying again");
    await settle(app);
    expect([await quantityOf(team), await quantityOf({ app, id: other })]).toEqual([2, 2]);
  });

  it.each([
    ["the time of a turn", (app: App) => app.double.clock.advance({ seconds: 50 })],
    ["the count", () => Promise.reject(new Error("no such table"))],
  ])("of %s ends it for all subscriptions", async (_, fail) => {
    const { team } = await openTwo();
    const { app } = team;
    team.onCount = async () => void (await fail(app));
    await followSeats(app.core);
    expect([app.double.requests.count(READ), updates(app)]).toEqual([1, 0]);
  });

  it("whose effect comes late does not have the last word", async () => {
    const team = await openTeam(open);
    const { app } = team;
    team.members = 2;
    await tell(app);
    app.double.faults.add({ fault: "error_late", milliseconds: 25_000, on: UPDATE });
    await app.double.clock.advance({ seconds: 10 });
    await followSeats(app.core);
    app.double.faults.clear();
    team.members = 3;
    await tell(app);
    await app.double.clock.advance({ seconds: 10 });
    await followSeats(app.core);
    expect(await quantityOf(team)).toBe(3);
    await app.double.clock.advance({ seconds: 20 });
    expect(await quantityOf(team)).toBe(2);
    await settle(app);
    expect(await quantityOf(team)).toBe(3);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("no such table"))],
    ["is no number of seats", () => Promise.resolve(2.5)],
  ])("of the count, which %s, is tried again, and nothing is sent", async (_, seats) => {
    const team = await openTeam(open);
    const { app } = team;
    team.members = 2;
    await tell(app);
    await app.double.clock.advance({ seconds: 10 });
    await followSeats({ ...app.core, seats });
    expect([updates(app), await quantityOf(team)]).toEqual([0, 1]);
    expect(app.log).toContain("Seats could not be counted or sent; trying again");
    await settle(app);
    expect(await quantityOf(team)).toBe(2);
  });

  it("of the card leaves the subscription past due: the seats are taken already", async () => {
    const team = await openTeam(open);
    const { app } = team;
    const { customer } = await app.stripe.subscriptions.retrieve(team.id);
    await useCard(app, String(customer), "pm_card_chargeCustomerFail");
    team.members = 2;
    await tell(app);
    await settle(app);
    expect(await app.b.store.subscriptionOf(entityId)).toMatchObject({
      quantity: 2,
      status: "past_due",
      access: true,
    });
  });

  it("of the payment for another change is waited for", async () => {
    const team = await openTeam(open);
    const { app, shop } = team;
    const { customer } = await app.stripe.subscriptions.retrieve(team.id);
    await useCard(app, String(customer), "pm_card_authenticationRequired");
    const changed = await billingOf(app).change({ entityId, priceId: shop.yearly.id });
    expect(changed.state).toBe("payment_required");
    team.members = 2;
    await tell(app);
    await app.double.clock.advance({ seconds: 10 });
    await followSeats(app.core);
    expect([updates(app), await quantityOf(team)]).toEqual([1, 1]);
    await app.double.clock.advance({ hours: 24 }); // Stripe gives it up
    await settle(app);
    expect(await quantityOf(team)).toBe(2);
  });
});
