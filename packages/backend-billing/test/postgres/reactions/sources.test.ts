// From wherever something is learnt it is told once; and what is told by time, by a link, by another process.
import { describe, expect, it } from "vitest";
import { raiseNotices } from "../../../src/core/reactions/telling/notices.js";
import { endGraces } from "../../../src/core/subscriptions/grace.js";
import { createBilling, type PostgresConfig } from "../../../src/postgres/index.js";
import { type App, applications, eventually } from "../service/kit.js";
import {
  changesLeft,
  namesIn,
  opened,
  payingCustomer,
  priceOf,
  settled,
  subscribe,
  toldIn,
  writer,
  writing,
} from "./kit.js";

const openApp = applications();

describe("a change is told once", () => {
  const on = { change: { products: writer("product") } };
  const open = (options = {}) => opened(openApp, { on }, options);
  const later = async (app: App): Promise<string> => {
    await app.b.sync(); // what there is already is listed, and no news
    const { id } = await app.stripe.products.create({ name: "Later" });
    return id;
  };
  const once = async (app: App): Promise<void> => {
    await app.b.billing.tick({ budget: 60_000 });
    await settled(app);
    expect(await namesIn(app)).toEqual(["product"]);
  };

  it("that a webhook brought, and everything after it confirms", async () => {
    const app = await open();
    await later(app);
    await settled(app);
    await app.b.sync();
    await app.b.billing.reconcile();
    await once(app);
  });

  it("that a catch-up brought", async () => {
    const app = await open({ endpoint: false });
    await later(app);
    await app.b.sync({ since: "last" } as never);
    await once(app);
  });

  it("that a reconcile brought", async () => {
    const app = await open({ endpoint: false });
    await later(app);
    await app.b.billing.reconcile();
    await once(app);
  });

  it("that a call of the library made", async () => {
    const app = await opened(openApp, { on: writing("subscription.canceling") });
    await subscribe(app, "user_1");
    await settled(app);
    await app.b.billing.cancel({ entityId: "user_1" });
    await settled(app);
    await app.b.billing.refresh({ entityId: "user_1" });
    await settled(app);
    expect(await namesIn(app)).toEqual(["subscription.canceling"]);
  });
});

describe("by time", () => {
  it("a trial that ends soon is announced once", async () => {
    const app = await opened(openApp, { on: writing("trial.ending") });
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    const soon = Math.ceil(Date.now() / 1000) + 3 * 86_400 + 2;
    const { id } = await app.stripe.subscriptions.create({
      customer: customerId,
      items: [{ price: await priceOf(app) }],
      trial_end: soon,
    });
    await settled(app);
    const early = await namesIn(app);
    const isTime = Date.now() >= (soon - 3 * 86_400) * 1000; // on a busy machine it may have come
    expect(early).toEqual(isTime ? early : []);
    await eventually(
      async () => {
        await app.b.billing.tick();
        return namesIn(app);
      },
      (names) => names.length > 0,
    );
    await app.stripe.subscriptions.update(id, { metadata: { a: "1" } });
    await settled(app);
    await app.b.billing.tick();
    expect(await toldIn(app)).toMatchObject([{ name: "trial.ending", entity: "user_1" }]);
    // In a process whose clock is a day ahead it is known to be told, too.
    const on = app.b.billing;
    const core = {
      ...app.core,
      now: () => Date.now() + 86_400_000,
      reactions: { names: new Set(["trial.ending"]) },
    };
    await raiseNotices(core as never);
    await on.tick();
    expect(await namesIn(app)).toEqual(["trial.ending"]);
  });

  it("access that a grace period ends is lost", async () => {
    const app = await opened(openApp, { on: writing("access.granted", "access.lost") });
    const { id } = await subscribe(app, "user_1");
    await settled(app);
    expect(await namesIn(app)).toEqual(["access.granted"]);
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    await app.stripe.customers.update(customerId, {
      invoice_settings: {
        default_payment_method: (
          await app.stripe.paymentMethods.attach("pm_card_chargeCustomerFail", {
            customer: customerId,
          })
        ).id,
      },
    });
    await app.double.clock.advance({ days: 32 });
    await settled(app);
    expect((await app.stripe.subscriptions.retrieve(id)).status).toBe("past_due");
    expect(await namesIn(app)).toEqual(["access.granted"]);
    await endGraces(app.core);
    await app.double.clock.advance({ days: 15 });
    while ((await endGraces(app.core)) > 0);
    await app.b.billing.tick();
    await settled(app);
    expect(await namesIn(app)).toEqual(["access.granted", "access.lost"]);
  });
});

describe("a customer that is linked later", () => {
  it("has what it has told once, before what becomes of it", async () => {
    const names = [
      "customer.linked",
      "subscription.started",
      "access.granted",
      "subscription.canceling",
    ];
    const app = await opened(openApp, { on: writing(...names) });
    const customer = await payingCustomer(app);
    const { id } = await app.stripe.subscriptions.create({
      customer,
      items: [{ price: await priceOf(app) }],
    });
    await settled(app);
    expect(await namesIn(app)).toEqual([]);
    await app.b.sync();
    await app.stripe.customers.update(customer, { metadata: { entityId: "team_1" } });
    await eventually(
      () => namesIn(app),
      (told) => told.length === names.length - 1,
    );
    await app.stripe.subscriptions.update(id, { cancel_at_period_end: true });
    await settled(app);
    const told = await toldIn(app);
    expect(told.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(told.at(-1)?.name).toBe("subscription.canceling");
    expect(new Set(told.map(({ entity }) => entity))).toEqual(new Set(["team_1"]));
  });
});

describe("of several processes", () => {
  it("one that has no handlers stores what the others are told", async () => {
    const app = await opened(openApp, { on: { change: { products: writer("product") } } });
    await app.b.sync();
    const plain = createBilling({ ...app.config, on: undefined } as PostgresConfig);
    await app.stripe.webhookEndpoints.del(app.endpoint);
    await app.stripe.products.create({ name: "Elsewhere" });
    await plain.billing.reconcile();
    expect(await changesLeft(app)).toHaveLength(1);
    await app.b.billing.tick();
    expect(await namesIn(app)).toEqual(["product"]);
    await plain.billing.close();
  });

  it("one that lacks a handler leaves it to the one that has it", async () => {
    const app = await opened(openApp, { on: writing("subscription.started") });
    const more = createBilling({
      ...app.config,
      on: writing("subscription.started", "subscription.canceling"),
    });
    await more.billing.tick(); // it says what it listens to
    await subscribe(app, "user_1");
    await settled(app);
    await app.b.billing.cancel({ entityId: "user_1" });
    await app.double.settle();
    await app.b.billing.tick();
    expect(await namesIn(app)).toEqual(["subscription.started"]);
    await eventually(
      async () => {
        await more.billing.tick();
        return namesIn(app);
      },
      (names) => names.length === 2,
    );
    expect(await namesIn(app)).toEqual(["subscription.started", "subscription.canceling"]);
    await more.billing.close();
  });

  it("a handler that no process has any more holds nothing up", async () => {
    const app = await opened(openApp, {
      on: writing("subscription.started", "subscription.ended"),
    });
    const { id } = await subscribe(app, "user_1");
    await settled(app);
    await app.b.billing.close();
    const fewer = createBilling({ ...app.config, on: writing("subscription.started") });
    await app.stripe.subscriptions.cancel(id);
    await fewer.billing.reconcile();
    await fewer.billing.tick();
    expect(await changesLeft(app)).toHaveLength(1); // the other may be back
    await app.sql(`UPDATE ${app.schema}.backend_billing_records
      SET data = jsonb_set(data, '{names,subscription.ended,seen}', '0') WHERE id = 'listening'`);
    await app.sql(`UPDATE ${app.schema}.backend_billing_records SET due = 0 WHERE kind = 'change'`);
    await fewer.billing.tick();
    expect(await changesLeft(app)).toEqual([]);
    expect(await namesIn(app)).toEqual(["subscription.started"]);
    await fewer.billing.close();
  });
});
