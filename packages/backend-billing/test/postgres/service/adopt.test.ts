// Customers that an application has already become its entities', one for each, whatever races or
// dies meanwhile.
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { setup } from "../../../src/core/customers/setup.js";
import type { Store } from "../../../src/core/mirror/store.js";
import { behindGateway } from "../../../src/core/runtime/commit/commit.js";
import { adopt } from "../../../src/core/subscriptions/adopt.js";
import { payingCustomer, priceOf } from "../reactions/kit.js";
import { type App, type AppOptions, applications, billingError, NOW } from "./kit.js";

const open = applications();
const still = (options: AppOptions = {}) =>
  open({ endpoint: false, ...options, stripe: { now: NOW, ...options.stripe } });
const entityId = "user_1";

const metadataOf = ({ double }: App, id: string) =>
  double.objects("customer").find((each) => each.id === id)?.metadata;
const linksOf = async (app: App) =>
  Object.fromEntries((await app.customers()).map((row) => [row.customerId, row.entityId]));
const made = async ({ stripe }: App, metadata: { [key: string]: string } = {}) =>
  (await stripe.customers.create({ metadata })).id;

describe("a customer that is nobody's", () => {
  it("becomes the entity's in both variants, with its subscriptions, and is marked at Stripe", async () => {
    const app = await still();
    for (const [variant, entity] of [
      [app.a.stripe, "user_a"],
      [app.b.billing, "user_b"],
    ] as const) {
      const customerId = await payingCustomer(app);
      const price = await priceOf(app);
      await app.stripe.customers.update(customerId, { metadata: { since: "2019" } });
      await app.stripe.subscriptions.create({ customer: customerId, items: [{ price }] });
      expect(await variant.adopt({ entityId: entity, customerId })).toEqual({ customerId });
      expect(metadataOf(app, customerId)).toEqual({ since: "2019", entityId: entity });
      expect(await app.b.store.subscriptionOf(entity)).toMatchObject({
        access: true,
        priceId: price,
      });
      expect(await app.b.store.customerOf(entity)).toMatchObject({ customerId, entityId: entity });
      expect(await app.b.setup({ entityId: entity })).toEqual({ customerId });
    }
    expect(app.double.objects("customer")).toHaveLength(2);
  });

  it("is told to be so at once the second time, without a request", async () => {
    const app = await still();
    const customerId = await made(app);
    await app.b.billing.adopt({ entityId, customerId });
    await app.double.clock.advance({ seconds: 5 });
    await app.b.billing.adopt({ entityId, customerId });
    app.double.requests.clear();
    expect(await app.b.billing.adopt({ entityId, customerId })).toEqual({ customerId });
    expect(app.double.requests.count()).toBe(0);
  });

  it("carries the application's name, and is found again by a database that has lost it", async () => {
    const app = await still({ config: { app: "shop" } });
    const customerId = await made(app);
    await app.b.billing.adopt({ entityId, customerId });
    expect(metadataOf(app, customerId)).toEqual({ entityId, billingApp: "shop" });
    const restored = await still({ beside: app, config: { app: "shop" } });
    await restored.b.sync();
    expect(await linksOf(restored)).toEqual({ [customerId]: entityId });
    expect(await restored.b.setup({ entityId })).toEqual({ customerId });
  });

  it("may carry the entity already, without the application's name", async () => {
    const app = await still({ config: { app: "shop" } });
    const customerId = await made(app, { entityId });
    await app.b.billing.adopt({ entityId, customerId });
    expect(metadataOf(app, customerId)).toEqual({ entityId, billingApp: "shop" });
  });

  it("is adopted where customers are not mirrored", async () => {
    const app = await still({ config: { resources: ["products"] } });
    const customerId = await made(app);
    for (let time = 0; time < 2; time++) await app.b.billing.adopt({ entityId, customerId });
    expect(metadataOf(app, customerId)).toEqual({ entityId });
    expect(await app.b.setup({ entityId })).toEqual({ customerId });
  });

  it("is adopted by an entity whose customer was deleted", async () => {
    const app = await still();
    const { customerId: former } = await app.b.setup({ entityId });
    const customerId = await made(app);
    await app.stripe.customers.del(former);
    await app.b.sync();
    expect(await app.b.billing.adopt({ entityId, customerId })).toEqual({ customerId });
    expect(await app.claim(entityId)).toMatchObject({ state: "linked", customerId });
    expect(await app.b.setup({ entityId })).toEqual({ customerId });
  });
});

describe("what is refused, with a code, and leaves everything as it was", () => {
  const cases: [string, string, (app: App) => Promise<string>][] = [
    ["a customer that Stripe does not have", "customer_not_found", async () => "cus_none"],
    [
      "one that was deleted",
      "customer_not_found",
      async (app) => {
        const id = await made(app);
        await app.stripe.customers.del(id);
        return id;
      },
    ],
    [
      "one that carries another entity",
      "already_linked",
      (app) => made(app, { entityId: "user_2" }),
    ],
    [
      "one that carries another application",
      "already_linked",
      (app) => made(app, { entityId, billingApp: "club" }),
    ],
    [
      "one that is another entity's, whatever its metadata says by now",
      "already_linked",
      async (app) => {
        const { customerId } = await app.b.setup({ entityId: "user_2" });
        await app.stripe.customers.update(customerId, { metadata: { entityId } });
        return customerId;
      },
    ],
    [
      "one for an entity that has another",
      "already_linked",
      async (app) => {
        await app.b.setup({ entityId });
        return made(app);
      },
    ],
    [
      "one for an entity whose customer is being made",
      "already_linked",
      async (app) => {
        const id = await made(app);
        app.double.faults.add({ fault: "error_before", on: "POST /v1/customers", times: 99 });
        await billingError(
          setup({ ...app.core, timing: { ...app.core.timing, claimPatience: 100 } }, { entityId }),
        );
        return id;
      },
    ],
    ["what is no customer's id", "invalid_argument", async () => ""],
  ];
  it.each(cases)("%s", async (_, code, prepared) => {
    const app = await still();
    const customerId = await prepared(app);
    const before = JSON.stringify([
      app.double.objects("customer"),
      await linksOf(app),
      await app.claim(entityId),
    ]);
    expect(await billingError(app.b.billing.adopt({ entityId, customerId }))).toMatchObject({
      code,
    });
    expect(
      JSON.stringify([
        app.double.objects("customer"),
        await linksOf(app),
        await app.claim(entityId),
      ]),
    ).toBe(before);
  });

  it("a customer of the other mode", async () => {
    const app = await still();
    const live = new Stripe(app.double.liveSecretKey, app.double.stripeConfig);
    const { id: customerId } = await live.customers.create();
    const call = app.b.billing.adopt({ entityId, customerId });
    expect((await billingError(call)).code).toBe("livemode_mismatch");
  });

  it("what is no entity's id", async () => {
    const app = await still();
    const customerId = await made(app);
    const call = app.b.billing.adopt({ entityId: "", customerId });
    expect((await billingError(call)).code).toBe("invalid_argument");
  });
});

describe("callers at once", () => {
  /** How each ended: with a customer, or with a code. */
  const ended = (calls: readonly Promise<{ customerId: string }>[]) =>
    Promise.all(
      calls.map((call) =>
        call.then(
          ({ customerId }) => customerId,
          async (error: unknown) => (await billingError(Promise.reject(error))).code,
        ),
      ),
    );

  it("one customer for several entities: exactly one has it, and its mark says so", async () => {
    const app = await still();
    for (let round = 0; round < 8; round++) {
      const customerId = await made(app);
      const entities = [0, 1, 2, 3].map((n) => `user_${round}_${n}`);
      const outcome = await ended(
        entities.map((entity, n) =>
          (n % 2 ? app.a.stripe : app.b.billing).adopt({ entityId: entity, customerId }),
        ),
      );
      const winners = entities.filter((_, n) => outcome[n] === customerId);
      expect(winners, outcome.join()).toHaveLength(1);
      expect(outcome.filter((each) => each === "already_linked")).toHaveLength(3);
      expect(metadataOf(app, customerId)).toEqual({ entityId: winners[0] });
      expect((await linksOf(app))[customerId]).toBe(winners[0]);
    }
  });

  it("several customers for one entity: exactly one is linked and marked", async () => {
    const app = await still();
    for (let round = 0; round < 8; round++) {
      const own = `user_${round}`;
      const customers = await Promise.all([made(app), made(app), made(app), made(app)]);
      const outcome = await ended(
        customers.map((customerId) => app.b.billing.adopt({ entityId: own, customerId })),
      );
      const winners = customers.filter((id, n) => outcome[n] === id);
      expect(winners, outcome.join()).toHaveLength(1);
      expect(customers.filter((id) => metadataOf(app, id)?.entityId === own)).toEqual(winners);
      expect(await app.b.setup({ entityId: own })).toEqual({ customerId: winners[0] });
    }
  });

  it("the same pair many times: all have it", async () => {
    const app = await still();
    const customerId = await made(app);
    const calls = Array.from({ length: 10 }, () => app.b.billing.adopt({ entityId, customerId }));
    expect(new Set(await ended(calls))).toEqual(new Set([customerId]));
  });

  it("together with `setup`: the entity has one customer, whichever was first", async () => {
    const app = await still();
    for (let round = 0; round < 6; round++) {
      const own = `user_${round}`;
      const customerId = await made(app);
      const [, second] = await ended([
        app.b.setup({ entityId: own }),
        app.b.billing.adopt({ entityId: own, customerId }),
      ]);
      const { customerId: has } = await app.b.setup({ entityId: own });
      const carriers = app.double
        .objects("customer")
        .filter(({ metadata }) => metadata.entityId === own);
      expect(carriers.map(({ id }) => id)).toEqual([has]);
      expect(second).toBe(has === customerId ? customerId : "already_linked");
    }
  });
});

it("a call that dies between any two steps is finished by the same call again", {
  tags: ["slow"],
}, async () => {
  for (let steps = 0, isOver = false; !isOver; steps++) {
    const app = await still();
    const customerId = await payingCustomer(app);
    await app.stripe.subscriptions.create({
      customer: customerId,
      items: [{ price: await priceOf(app) }],
    });
    let left = steps;
    const dying = <T>(what: T): T => {
      if (left-- <= 0) throw new Error("dead");
      return what;
    };
    const store: Store = {
      ...app.b.store,
      commit: async (batch) => dying(app.b.store).commit(dying(batch)).then(dying),
    };
    const stripe = app.core.stripe();
    const runtime = {
      ...app.core,
      store: behindGateway(store, () => {}),
      stripe: () => dying(stripe),
    };
    isOver = await adopt(runtime, { entityId, customerId }).then(
      () => true,
      (error: Error) => {
        expect(error.message).toContain("dead");
        return false;
      },
    );
    if (isOver) expect(steps).toBeGreaterThan(8);
    expect(await app.b.billing.adopt({ entityId, customerId })).toEqual({ customerId });
    expect(metadataOf(app, customerId)).toEqual({ entityId });
    expect(await linksOf(app)).toEqual({ [customerId]: entityId });
    expect(await app.b.store.subscriptionOf(entityId)).toMatchObject({ access: true });
    expect(app.double.objects("customer")).toHaveLength(1);
  }
});
