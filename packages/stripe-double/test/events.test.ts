import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkVersion } from "../src/api/versions.js";
import {
  endpointSecrets,
  isConnectEndpoint,
  rollSecret,
} from "../src/resources/webhook-endpoints.js";
import { bareWorld, errorOf, NOW, openTill, type Till } from "./money-kit.js";

let till: Till;
beforeEach(async () => {
  till = await openTill();
});
afterEach(() => till.double.close());

describe("the list of events", () => {
  const customers = async (count: number) => {
    for (let i = 0; i < count; i++) await till.stripe.customers.create({ name: `c${i}` });
  };

  it("is newest first, and oldest first when paged with ending_before", async () => {
    await customers(5);
    const all = await till.stripe.events.list({ limit: 3 });
    expect(all.has_more).toBe(true);
    const names = (events: Stripe.Event[]) =>
      events.map(({ data }) => (data.object as Stripe.Customer).name);
    expect(names(all.data)).toEqual(["c4", "c3", "c2"]);
    const oldest = (await till.events())[0]?.id ?? "";
    const upwards: Stripe.Event[] = [];
    for await (const event of till.stripe.events.list({ limit: 2, ending_before: oldest }))
      upwards.push(event);
    expect(names(upwards)).toEqual(["c1", "c2", "c3", "c4"]);
  });

  it("can be asked for one type, a family of types, or up to twenty types", async () => {
    await customers(1);
    await till.stripe.products.create({ name: "Engine" });
    const types = async (params: Stripe.EventListParams) =>
      (await till.stripe.events.list(params)).data.map(({ type }) => type);
    expect(await types({ type: "customer.created" })).toEqual(["customer.created"]);
    expect(await types({ type: "product.*" })).toEqual(["product.created"]);
    expect(await types({ types: ["product.created", "customer.created"] })).toHaveLength(2);
    const many = Array.from({ length: 21 }, () => "customer.created");
    expect((await errorOf(till.stripe.events.list({ types: many }))).statusCode).toBe(400);
    expect(
      (await errorOf(till.stripe.events.list({ type: "a.b", types: ["a.b"] }))).statusCode,
    ).toBe(400);
  });

  it("keeps an event for 30 days", async () => {
    await customers(1);
    const [event] = (await till.stripe.events.list()).data;
    await till.double.clock.advance({ days: 29, hours: 23 });
    expect((await till.stripe.events.list()).data).toHaveLength(1);
    await till.double.clock.advance({ hours: 2 });
    expect((await till.stripe.events.list()).data).toEqual([]);
    const error = await errorOf(till.stripe.events.retrieve(event?.id ?? ""));
    expect(error).toMatchObject({ statusCode: 404, code: "resource_missing" });
    expect(
      (await errorOf(till.stripe.events.list({ starting_after: event?.id ?? "" }))).statusCode,
    ).toBe(400);
  });

  it("filters by the second that an event shows, also when that is skewed", async () => {
    till.double.faults.add({ fault: "skewed_created", milliseconds: 2000 });
    for (let i = 0; i < 30; i++) {
      await till.stripe.customers.create({});
      await till.double.clock.advance({ milliseconds: 500 });
    }
    const all = await till.events();
    const start = Date.parse(NOW) / 1000;
    for (const from of [start + 3, start + 8]) {
      const wanted = all
        .filter(({ created }) => created >= from && created < from + 4)
        .map(({ id }) => id);
      const listed = await till.stripe.events.list({
        limit: 100,
        created: { gte: from, lt: from + 4 },
      });
      expect(listed.data.map(({ id }) => id).reverse()).toEqual(wanted);
    }
    expect(new Set(all.map(({ created }) => created)).size).toBeGreaterThan(5);
  });

  it("shows events at the account's version, whichever version asks", async () => {
    await till.stripe.coupons.create({ id: "TEN", percent_off: 10 });
    await till.stripe.promotionCodes.create({ promotion: { type: "coupon", coupon: "TEN" } });
    const answer = await fetch(`${till.double.url}/v1/events`, {
      headers: {
        Authorization: `Bearer ${till.double.secretKey}`,
        "Stripe-Version": checkVersion("2024-06-20"),
      },
    });
    const { data } = (await answer.json()) as { data: Stripe.Event[] };
    expect(data[0]).toMatchObject({
      api_version: Stripe.API_VERSION,
      data: { object: { promotion: { type: "coupon", coupon: "TEN" } } },
    });
  });

  it("names the request that caused an event", async () => {
    const made = await till.stripe.customers.create({}, { idempotencyKey: "the-key" });
    const [event] = (await till.stripe.events.list()).data;
    expect(event?.request).toEqual({ id: made.lastResponse.requestId, idempotency_key: "the-key" });
  });
});

describe("webhook endpoints", () => {
  const params = { url: "https://app.example/hook", enabled_events: ["customer.created" as const] };

  it("answer their secret once", async () => {
    const made = await till.stripe.webhookEndpoints.create(params);
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9]{32}$/);
    expect(made).toMatchObject({ status: "enabled", api_version: null });
    expect(await till.stripe.webhookEndpoints.retrieve(made.id)).not.toHaveProperty("secret");
    const peek = till.stripe.webhookEndpoints.retrieve(made.id, { expand: ["secret"] });
    expect((await errorOf(peek)).statusCode).toBe(501);
    const changed = await till.stripe.webhookEndpoints.update(made.id, {
      disabled: true,
      enabled_events: ["*"],
    });
    expect(changed).toMatchObject({ status: "disabled", enabled_events: ["*"] });
    expect(changed).not.toHaveProperty("secret");
    expect(await till.types()).toEqual([]);
  });

  it("are sixteen at most", async () => {
    const made = [];
    for (let i = 0; i < 16; i++) made.push(await till.stripe.webhookEndpoints.create(params));
    expect((await errorOf(till.stripe.webhookEndpoints.create(params))).message).toContain(
      "maximum of 16",
    );
    await till.stripe.webhookEndpoints.del(made[0]?.id ?? "");
    await till.stripe.webhookEndpoints.create(params);
    const list = await till.stripe.webhookEndpoints.list({ limit: 100 });
    expect(list.data).toHaveLength(16);
  });

  it("are refused with a wrong address, type or version", async () => {
    const create = (change: object) =>
      errorOf(till.stripe.webhookEndpoints.create({ ...params, ...change }));
    expect(await create({ url: "app.example/hook" })).toMatchObject({
      code: "url_invalid",
      param: "url",
    });
    expect((await create({ enabled_events: ["everything"] })).statusCode).toBe(400);
    expect((await create({ enabled_events: [] })).statusCode).toBe(400);
    expect((await create({ api_version: "next" })).message).toContain("Invalid Stripe API version");
  });

  it("can get a new secret while the old one still signs", async () => {
    const { world, clock } = bareWorld();
    const { webhookEndpoints } = await import("../src/resources/webhook-endpoints.js");
    const create = webhookEndpoints.find(
      ({ method, pattern }) => `${method} ${pattern}` === "POST /v1/webhook_endpoints",
    );
    const call = { world, path: {}, asOf: undefined, version: world.version };
    const made = create?.run(call, { ...params, connect: true } as never) as Stripe.WebhookEndpoint;
    const first = made.secret ?? "";
    const second = rollSecret(world, made.id, { keepOldFor: { hours: 1 } });
    expect(endpointSecrets(world, made.id)).toEqual([second, first]);
    await clock.advance({ hours: 1 });
    expect(endpointSecrets(world, made.id)).toEqual([second]);
    const third = rollSecret(world, made.id);
    expect(endpointSecrets(world, made.id)).toEqual([third]);
    expect(isConnectEndpoint(world, made.id)).toBe(true);
    expect(() => rollSecret(world, made.id, { keepOldFor: { hours: 25 } })).toThrow("24 hours");
  });
});

describe("accounts", () => {
  it("are the key's own", async () => {
    const own = await till.stripe.accounts.retrieveCurrent();
    expect(own).toMatchObject({
      id: till.double.account,
      object: "account",
      charges_enabled: true,
    });
    expect((await till.stripe.accounts.retrieve(own.id)).id).toBe(own.id);
    expect((await errorOf(till.stripe.accounts.retrieve("acct_none"))).statusCode).toBe(403);
  });
});
